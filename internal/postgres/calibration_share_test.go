package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// Calibration answers are shared after the last annotator finished, if the lead allows it, and
// with annotators of the batch only.
func TestSharedCalibrationAnswers_AllFinished_LeadAllows(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	p, b, annotators := env.newCalibrationBatch()
	env.execSQL(`INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT r.project_id, ba.account_id, r.document, r.version
		FROM batch_annotators ba JOIN required_reading r ON r.batch_id = ba.batch_id ON CONFLICT DO NOTHING`)
	count := func(a account.Account) int {
		t.Helper()
		shared, err := env.SharedCalibrationAnswers(ctx, a.ID, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		return len(shared)
	}
	share := func(isAllowed bool) {
		t.Helper()
		s, err := env.SessionSettings(ctx, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		s.ShareCalibrationScores = isAllowed
		if err := env.UpdateSessionSettings(ctx, env.admin.ID, p, s); err != nil {
			t.Fatal(err)
		}
	}
	share(true)
	env.submitCalibration(annotators[0], helpfulSubmission)
	env.submitCalibration(annotators[1], unhelpfulSubmission)
	if n := count(annotators[0]); n != 0 {
		t.Errorf("%d answers are shared before the last annotator finished", n)
	}
	env.submitCalibration(annotators[2], helpfulSubmission)
	shared, err := env.SharedCalibrationAnswers(ctx, annotators[0].ID, b.ID)
	if err != nil || len(shared) != 8 {
		t.Fatalf("%d answers, %v; want those of two others to 4 items", len(shared), err)
	}
	if a := shared[0]; a.Pseudonym == "" || a.Pseudonym == annotators[1].Name || len(a.Values) != 5 ||
		shared[1].ItemID != a.ItemID {
		t.Errorf("shared %+v", a)
	}
	if n := count(env.newUser("other@example.org", account.Annotator)); n != 0 {
		t.Errorf("%d answers for an account outside the batch", n)
	}
	if err := env.RequestRetake(ctx, env.admin.ID, p, b, annotators[1].ID); err == nil {
		if n := count(annotators[0]); n != 0 {
			t.Errorf("%d answers during a retake", n)
		}
	}
	share(false)
	if n := count(annotators[0]); n != 0 {
		t.Errorf("%d answers although the lead does not allow it", n)
	}
}
