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

// An ID identifies a project.
type ID int64

// A Project holds items of one protocol version.
type Project struct {
	ID                    ID
	Key                   string
	Title                 string
	ProtocolVersionID     protocol.VersionID
	Protocol              protocol.Protocol // in its latest wording
	ContentWarning        string            // shown before any text of the project; empty: none
	ContentWarningVersion int
	SupportURL            string // a page of help for annotators; empty: none
	Items                 int
	Batches               int
}

// A ProjectSpec is what a lead gives to create a project.
type ProjectSpec struct {
	Key            string
	Title          string
	Protocol       string // KEY or KEY@VERSION
	ContentWarning string // empty: the protocol's own
	SupportURL     string
}

var keyPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Check returns d tidied of outer space, or Problems that say what to change.
func (s ProjectSpec) Check() (ProjectSpec, error) {
	s.Key, s.Title = strings.TrimSpace(s.Key), strings.TrimSpace(s.Title)
	s.ContentWarning, s.SupportURL = strings.TrimSpace(s.ContentWarning), strings.TrimSpace(s.SupportURL)
	var problems FormProblems
	problems.add("title", checkTitle(s.Title))
	problems.add("key", checkKey(s.Key))
	problems.add("content_warning", checkContentWarning(s.ContentWarning))
	problems.add("support_url", checkSupportURL(s.SupportURL))
	return s, problems.err()
}

func checkKey(key string) error {
	if !keyPattern.MatchString(key) || key == "new" {
		return fault.Invalid.Errorf("A project's key has 1 to 63 lower-case letters, digits and hyphens, begins with a letter or digit, and is not “new”; “%s” will not do.", key)
	}
	return nil
}

func checkTitle(title string) error {
	if n := utf8.RuneCountInString(title); n == 0 || n > 200 {
		return fault.Invalid.Errorf("Please give the project a title of 1 to 200 characters.")
	}
	return nil
}

func checkContentWarning(warning string) error {
	if utf8.RuneCountInString(warning) > 2000 {
		return fault.Invalid.Errorf("The content warning is longer than 2,000 characters. Please shorten it.")
	}
	return nil
}

// DefaultSupportURL is where annotators find somebody to talk to in a project with
// a content warning whose lead names no other place: a directory of helplines by
// country.
const DefaultSupportURL = "https://findahelpline.com/"

// WithDefaults returns d with what the protocol warns of, and with a support link
// where there is a warning.
func (s ProjectSpec) WithDefaults(p protocol.Protocol) ProjectSpec {
	s.ContentWarning = cmp.Or(s.ContentWarning, p.Plan.ContentWarning)
	if s.ContentWarning != "" {
		s.SupportURL = cmp.Or(s.SupportURL, DefaultSupportURL)
	}
	return s
}

func checkSupportURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(address) > 500 {
		return fault.Invalid.Errorf("The support link has to be a web address such as https://example.org/help; “%s” is not.", address)
	}
	return nil
}
