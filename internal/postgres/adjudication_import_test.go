package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
)

func TestImportDecisions_AllOrNone(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("file")
	scope, err := env.AdjudicationScope(t.Context(), p)
	if err != nil || len(scope.Items) != 3 || len(scope.Items["item-1"].Values) != 2 || scope.Adjudicators["admin@example.org"].ID != env.admin.ID {
		t.Fatalf("%+v, %v", scope, err)
	}
	first := importer.AdjudicationRow{ItemID: scope.Items["item-1"].ItemID, AccountID: env.admin.ID, Decision: helpfulDecision}
	second := importer.AdjudicationRow{ItemID: scope.Items["item-2"].ItemID, Decision: unhelpfulDecision} // against all, and no reason
	if _, err := env.ImportAdjudications(t.Context(), p, "d.csv", []importer.AdjudicationRow{first, second}); !errors.Is(err, fault.Conflict) {
		t.Errorf("one that may not be stored: %v", err)
	}
	if n := env.queryInt(`SELECT count(*) FROM adjudications`); n != 0 {
		t.Errorf("%d decisions are stored", n)
	}
	second.Cause, second.Reason = labeling.AnnotatorMistake, "It repeats the question."
	for want := range 2 {
		first.Reason = "By the second guide."
		replaced, err := env.ImportAdjudications(t.Context(), p, "d.csv", []importer.AdjudicationRow{first, second})
		if err != nil || replaced != 2*want {
			t.Errorf("%d anew, want %d: %v", replaced, 2*want, err)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM adjudications WHERE account_id IS NULL`); n != 2 {
		t.Errorf("%d decisions name nobody, want 2", n)
	}
}
