package account

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

const (
	recoveryCodeCount = 10
	codePeriod        = 30 // seconds for which an authenticator app shows a code
)

// NewTOTPKey returns the otpauth URL of a new key for the authenticator app of a user.
func NewTOTPKey(email string) (address string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Labelwright", AccountName: email})
	if err != nil {
		return "", err
	}
	return key.URL(), nil
}

// TOTPSecret returns the secret in the URL of a key, in base32.
func TOTPSecret(address string) (string, error) {
	key, err := otp.NewKeyFromURL(address)
	if err != nil {
		return "", err
	}
	return key.Secret(), nil
}

// MatchTOTP returns the time step of a code: that of now, or the one before or after. It returns 0 for a wrong code.
func MatchTOTP(secret, code string, now time.Time) (step int64) {
	for _, near := range []time.Time{now, now.Add(-codePeriod * time.Second), now.Add(codePeriod * time.Second)} {
		ok, err := totp.ValidateCustom(code, secret, near, totp.ValidateOpts{Period: codePeriod, Digits: otp.DigitsSix})
		if ok && err == nil {
			return near.Unix() / codePeriod
		}
	}
	return 0
}

// NewRecoveryCodes returns ten codes of 120 random bits. Each replaces a code of the authenticator app once.
func NewRecoveryCodes() []string {
	codes := make([]string, recoveryCodeCount)
	for i := range codes {
		random := make([]byte, 15)
		rand.Read(random)
		text := strings.ToLower(base32.StdEncoding.EncodeToString(random))
		codes[i] = text[:6] + "-" + text[6:12] + "-" + text[12:18] + "-" + text[18:]
	}
	return codes
}

// NormalizeCode returns a typed code of an app or a recovery code without spaces and hyphens, in lower case.
func NormalizeCode(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
}
