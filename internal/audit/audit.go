// Package audit describes the entries of the audit log: as sentences, and as rows of a file.
package audit

import (
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
)

// An Entry is one change, by a user or a command.
type Entry struct {
	ID        int64
	CreatedAt time.Time
	ActorID   account.ID // 0: a command, or a failed sign-in
	Action    string     // a code, such as "batch.open"
	Subject   string     // what was changed, such as "batch pilot/first"
	Detail    map[string]any
	Names     map[account.ID]string // of the accounts in the entry, as the reader knows them
}

// A Filter restricts entries. A zero field restricts nothing.
type Filter struct {
	ProjectKey string
	AccountID  account.ID // who acted
	Action     string
	Item       string    // what changed this item, by its own id
	From       time.Time // inclusive
	Until      time.Time // exclusive
}

// A Kind is what a part of a sentence refers to.
type Kind string

// The kinds of parts. Plain text refers to nothing.
const (
	Text     Kind = ""
	Account  Kind = "account"
	Project  Kind = "project"
	Batch    Kind = "batch"
	Protocol Kind = "protocol"
)

// A Part is a piece of a sentence.
type Part struct {
	Text string
	Kind Kind
	Key  string // of what it refers to: an account id, a project key, PROJECT/BATCH, or KEY/VERSION
}

// Subject returns the kind and the name of what the entry is about.
func (e Entry) subject() (kind Kind, name string) {
	before, name, _ := strings.Cut(e.Subject, " ")
	return Kind(before), name
}

// ActorName returns who acted.
func (e Entry) ActorName(l *locale.Locale) string {
	switch {
	case e.Action == "account.sign_in_failed":
		return l.T("Someone")
	case e.ActorID == 0:
		return l.T("A command")
	}
	return e.accountName(l, e.ActorID)
}

func (e Entry) accountName(l *locale.Locale, id account.ID) string {
	if name := e.Names[id]; name != "" {
		return name
	}
	return l.T("a former user")
}

// AccountIDs returns the accounts that the sentence of the entry names.
func (e Entry) AccountIDs() (ids []account.ID) {
	ids = append(ids, e.ActorID)
	if kind, name := e.subject(); kind == Account {
		ids = append(ids, parseID(name))
	}
	for _, key := range accountKeys {
		ids = append(ids, e.detailIDs(key)...)
	}
	return ids
}

// accountKeys are the details that hold account ids: one, or a list.
var accountKeys = []string{"account", "accounts"}

func (e Entry) detailIDs(key string) (ids []account.ID) {
	switch value := e.Detail[key].(type) {
	case float64:
		ids = append(ids, account.ID(value))
	case []any:
		for _, element := range value {
			if id, ok := element.(float64); ok {
				ids = append(ids, account.ID(id))
			}
		}
	}
	return ids
}

// Sentence returns what happened, as text.
func (e Entry) Sentence(l *locale.Locale) string {
	var text strings.Builder
	for _, part := range e.Parts(l) {
		text.WriteString(part.Text)
	}
	return text.String()
}
