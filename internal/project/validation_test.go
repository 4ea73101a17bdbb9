package project_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func problemFields(t *testing.T, err error) (names []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	if !errors.Is(err, fault.Invalid) || fault.Message(err) == fault.Internal.Text() {
		t.Errorf("not an invalid fault with a message: %v", err)
	}
	problems, ok := errors.AsType[project.FormProblems](err)
	if !ok {
		t.Fatalf("got %v, want FormProblems", err)
	}
	for _, p := range problems {
		names = append(names, p.Field)
	}
	return names
}

func TestSpec_Check_AllFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		spec       project.Spec
		wantFields []string
	}{
		{"valid", project.Spec{Key: " first-1 ", Title: " A title ", SupportURL: "https://example.org/help"}, nil},
		{"all fields invalid", project.Spec{Key: "Two words", ContentWarning: strings.Repeat("w", 2001),
			SupportURL: "javascript:alert(1)"},
			[]string{"title", "key", "content_warning", "support_url"}},
		{"reserved key", project.Spec{Key: "new", Title: "T"}, []string{"key"}},
		{"key too long", project.Spec{Key: strings.Repeat("k", 64), Title: "T"}, []string{"key"}},
		{"control character in the title", project.Spec{Key: "k", Title: "T\x1b[2J"}, []string{"title"}},
		{"line break in the title", project.Spec{Key: "k", Title: "one\ntwo"}, []string{"title"}},
		{"reversed title", project.Spec{Key: "k", Title: "one\u202eowt"}, []string{"title"}},
		{"title too long", project.Spec{Key: "k", Title: strings.Repeat("é", 201)}, []string{"title"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.spec.Check()
			if got := problemFields(t, err); !slices.Equal(got, tt.wantFields) {
				t.Errorf("got problems at %q, want %q", got, tt.wantFields)
			}
		})
	}
}

func TestBatchSpec_Check_AllFields(t *testing.T) {
	t.Parallel()
	valid := project.BatchSpec{Name: "First", Annotators: []string{"a@example.org", " A@example.org ", "b@example.org"},
		Overlap: 2, BreakEvery: 30, BreakMinutes: 5}
	normalized, err := valid.Check()
	if err != nil || len(normalized.Annotators) != 2 {
		t.Fatalf("%v, %v", normalized, err)
	}
	tests := []struct {
		name       string
		change     func(*project.BatchSpec)
		wantFields []string
	}{
		{"no name", func(s *project.BatchSpec) { s.Name = " " }, []string{"name"}},
		{"reserved name", func(s *project.BatchSpec) { s.Name = "new" }, []string{"name"}},
		{"dots as name", func(s *project.BatchSpec) { s.Name = ".." }, []string{"name"}},
		{"control character in the name", func(s *project.BatchSpec) { s.Name = "a\x00b" }, []string{"name"}},
		{"not UTF-8", func(s *project.BatchSpec) { s.Name = "a\xffb" }, []string{"name"}},
		{"no annotators", func(s *project.BatchSpec) { s.Annotators = nil }, []string{"annotators"}},
		{"no overlap", func(s *project.BatchSpec) { s.Overlap = 0 }, []string{"overlap"}},
		{"too much overlap", func(s *project.BatchSpec) { s.Overlap = 101 }, []string{"overlap"}},
		{"negative sample", func(s *project.BatchSpec) { s.Sample.Count = -1 }, []string{"sample"}},
		{"sample above 100%", func(s *project.BatchSpec) { s.Sample.Percent = 101 }, []string{"sample"}},
		{"overlap sample above annotators",
			func(s *project.BatchSpec) { s.OverlapSample = project.OverlapSample{Percent: 20, Labels: 3} },
			[]string{"overlap_sample"}},
		{"share of another address", func(s *project.BatchSpec) { s.Shares = map[string]float64{"c@example.org": 2} },
			[]string{"shares"}},
		{"no share", func(s *project.BatchSpec) { s.Shares = map[string]float64{"b@example.org": 0} },
			[]string{"shares"}},
		{"shares of a pool", func(s *project.BatchSpec) {
			s.Assignment, s.Shares = project.Pool, map[string]float64{"b@example.org": 2}
		}, []string{"shares"}},
		{"unknown assignment", func(s *project.BatchSpec) { s.Assignment = "raffle" }, []string{"assign"}},
		{"invalid breaks", func(s *project.BatchSpec) { s.BreakEvery, s.BreakMinutes = -1, 121 },
			[]string{"break_every", "break_minutes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := valid
			tt.change(&s)
			_, err := s.Check()
			if got := problemFields(t, err); !slices.Equal(got, tt.wantFields) {
				t.Errorf("got problems at %q, want %q", got, tt.wantFields)
			}
		})
	}
}

func TestSessionSettings_Check_AllFields(t *testing.T) {
	t.Parallel()
	valid := project.SessionSettings{BreakAfterMinutes: 480, DailyItemLimit: 10_000, SessionLimitMinutes: 720,
		ReleaseAfterMinutes: 86_400}
	if err := valid.Check(); err != nil {
		t.Error(err)
	}
	err := project.SessionSettings{BreakAfterMinutes: 481, DailyItemLimit: 10_001, SessionLimitMinutes: -1,
		ReleaseAfterMinutes: 86_401}.Check()
	if got, want := problemFields(t, err), []string{"break_after_minutes", "daily_item_limit", "session_limit_minutes",
		"release_after_minutes"}; !slices.Equal(got, want) {
		t.Errorf("got problems at %q, want %q", got, want)
	}
	if want := "Enter a daily limit of 0 to 10,000 items. 0 means no limit."; !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestProject_CheckSupportLink_RequiredByWarning(t *testing.T) {
	t.Parallel()
	warned := project.Project{Key: "k", ContentWarning: "Grief."}
	if err := warned.CheckSupportLink(); !errors.Is(err, fault.Conflict) {
		t.Errorf("warning without link: %v", err)
	}
	for _, p := range []project.Project{{}, {ContentWarning: "Grief.", SupportURL: "https://example.org"},
		{ContentWarning: " "}} {
		if err := p.CheckSupportLink(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
