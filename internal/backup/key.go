package backup

import (
	"io"
	"strings"

	"filippo.io/age"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Recipient can read an encrypted backup.
type Recipient = age.Recipient

// An Identity is the key of a recipient.
type Identity = age.Identity

// ParseRecipients parses public keys, such as age1….
func ParseRecipients(keys []string) ([]Recipient, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	recipients, err := age.ParseRecipients(strings.NewReader(strings.Join(keys, "\n")))
	if err != nil {
		return nil, fault.Invalid.Errorf("“%s” is not a public key of age. Such a key starts with age1; age-keygen makes one.",
			strings.Join(keys, ", "))
	}
	return recipients, nil
}

// ReadIdentities reads a file with keys, as age-keygen writes it.
func ReadIdentities(file io.Reader) ([]Identity, error) {
	identities, err := age.ParseIdentities(file)
	if err != nil {
		return nil, fault.Invalid.Errorf("The file has no key of age. A line with a key starts with AGE-SECRET-KEY-.")
	}
	return identities, nil
}
