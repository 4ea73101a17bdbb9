package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestOpenBatch_FewerCalibrationItems_NeedReason(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("calibrated", 20)
	env.addReferences(p, 4)
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, Seed: 1,
		CalibrationCount: project.UseDefault}
	if _, _, err := env.PreviewBatch(t.Context(), env.admin.ID, p, spec); err != nil {
		t.Errorf("the preview needs no reason: %v", err)
	}
	want := "The protocol asks for 10 calibration items, and this batch has 4. Add items with reference answers, or give a reason for fewer (in a command: --fewer-calibration). It is recorded in the audit log."
	for _, reason := range []string{"", " \n"} {
		spec.FewerCalibration = reason
		if _, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec); err == nil || err.Error() != want ||
			fault.KindOf(err) == "" {
			t.Errorf("reason %q: got %v", reason, err)
		}
	}
	spec.FewerCalibration = " They labeled the last batch. "
	if _, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec); err != nil {
		t.Fatal(err)
	}
	var required int
	var reason string
	err := env.pool.QueryRow(t.Context(), `
		SELECT (detail ->> 'calibration_required')::int, detail ->> 'fewer_calibration' FROM audit_log
		WHERE action = 'batch.open'`).Scan(&required, &reason)
	if err != nil || required != 10 || reason != "They labeled the last batch." {
		t.Errorf("logged %d, %q, %v", required, reason, err)
	}
}
