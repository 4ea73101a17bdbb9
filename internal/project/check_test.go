package project_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// fields returns where the problems of err are.
func fields(t *testing.T, err error) (at []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	if !errors.Is(err, fault.Invalid) || fault.Message(err) == fault.Ours {
		t.Errorf("not told: %v", err)
	}
	problems, ok := errors.AsType[project.Problems](err)
	if !ok {
		t.Fatalf("%v is not Problems", err)
	}
	for _, p := range problems {
		at = append(at, p.Field)
	}
	return at
}

func TestADraftIsToldEveryProblemAtItsField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		draft project.Draft
		at    []string
	}{
		{"all is well", project.Draft{Key: " first-1 ", Title: " A title ", SupportURL: "https://example.org/help"}, nil},
		{"everything is wrong at once", project.Draft{Key: "Two words", Warning: strings.Repeat("w", 2001), SupportURL: "javascript:alert(1)"},
			[]string{"title", "key", "warning", "support_url"}},
		{"the key would stand in the way of a page", project.Draft{Key: "new", Title: "T"}, []string{"key"}},
		{"the key is too long", project.Draft{Key: strings.Repeat("k", 64), Title: "T"}, []string{"key"}},
		{"the title is too long", project.Draft{Key: "k", Title: strings.Repeat("é", 201)}, []string{"title"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.draft.Check()
			if at := fields(t, err); !slices.Equal(at, tt.at) {
				t.Errorf("problems at %q, want %q", at, tt.at)
			}
		})
	}
}

func TestAHandoutIsToldEveryProblemAtItsField(t *testing.T) {
	t.Parallel()
	good := project.Handout{Name: "First", Annotators: []string{"a@example.org", " A@example.org ", "b@example.org"}, Overlap: 2, BreakEvery: 30, BreakMinutes: 5}
	tidied, err := good.Check()
	if err != nil || len(tidied.Annotators) != 2 {
		t.Fatalf("%v, %v", tidied, err)
	}
	tests := []struct {
		name   string
		change func(*project.Handout)
		at     []string
	}{
		{"no name", func(h *project.Handout) { h.Name = " " }, []string{"name"}},
		{"a name that is a page", func(h *project.Handout) { h.Name = "new" }, []string{"name"}},
		{"a name that is the way up", func(h *project.Handout) { h.Name = ".." }, []string{"name"}},
		{"nobody", func(h *project.Handout) { h.Annotators = nil }, []string{"annotators"}},
		{"more overlap than people", func(h *project.Handout) { h.Overlap = 3 }, []string{"overlap"}},
		{"no overlap", func(h *project.Handout) { h.Overlap = 0 }, []string{"overlap"}},
		{"fewer than no items", func(h *project.Handout) { h.Items = -1 }, []string{"items"}},
		{"breaks without end", func(h *project.Handout) { h.BreakEvery, h.BreakMinutes = -1, 121 }, []string{"break_every", "break_minutes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := good
			tt.change(&h)
			_, err := h.Check()
			if at := fields(t, err); !slices.Equal(at, tt.at) {
				t.Errorf("problems at %q, want %q", at, tt.at)
			}
		})
	}
}
