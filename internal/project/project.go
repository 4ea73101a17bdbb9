// Package project defines projects, their items and the batches in which items are
// assigned to annotators.
package project

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// An ID identifies a project.
type ID int64

// A Project holds items that are labeled under one version of a protocol at a time. It is read in one version: the
// current one, or an earlier one with what was labeled under it.
type Project struct {
	ID                    ID
	Key                   string // KEY@VERSION in an earlier version
	Title                 string
	CurrentVersion        int // of the protocol
	ProtocolVersionID     protocol.VersionID
	Protocol              protocol.Protocol // in the latest revision that a batch uses; without batches, the latest
	ContentWarning        string            // shown before any item; empty: none
	ContentWarningVersion int
	Instructions          string // Markdown, for annotators; empty: none
	InstructionsVersion   int
	SupportURL            string                         // help for annotators; empty: none
	TextFormats           map[string]protocol.TextFormat // of parts, where they differ from the protocol
	TieRule               stats.TieRule
	CitationPattern       CitationPattern
	ArchivedAt            *time.Time
	Items                 int
	Batches               int
	Version               int // counts changes of the project itself
}

// IsEarlier reports whether p is read in an earlier version of its protocol.
func (p Project) IsEarlier() bool { return p.Protocol.Version != p.CurrentVersion }

// CurrentKey returns the key of p without a version.
func (p Project) CurrentKey() string {
	key, _, _ := strings.Cut(p.Key, "@")
	return key
}

// KeyInVersion returns the key that reads p in a version, which is the current one or an earlier one.
func (p Project) KeyInVersion(version, current int) string {
	if version == current {
		return p.CurrentKey()
	}
	return fmt.Sprintf("%s@%d", p.CurrentKey(), version)
}

// A Spec is the input for creating a project.
type Spec struct {
	Key            string
	Title          string
	Protocol       string // KEY or KEY@VERSION
	Instructions   string // Markdown
	ContentWarning string // empty: the protocol's own
	SupportURL     string
	CopyFrom       string     // key of a project whose settings it gets; empty: the defaults
	LeadID         account.ID // of its lead; 0: who creates it
}

var keyPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Check returns s without surrounding spaces, or FormProblems.
func (s Spec) Check() (Spec, error) {
	s.Key, s.SupportURL = strings.TrimSpace(s.Key), strings.TrimSpace(s.SupportURL)
	var problems FormProblems
	problems.readInto(&s.Title, "title", readTitle)
	problems.add("key", checkKey(s.Key))
	problems.readInto(&s.Instructions, "instructions", readInstructions)
	problems.readInto(&s.ContentWarning, "content_warning", readContentWarning)
	problems.add("support_url", checkSupportURL(s.SupportURL))
	return s, problems.err()
}

func checkKey(key string) error {
	if !keyPattern.MatchString(key) || key == "new" {
		return fault.Invalid.Errorf("“%s” is not a valid key. Use 1 to 63 lowercase letters, digits and hyphens. Start with a letter or digit. “new” is reserved.", key)
	}
	return nil
}

func readTitle(title string) (string, error) {
	return plaintext.ReadLine(title, 1, MaxTitle, fault.Invalid.Errorf("Enter a title of 1 to 200 characters."))
}

// CheckTextFormats rejects formats of unknown parts, and unknown formats.
func (p Project) CheckTextFormats(formats map[string]protocol.TextFormat) error {
	var problems FormProblems
	for _, key := range slices.Sorted(maps.Keys(formats)) {
		isPart := slices.ContainsFunc(p.Protocol.Unit.Parts, func(part protocol.Part) bool { return part.Key == key })
		if !isPart {
			problems.add("format_"+key, fault.Invalid.Errorf(
				"“%s” is no part of this project's items. Choose one of %s.", key, p.partKeys()))
		} else if !slices.Contains(protocol.Formats, formats[key]) {
			problems.add("format_"+key, fault.Invalid.Errorf("“%s” is not a format. Choose text, markdown or code.",
				formats[key]))
		}
	}
	return problems.err()
}

func (p Project) partKeys() string {
	var keys []string
	for _, part := range p.Protocol.Unit.Parts {
		keys = append(keys, part.Key)
	}
	return strings.Join(keys, ", ")
}

func readContentWarning(warning string) (string, error) {
	return plaintext.ReadText(warning, 0, MaxContentWarning, fault.Invalid.Errorf(
		"The content warning is longer than 2,000 characters. Shorten it."))
}

// DefaultSupportURL is the support link of projects with a content warning and no link
// of their own: a directory of helplines by country.
const DefaultSupportURL = "https://findahelpline.com/"

// WithDefaults returns s with the protocol's content warning, and with a support link if
// there is a warning.
func (s Spec) WithDefaults(p protocol.Protocol) Spec {
	s.ContentWarning = cmp.Or(s.ContentWarning, p.Plan.ContentWarning)
	if s.ContentWarning != "" {
		s.SupportURL = cmp.Or(s.SupportURL, DefaultSupportURL)
	}
	return s
}

// WithSettingsOf returns s with the protocol and the texts of p where s has none.
func (s Spec) WithSettingsOf(p Project) Spec {
	s.Protocol = cmp.Or(s.Protocol, fmt.Sprintf("%s@%d", p.Protocol.Key, p.Protocol.Version))
	s.Instructions = cmp.Or(s.Instructions, p.Instructions)
	s.ContentWarning, s.SupportURL = cmp.Or(s.ContentWarning, p.ContentWarning), cmp.Or(s.SupportURL, p.SupportURL)
	return s
}

func checkSupportURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(address) > MaxSupportURL {
		return fault.Invalid.Errorf("“%s” is not a web address. Enter a support link such as https://example.org/help.",
			address)
	}
	return nil
}

// A Summary is how far a project is.
type Summary struct {
	Key         string
	Title       string
	Batches     int
	OpenBatches int
	LabelCounts // of its batches

	Agreement []KappaSoFar // in the batch with the most shared items; empty: none, or hidden
}

// State describes the summary in a few words.
func (s Summary) State(l *locale.Locale) string {
	switch {
	case s.Batches == 0:
		return l.T("no batch yet")
	case s.OpenBatches == 0:
		return l.T("closed")
	case s.Missing() == 0:
		return l.T("all labels done")
	case s.LabelsGiven == 0:
		return l.T("not started")
	}
	return l.T("labeling")
}
