package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
)

func TestImportAdjudications_AllOrNone(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	scope, err := env.AdjudicationScope(t.Context(), p)
	if err != nil || len(scope.Items) != 3 || len(scope.Items["item-1"].Values) != 2 ||
		scope.Adjudicators["admin@example.org"].ID != env.admin.ID {
		t.Fatalf("scope = %+v, %v", scope, err)
	}
	rows := []importer.AdjudicationRow{
		{ItemID: scope.Items["item-1"].ItemID, AccountID: env.admin.ID, Decision: helpfulDecision},
		// overrules all annotators without a reason
		{ItemID: scope.Items["item-2"].ItemID, Decision: unhelpfulDecision},
	}
	_, err = env.ImportAdjudications(t.Context(), 0, p, "d.csv", rows)
	checkErrorIs(t, "reason missing", err, fault.Conflict)
	env.checkCount(0, `adjudications`)
	rows[0].Reason = "By the second guide."
	rows[1].Cause, rows[1].Reason = labeling.AnnotatorMistake, "It repeats the question."
	for _, want := range []int{0, 2} {
		revised, err := env.ImportAdjudications(t.Context(), 0, p, "d.csv", rows)
		if err != nil || revised != want {
			t.Errorf("%d revised, %v; want %d", revised, err, want)
		}
	}
	env.checkCount(2, `adjudications WHERE account_id IS NULL`)
}
