package project_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/labelwright/labelwright/internal/project"
)

func free(string) bool { return false }

func TestProposeKey_Titles_AreReadable(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Empathy pilot":       "empathy-pilot",
		"Größe & Übung":       "grosse-ubung",
		"Ada's 2nd study":     "adas-2nd-study",
		"Łódź, Ærø, Ångström": "lodz-aero-angstrom",
		"Эмпатия: пилот 2":    "project-2",
		"情感回复评测":              "project",
		"new":                 "project-new",
		"🙂":                   "project",
		"":                    "project",
		"A very long title that goes on and on, for ever": "a-very-long-title-that-goes-on-and-on",
	} {
		if got := project.ProposeKey(title, free); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	taken := map[string]bool{"pilot": true, "pilot-2": true}
	if got := project.ProposeKey("Pilot", func(key string) bool { return taken[key] }); got != "pilot-3" {
		t.Errorf("taken: %q", got)
	}
}

func TestProposeKey_AnyTitle_IsValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		spec := project.Spec{Key: project.ProposeKey(title, free), Title: "T"}
		if _, err := spec.Check(); err != nil {
			t.Fatalf("%q: key %q: %v", title, spec.Key, err)
		}
	})
}
