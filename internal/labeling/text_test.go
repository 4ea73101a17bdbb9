package labeling_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// Whatever a member enters, the same characters are blank, count once and are refused, on pages, by the API and by
// commands.
func TestText_EveryEntry_SameRule(t *testing.T) {
	t.Parallel()
	spec := func(change func(*project.Spec, string), read func(project.Spec) string) func(string) (string, error) {
		return func(text string) (string, error) {
			s := project.Spec{Key: "k", Title: "T", Protocol: "empathy"}
			change(&s, text)
			s, err := s.Check()
			return read(s), err
		}
	}
	asError := func(problems protocol.Problems) error {
		if len(problems) == 0 {
			return nil
		}
		return fault.Invalid.WithText(problems[0].Message)
	}
	for name, entry := range map[string]struct {
		limit  int
		isLine bool
		read   func(string) (string, error)
	}{
		"account name": {account.MaxName, true, account.CheckName},
		"token name": {100, true, func(text string) (string, error) {
			token, err := account.NewAPIToken{Name: text, Days: 1, Scopes: []account.Scope{account.ScopeRead}}.Check(
				account.Lead)
			return token.Name, err
		}},
		"title": {project.MaxTitle, true, spec(func(s *project.Spec, text string) { s.Title = text },
			func(s project.Spec) string { return s.Title })},
		"instructions": {20_000, false, spec(func(s *project.Spec, text string) { s.Instructions = text },
			func(s project.Spec) string { return s.Instructions })},
		"content warning": {project.MaxContentWarning, false, spec(func(s *project.Spec, text string) {
			s.ContentWarning = text
		}, func(s project.Spec) string { return s.ContentWarning })},
		"reason": {project.MaxReason, true, project.CheckReason},
		"comment on calibration": {2000, false, func(text string) (string, error) {
			c, err := labeling.Comment(text).Check()
			return string(c), err
		}},
		"comment on a skip": {1000, false, func(text string) (string, error) {
			s, err := labeling.Skip{Reason: labeling.Unclear, Comment: text}.Check()
			return s.Comment, err
		}},
		"reason of a decision": {1000, false, func(text string) (string, error) {
			d, problems := labeling.Decision{Reason: text}.Check(protocol.Protocol{}, labeling.Adjudicable{})
			return d.Reason, asError(problems)
		}},
		"reason of a reference": {1000, false, func(text string) (string, error) {
			r, problems := labeling.Reference{Reasons: map[string]string{protocol.NoteKey: text}}.Check(
				protocol.Protocol{}, nil)
			return r.Reasons[protocol.NoteKey], asError(problems)
		}},
		"reason of fewer calibration items": {project.MaxReason, true, func(text string) (string, error) {
			s, err := project.BatchSpec{Name: "b", Annotators: []string{"a@example.org"}, Overlap: 1,
				FewerCalibration: text}.Check()
			return s.FewerCalibration, err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, blank := range []string{" ", "\u00a0", "\u200b", "\ufeff\u3000"} {
				if text, err := entry.read(blank + "α und 日本" + blank); err != nil || text != "α und 日本" {
					t.Errorf("%q around a text: %q, %v", blank, text, err)
				}
				if text, _ := entry.read(blank); text != "" {
					t.Errorf("%q is not blank, but %q", blank, text)
				}
			}
			if _, err := entry.read(strings.Repeat("α", entry.limit)); err != nil {
				t.Errorf("%d characters: %v", entry.limit, err)
			}
			for _, invalid := range []string{strings.Repeat("α", entry.limit+1), "a\x00b", "a\xffb", "a\xed\xa0\x80b",
				"a\u202eb", "a\u2066b", "a\x1bb", "a\u2028b"} {
				if _, err := entry.read(invalid); err == nil {
					t.Errorf("%.20q is accepted", invalid)
				}
			}
			text, err := entry.read("one\r\n\ttwo")
			if (err != nil) != entry.isLine || err == nil && text != "one\n\ttwo" {
				t.Errorf("two lines: %q, %v", text, err)
			}
		})
	}
}
