// Package project says what is labelled and by whom: items of one protocol
// version, the people who work on them, and the batches they are given.
package project

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Project holds items of one protocol version.
type Project struct {
	ID                int64
	Key               string
	Title             string
	ProtocolVersionID int32
	Protocol          protocol.Protocol // in its latest wording
	Warning           string            // shown before any text of the project; empty: none
	WarningVersion    int
	SupportURL        string // a page of help for annotators; empty: none
	Items             int
	Batches           int
}

// A Draft is what a lead gives to create a project.
type Draft struct {
	Key        string
	Title      string
	Protocol   string // KEY or KEY@VERSION
	Warning    string // empty: the protocol's own
	SupportURL string
}

var keyForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Check returns d tidied of outer space, or Problems that say what to change.
func (d Draft) Check() (Draft, error) {
	d.Key, d.Title = strings.TrimSpace(d.Key), strings.TrimSpace(d.Title)
	d.Warning, d.SupportURL = strings.TrimSpace(d.Warning), strings.TrimSpace(d.SupportURL)
	var problems Problems
	problems.add("title", checkTitle(d.Title))
	problems.add("key", checkKey(d.Key))
	problems.add("warning", checkWarning(d.Warning))
	problems.add("support_url", checkSupport(d.SupportURL))
	return d, problems.err()
}

func checkKey(key string) error {
	if !keyForm.MatchString(key) || key == "new" {
		return fault.Invalid.Says("A project's key has 1 to 63 lower-case letters, digits and hyphens, begins with a letter or digit, and is not “new”; “%s” will not do.", key)
	}
	return nil
}

func checkTitle(title string) error {
	if n := utf8.RuneCountInString(title); n == 0 || n > 200 {
		return fault.Invalid.Says("Please give the project a title of 1 to 200 characters.")
	}
	return nil
}

func checkWarning(warning string) error {
	if utf8.RuneCountInString(warning) > 2000 {
		return fault.Invalid.Says("The content warning is longer than 2,000 characters. Please shorten it.")
	}
	return nil
}

// DefaultSupport is where annotators find somebody to talk to in a project with
// a content warning whose lead names no other place: a directory of helplines by
// country.
const DefaultSupport = "https://findahelpline.com/"

// Complete returns d with what the protocol warns of, and with a support link
// where there is a warning.
func (d Draft) Complete(p protocol.Protocol) Draft {
	d.Warning = cmp.Or(d.Warning, p.Plan.Warning)
	if d.Warning != "" {
		d.SupportURL = cmp.Or(d.SupportURL, DefaultSupport)
	}
	return d
}

func checkSupport(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(address) > 500 {
		return fault.Invalid.Says("The support link has to be a web address such as https://example.org/help; “%s” is not.", address)
	}
	return nil
}
