package project_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// problemFields returns where the problems of err are.
func problemFields(t *testing.T, err error) (names []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	if !errors.Is(err, fault.Invalid) || fault.Message(err) == fault.Internal.Text() {
		t.Errorf("not told: %v", err)
	}
	problems, ok := errors.AsType[project.FormProblems](err)
	if !ok {
		t.Fatalf("%v is not Problems", err)
	}
	for _, p := range problems {
		names = append(names, p.Field)
	}
	return names
}

func TestProjectSpec_Check_AllFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		draft project.ProjectSpec
		at    []string
	}{
		{"all is well", project.ProjectSpec{Key: " first-1 ", Title: " A title ", SupportURL: "https://example.org/help"}, nil},
		{"everything is wrong at once", project.ProjectSpec{Key: "Two words", ContentWarning: strings.Repeat("w", 2001), SupportURL: "javascript:alert(1)"},
			[]string{"title", "key", "content_warning", "support_url"}},
		{"the key would stand in the way of a page", project.ProjectSpec{Key: "new", Title: "T"}, []string{"key"}},
		{"the key is too long", project.ProjectSpec{Key: strings.Repeat("k", 64), Title: "T"}, []string{"key"}},
		{"the title is too long", project.ProjectSpec{Key: "k", Title: strings.Repeat("é", 201)}, []string{"title"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.draft.Check()
			if got := problemFields(t, err); !slices.Equal(got, tt.at) {
				t.Errorf("problems at %q, want %q", got, tt.at)
			}
		})
	}
}

func TestBatchSpec_Check_AllFields(t *testing.T) {
	t.Parallel()
	valid := project.BatchSpec{Name: "First", Annotators: []string{"a@example.org", " A@example.org ", "b@example.org"}, Overlap: 2, BreakEvery: 30, BreakMinutes: 5}
	normalized, err := valid.Check()
	if err != nil || len(normalized.Annotators) != 2 {
		t.Fatalf("%v, %v", normalized, err)
	}
	tests := []struct {
		name   string
		change func(*project.BatchSpec)
		at     []string
	}{
		{"no name", func(s *project.BatchSpec) { s.Name = " " }, []string{"name"}},
		{"a name that is a page", func(s *project.BatchSpec) { s.Name = "new" }, []string{"name"}},
		{"a name that is the way up", func(s *project.BatchSpec) { s.Name = ".." }, []string{"name"}},
		{"nobody", func(s *project.BatchSpec) { s.Annotators = nil }, []string{"annotators"}},
		{"more overlap than people", func(s *project.BatchSpec) { s.Overlap = 3 }, []string{"overlap"}},
		{"no overlap", func(s *project.BatchSpec) { s.Overlap = 0 }, []string{"overlap"}},
		{"fewer than no items", func(s *project.BatchSpec) { s.Items = -1 }, []string{"items"}},
		{"breaks without end", func(s *project.BatchSpec) { s.BreakEvery, s.BreakMinutes = -1, 121 }, []string{"break_every", "break_minutes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := valid
			tt.change(&s)
			_, err := s.Check()
			if got := problemFields(t, err); !slices.Equal(got, tt.at) {
				t.Errorf("problems at %q, want %q", got, tt.at)
			}
		})
	}
}
