package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// TestDisagreementGroups_CountSharedItems compares the groups with counts of the items themselves: by observation that
// at least one annotator ticks, and by the cause of the decision.
func TestDisagreementGroups_CountSharedItems(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(28, 0))
	d := newDataBuilder(t, "empathy")
	tick, causes := d.Protocol.Observations[0].Key, []string{"", "unclear_guideline", "bad_data"}
	d.Adjudicated, d.AdjudicationCauses = map[project.ItemID]map[string]int{}, map[project.ItemID]string{}
	type count struct{ items, all, disagreed int }
	ticked, none, byCause := count{}, count{}, map[string]count{}
	for i := range 200 {
		id := d.addItem(func(item *study.ItemData) {
			if i%4 > 0 {
				item.RecordID = fmt.Sprint("r", i/4)
			}
		})
		ticks, values := []bool{r.IntN(4) == 0, r.IntN(4) == 0}, []int{1 + r.IntN(5), 1 + r.IntN(5)}
		if !ticks[0] && !ticks[1] && r.IntN(3) > 0 {
			values[1] = values[0]
		}
		labels := 2 - boolToInt(i%10 == 0) // some items have one label
		for n, name := range []string{"ada", "bo"}[:labels] {
			v := values[n]
			l := d.addLabel(id, name, study.Work, v, 3, 3, 3, 3)
			if ticks[n] {
				l.Observations = []string{tick}
			}
		}
		cause := causes[r.IntN(3)]
		if d.Adjudicated[id] = (map[string]int{}); cause != "" {
			d.AdjudicationCauses[id] = cause
		}
		if labels < 2 {
			continue
		}
		isDifferent := boolToInt(values[0] != values[1])
		if c := byCause[cause]; cause != "" {
			byCause[cause] = count{c.items + 1, 0, c.disagreed + isDifferent}
		}
		if ticks[0] || ticks[1] {
			ticked = count{ticked.items + 1, ticked.all + boolToInt(ticks[0] && ticks[1]), ticked.disagreed + isDifferent}
		} else {
			none = count{none.items + 1, 0, none.disagreed + isDifferent}
		}
	}
	got := d.build()
	check := func(g report.DisagreementGroup, want count) {
		t.Helper()
		if share := float64(want.disagreed) / float64(want.items); (count{g.Items, g.TickedByAll, g.Disagreed}) != want || *g.Value != share || *g.Low >= share || *g.High <= share {
			t.Errorf("%q: %+v, want %+v", g.Title, g, want)
		}
		if len(g.Fields) != 1 || g.Fields[0] != (report.FieldCount{Field: got.Fields[0].Key, Items: want.disagreed}) {
			t.Errorf("%q: fields %+v", g.Title, g.Fields)
		}
	}
	if len(got.DisagreementsByObservation) != 2 || len(got.DisagreementsByCause) != 2 {
		t.Fatalf("groups %+v and %+v", got.DisagreementsByObservation, got.DisagreementsByCause)
	}
	check(got.DisagreementsByObservation[0], none)
	check(got.DisagreementsByObservation[1], ticked)
	for _, g := range got.DisagreementsByCause {
		check(g, byCause[g.Key])
	}
	var text strings.Builder
	if err := got.WriteText(&text); err != nil || !strings.Contains(text.String(), report.ObservationTableTitle) || !strings.Contains(text.String(), "unclear guideline") {
		t.Errorf("%v in\n%s", err, text.String())
	}
}

// TestDisagreementGroups_Sentences_AreTrue checks that an observation is named if and only if its interval is above that
// of the items without any, and that the most frequent cause is.
func TestDisagreementGroups_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(29, 0))
	named, silent, tied := 0, 0, 0
	for range 300 {
		share := func(low, high float64) study.Number {
			middle := (low + high) / 2
			return study.Number{Value: &middle, Low: &low, High: &high}
		}
		at := r.Float64() * 0.8
		none := report.DisagreementGroup{Title: "None", Items: 40, Number: share(0.2, 0.4)}
		one := report.DisagreementGroup{Key: "rare", Title: "Rare case", Items: 5 + r.IntN(20), Number: share(at, at+0.2)}
		causes := []report.DisagreementGroup{{Key: "bad_data", Title: "bad data", Items: 3 + r.IntN(3), Fields: []report.FieldCount{{Field: "tone", Items: 2}}}, {Key: "ambiguous_item", Title: "ambiguous item", Items: 3}}
		result := report.Report{Fields: []report.FieldReport{{Key: "tone", Title: "Tone"}}, DisagreementsByObservation: []report.DisagreementGroup{none, one}, DisagreementsByCause: causes}
		want := at > 0.4 && one.Items >= 10
		if got := result.ObservationFinding(); (got != "") != want || want && !strings.Contains(got, fmt.Sprintf("“Rare case” (%s of %d items) than where no annotator ticks any (30%% of 40 items)", one.Percent(), one.Items)) {
			t.Fatalf("%q for %d items from %.2f", got, one.Items, at)
		}
		named, silent = named+boolToInt(want), silent+boolToInt(!want)
		isTied := causes[0].Items == 3
		tied += boolToInt(isTied)
		wantCause := fmt.Sprintf("Most frequent cause in adjudication: bad data, for %d of %d items with a cause, of which 2 differ on “Tone”.", causes[0].Items, causes[0].Items+3)
		if isTied {
			wantCause = "No cause is most frequent in adjudication: bad data and ambiguous item for 3 items each."
		}
		if got := result.CauseFinding(); got != wantCause {
			t.Fatalf("%q, want %q", got, wantCause)
		}
	}
	if named < 30 || silent < 30 || tied < 30 {
		t.Errorf("%d named, %d silent, %d tied", named, silent, tied)
	}
	if text := (report.Report{}).ObservationFinding() + (report.Report{}).CauseFinding(); text != "" {
		t.Errorf("without groups: %q", text)
	}
}
