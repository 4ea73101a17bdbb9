package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestContentWarning_Changed_Shown(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("warned", 2)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	s, err := env.SessionSettings(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.SupportURL = "https://support.example/"
	for _, text := range []string{"Sad texts.", "Sad and angry texts."} {
		s.ContentWarning = text
		if err := env.UpdateSessionSettings(t.Context(), env.admin.ID, p, s); err != nil {
			t.Fatal(err)
		}
		if got, err := env.ContentWarning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text != text {
			t.Errorf("the warning to read is %q, %v", got.Text, err)
		}
		if err := env.AcknowledgeBatchWarning(t.Context(), accounts[0].ID, b.ID); err != nil {
			t.Fatal(err)
		}
		if got, err := env.ContentWarning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text != "" {
			t.Errorf("what was read is shown again: %q, %v", got.Text, err)
		}
	}
	if _, err := env.pool.Exec(t.Context(), `UPDATE warnings_read SET day = day - 1`); err != nil {
		t.Fatal(err)
	}
	if got, err := env.ContentWarning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text == "" {
		t.Errorf("the next day nothing is to read: %v", err)
	}
}

func TestOpenBatch_SensitiveProject_NeedsSupportLink(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("sensitive", 2)
	s, err := env.SessionSettings(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	setWarning := func(warning, support string) error {
		s.ContentWarning, s.SupportURL = warning, support
		return env.UpdateSessionSettings(t.Context(), env.admin.ID, p, s)
	}
	if err := setWarning("Sad texts.", ""); err != nil {
		t.Fatal(err)
	}
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1}
	if _, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec); !errors.Is(err, fault.Conflict) {
		t.Errorf("a batch is opened without a support link: %v", err)
	}
	if err := setWarning("Sad texts.", "https://support.example/"); err != nil {
		t.Fatal(err)
	}
	env.newBatch(p, spec)
	if err := setWarning("Sad texts.", ""); !errors.Is(err, fault.Invalid) {
		t.Errorf("the support link goes while a batch is open: %v", err)
	}
	if err := setWarning("", ""); err != nil {
		t.Errorf("without a warning: %v", err)
	}
	if err := setWarning("Sad again.", ""); !errors.Is(err, fault.Invalid) {
		t.Errorf("a warning comes without a support link while a batch is open: %v", err)
	}
}
