package report_test

import (
	"reflect"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
)

func TestAnnotator_Adjudicated_Compared(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-retrieval")
	d.Adjudicated = map[project.ItemID]map[string]int{}
	for i := range 14 { // 12 of ada's answers are adjudicated, 8 are confirmed; bo labeled 9 of these items
		id := d.addItem(nil)
		d.addLabel(id, "ada", study.Work, 1, 0, 0)
		if i < 9 {
			d.addLabel(id, "bo", study.Work, 0, 0, 0)
		}
		if i < 12 {
			d.Adjudicated[id] = map[string]int{"topically_relevant": boolToInt(i < 8), "evidence_sufficient": 0,
				"misleading": 0}
		}
	}
	r := d.build()
	ada, _ := r.Annotator("ada")
	got := ada.Fields[0].AdjudicationComparison
	if got.Items != 12 || !reflect.DeepEqual(got.Confusion, [][]int{{0, 4}, {0, 8}}) ||
		got.PercentAgreement.Low == nil {
		t.Errorf("ada: %+v", got)
	}
	checkNear(t, "percent agreement", got.PercentAgreement.Value, 8.0/12)
	bo, _ := r.Annotator("bo")
	if few := bo.Fields[0].AdjudicationComparison; few.Items != 9 || few.Confusion != nil ||
		few.PercentAgreement.Value != nil || few.PercentAgreement.Reason != study.FewAdjudicatedItems {
		t.Errorf("bo, with too few items: %+v", few)
	}
}
