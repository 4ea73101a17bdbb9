package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestContentWarning_Changed_ShownAgain(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(1, 2, project.BatchSpec{})
	checkWarning := func(when, want string) (version int) {
		t.Helper()
		got, err := env.RequiredReading(t.Context(), annotators[0].ID, b.ID)
		if err != nil || got.Text != want {
			t.Errorf("%s: warning = %q, %v; want %q", when, got.Text, err, want)
		}
		return got.Version
	}
	for _, text := range []string{"Sad texts.", "Sad and angry texts."} {
		if err := env.setWarning(p, text, "https://support.example/"); err != nil {
			t.Fatal(err)
		}
		version := checkWarning("changed", text)
		if err := env.AcknowledgeReading(t.Context(), annotators[0].ID, b.ID, project.ContentWarningDocument,
			version); err != nil {
			t.Fatal(err)
		}
		checkWarning("acknowledged", "")
	}
	env.execSQL(`UPDATE reading_acknowledgments SET day = day - 1`)
	checkWarning("next day", "Sad and angry texts.")
}

func (env testEnv) setWarning(p project.Project, text, supportURL string) error {
	env.t.Helper()
	s, err := env.SessionSettings(env.t.Context(), p.ID)
	if err != nil {
		env.t.Fatal(err)
	}
	s.ContentWarning, s.SupportURL = text, supportURL
	return env.UpdateSessionSettings(env.t.Context(), env.admin.ID, p, s)
}

func TestOpenBatch_ContentWarning_NeedsSupportLink(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("sensitive", 2)
	if err := env.setWarning(p, "Sad texts.", ""); err != nil {
		t.Fatal(err)
	}
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1}
	_, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec)
	checkErrorIs(t, "open without a support link", err, fault.Conflict)
	if err := env.setWarning(p, "Sad texts.", "https://support.example/"); err != nil {
		t.Fatal(err)
	}
	env.newBatch(p, spec)
	checkErrorIs(t, "remove the support link of an open batch", env.setWarning(p, "Sad texts.", ""), fault.Conflict)
	if err := env.setWarning(p, "", ""); err != nil {
		t.Errorf("remove the warning: %v", err)
	}
	checkErrorIs(t, "add a warning without a support link", env.setWarning(p, "Sad again.", ""), fault.Conflict)
}
