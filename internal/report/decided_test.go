package report_test

import (
	"reflect"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestAnAnnotatorStandsBesideWhatLeadsSettled(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "rag-retrieval")
	d.Gold = map[int64]map[string]int{}
	for i := range 14 { // ada says yes twelve times, of which leads confirm eight; bo has seen nine of them
		id := d.item(nil)
		d.label(id, "ada", report.Work, 1, 0, 0)
		if i < 9 {
			d.label(id, "bo", report.Work, 0, 0, 0)
		}
		if i < 12 {
			d.Gold[id] = map[string]int{"topically_relevant": at(i < 8), "evidence_sufficient": 0, "misleading": 0}
		}
	}
	r := d.report()
	ada, _ := r.Annotator("ada")
	got := ada.Fields[0].Decided
	if got.Items != 12 || !reflect.DeepEqual(got.Confusion, [][]int{{0, 4}, {0, 8}}) || got.Equal.Low == nil {
		t.Errorf("ada's is %+v", got)
	}
	near(t, "ada's equal answers", got.Equal.Value, 8.0/12)
	bo, _ := r.Annotator("bo")
	if few := bo.Fields[0].Decided; few.Items != 9 || few.Confusion != nil || few.Equal.Value != nil || few.Equal.Undefined != "too few adjudicated items" {
		t.Errorf("bo's, of too few, is %+v", few)
	}
}
