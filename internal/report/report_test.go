package report_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

func builtin(t testing.TB, key string) protocol.Protocol {
	t.Helper()
	for _, p := range protocol.Builtin() {
		if p.Key == key {
			return p
		}
	}
	t.Fatalf("there is no protocol %s", key)
	return protocol.Protocol{}
}

// A deck is the data of a report being laid out.
type deck struct {
	t testing.TB
	report.Data
}

func newDeck(t testing.TB, key string) *deck {
	return &deck{t, report.Data{Project: "pilot", Protocol: builtin(t, key)}}
}

// item adds an item and returns its id.
func (d *deck) item(change func(*report.Item)) int64 {
	id := int64(len(d.Items) + 1)
	item := report.Item{ID: id, Source: fmt.Sprintf("i%03d", id), Length: 100, Facts: protocol.Facts{"multi_turn": true}}
	if change != nil {
		change(&item)
	}
	d.Items = append(d.Items, item)
	return id
}

// label adds a label whose values stand in the order of the fields; −1: absent.
func (d *deck) label(item int64, who string, kind report.Kind, values ...int) *report.Label {
	l := report.Label{ID: int64(len(d.Labels) + 1), ItemID: item, Annotator: who, Kind: kind, Values: map[string]int{},
		ActiveMS: 60_000, Submitted: time.Unix(1_790_000_000+int64(len(d.Labels))*60, 0).UTC()}
	for i, v := range values {
		if v >= 0 {
			l.Values[d.Protocol.Fields[i].Key] = v
		}
	}
	d.Labels = append(d.Labels, l)
	return &d.Labels[len(d.Labels)-1]
}

func (d *deck) report() report.Report {
	d.t.Helper()
	return d.reportBy("")
}

func (d *deck) reportBy(column string) report.Report {
	d.t.Helper()
	r, err := report.Make(d.Data, report.Options{Resamples: 200, Seed: 1, By: column})
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *deck) field(r report.Report, key string) report.Field {
	d.t.Helper()
	f, ok := r.Field(key)
	if !ok {
		d.t.Fatalf("there is no field %s", key)
	}
	return f
}

func near(t testing.TB, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, deref(got), want)
	}
}

func deref(v *float64) any {
	if v == nil {
		return "missing"
	}
	return *v
}

// two lays out n items that ada and bo answer alike, but for the last differ of
// them, which bo puts one point higher.
func two(d *deck, n, differ int) {
	for i := range n {
		a := 1 + i%4
		b := a
		if i >= n-differ {
			b++
		}
		id := d.item(nil)
		d.label(id, "ada", report.Work, a, 3, 3, 3, 3)
		d.label(id, "bo", report.Work, b, 3, 3, 3, 3)
	}
}

func TestAgreementStandsWithItsVerdict(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 40, 4)
	emotion := d.field(d.report(), "emotion")
	near(t, "percent agreement", emotion.Get("percent_agreement", "").Value, 0.9)
	if v := emotion.Verdict; v.Word != stats.Go || !v.Sure || !strings.Contains(v.Says, "κ is 0.9") || !strings.HasPrefix(v.Enough, "Enough overlap") {
		t.Errorf("the verdict is %+v", v)
	}
}

func TestAFieldWithoutVariationHasAReasonAndNoNumber(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 40, 4)
	safety := d.field(d.report(), "safety")
	if v := safety.Verdict; v.Word != report.NoVariation || !strings.Contains(v.Says, "every answer is 3") {
		t.Errorf("the verdict is %+v", v)
	}
	if κ := safety.Get("cohen_kappa", "linear"); κ.Value != nil || κ.Text() != "–" {
		t.Errorf("κ is %v", κ)
	}
}

func TestTooLittleOverlapHasNoVerdict(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 9, 1)
	if v := d.field(d.report(), "emotion").Verdict; v.Word != stats.NotEnough || !strings.Contains(v.Says, "9 items were judged") {
		t.Errorf("the verdict is %+v", v)
	}
}

func TestNothingLabelledYetIsSaid(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	d.item(nil)
	r := d.report()
	if v := d.field(r, "emotion").Verdict; v.Word != stats.NotEnough || len(r.Annotators) != 0 || r.By != nil {
		t.Errorf("the report is %+v", r)
	}
}

func TestDuplicatesCalibrationAndModelsStandApart(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 40, 4)
	plain := d.report()
	for i := range int64(10) {
		d.label(i+1, "ada", report.Duplicate, 5, 1, 1, 1, 1)
		d.label(i+1, "ada", report.Calibration, 5, 1, 1, 1, 1)
		d.Models = append(d.Models, report.Judgement{ItemID: i + 1, Model: "judge", Values: map[string]int{"emotion": 5}})
	}
	mixed := d.report()
	if !reflect.DeepEqual(plain.Fields, mixed.Fields) || !reflect.DeepEqual(plain.Consensus, mixed.Consensus) {
		t.Error("they changed agreement or consensus")
	}
	if c := mixed.Counts; c.Work != 80 || c.Duplicates != 10 || c.Calibration != 10 || c.Models != 10 {
		t.Errorf("the counts are %+v", c)
	}
}

func TestSelfConsistencyComesFromDuplicates(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 40, 4)
	for i := range int64(8) {
		d.label(i+1, "ada", report.Duplicate, 1+int(i)%4+at(i == 0)+3*at(i == 4), 3, 3, 3, 3)
	}
	a, _ := d.report().Annotator("ada")
	if len(a.Self) != 5 || a.Self[0].N != 8 {
		t.Fatalf("self-consistency is %+v", a.Self)
	}
	near(t, "exact", a.Self[0].Exact.Value, 6.0/8)
	near(t, "within one point", a.Self[0].Within.Value, 7.0/8)
	if b, _ := d.report().Annotator("bo"); len(b.Self) != 0 {
		t.Error("bo was shown nothing twice")
	}
}

func at(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func TestConsensusSaysHowItCameAboutAndTiesAreTies(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for _, answers := range [][]int{{3, 3, 3}, {2, 2, 5}, {1, 3, 5}, {2, 4}, {4}} {
		id := d.item(nil)
		for i, v := range answers {
			d.label(id, string(rune('a'+i)), report.Work, v, 3, 3, 3, 3)
		}
	}
	r := d.report()
	var hows []string
	for _, c := range r.Consensus {
		if c.Field == "emotion" {
			hows = append(hows, string(c.How))
		}
	}
	if want := []string{"unanimous", "majority", "median", "tied", "single"}; !slices.Equal(hows, want) {
		t.Errorf("settled as %v, want %v", hows, want)
	}
	if tied := r.Consensus[3]; tied.Value != nil || !slices.Equal(tied.Between, []int{2, 4}) {
		t.Errorf("the tie is %+v", tied)
	}
	worst := r.Disagreements[0]
	if worst.Item != "i003" || worst.Widest != 4 || len(worst.Answers) != 3 {
		t.Errorf("the worst disagreement is %+v", worst)
	}
}

func TestWhatALeadSettledStandsBeforeConsensus(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	id := d.item(nil)
	d.label(id, "a", report.Work, 2, 3, 3, 3, 3)
	d.label(id, "b", report.Work, 4, 3, 3, 3, 3)
	d.Gold = map[int64]map[string]int{id: {"emotion": 4}}
	if c := d.report().Consensus[0]; c.How != report.Adjudicated || c.Value == nil || *c.Value != 4 {
		t.Errorf("the item is settled as %+v", c)
	}
}

func TestConditionsAreComparedWithinWhatTheyShare(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for i := range 30 {
		for c, condition := range []string{"baseline", "constrained"} {
			id := d.item(func(item *report.Item) {
				item.Meta = map[string]string{"condition": condition, "note": fmt.Sprint(i)}
				item.Same = fmt.Sprintf("statement %d", i)
			})
			level := 1 + i%4 + c // one point up, whatever the statement
			d.label(id, "ada", report.Work, level, 3, 3, 3, 3)
			d.label(id, "bo", report.Work, level, 3, 3, 3, 3)
		}
	}
	r := d.report()
	if !slices.Equal(r.Columns, []string{"condition"}) || r.By == nil || len(r.By.Groups) != 2 {
		t.Fatalf("columns %v, by %+v", r.Columns, r.By)
	}
	second := r.By.Groups[1].Fields[0]
	near(t, "the difference", second.Difference.Value, 1)
	if second.Difference.Paired != 60 || second.Difference.Low != nil && *second.Difference.Low < 0.99 {
		t.Errorf("the difference is %+v, want it within pairs", second.Difference)
	}
	if _, err := report.Make(d.Data, report.Options{By: "note"}); err == nil || !strings.Contains(err.Error(), "condition") {
		t.Errorf("a column of thirty values: %v", err)
	}
}

func TestAgreementIsFollowedOverTime(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 60, 15)
	w := d.field(d.report(), "emotion").Time
	if len(w) != 4 {
		t.Fatalf("%d windows, want 4", len(w))
	}
	near(t, "κ at first", w[0].Kappa.Value, 1)
	if *w[3].Kappa.Value > 0.6 || !w[0].To.Before(w[3].From) {
		t.Errorf("the last window is %+v", w[3])
	}
}

func TestEverybodyIsComparedWithTheOthers(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	for i := range 40 {
		id, v := d.item(nil), 1+i%4
		for _, who := range []string{"ada", "bo", "cy"} {
			given := v
			if who == "cy" {
				given = 5 - v
			}
			d.label(id, who, report.Work, given, 3, 3, 3, 3)
		}
	}
	r := d.report()
	if len(r.Annotators) != 3 || len(d.field(r, "emotion").Pairs) != 3 {
		t.Fatalf("%d annotators", len(r.Annotators))
	}
	ada, _ := r.Annotator("ada")
	cy, _ := r.Annotator("cy")
	if *cy.Fields[0].Kappa.Value >= 0 || *ada.Fields[0].Kappa.Value <= *cy.Fields[0].Kappa.Value || ada.Fields[0].Kappa.Items != 40 {
		t.Errorf("ada %v, cy %v", deref(ada.Fields[0].Kappa.Value), deref(cy.Fields[0].Kappa.Value))
	}
	if len(ada.Habits) != 10 || ada.Pace != 60 || ada.Fields[0].Count[0] != 10 {
		t.Errorf("ada is %+v", ada)
	}
}

func TestTheReportIsTheSameForTheSameSeedAndSafeAsJSON(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		d := newDeck(t, p.Key)
		for i := range 24 {
			id := d.item(func(item *report.Item) {
				item.Record, item.Rank = fmt.Sprint(i/3), i%3+1
				item.Meta = map[string]string{"system": fmt.Sprint(i % 2)}
			})
			for a, who := range []string{"ada", "bo"} {
				var values []int
				for f, field := range p.Fields {
					values = append(values, field.Scale[(i+f*a)%len(field.Scale)].Value)
				}
				d.label(id, who, report.Work, values...)
			}
		}
		first, err := json.Marshal(d.report())
		again, _ := json.Marshal(d.report())
		if err != nil || string(first) != string(again) {
			t.Errorf("%s: %v, or the same seed gives another report", p.Key, err)
		}
	}
}

func TestAFieldOfTheSimulatedStudyIsAsPublished(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "agreement", "gk_simulated_2raters.csv"))
	if err != nil {
		t.Skip("the published data sets are not here")
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d, ids, labels := newDeck(t, "empathy"), map[string]int64{}, map[string]int{}
	for _, row := range rows[1:] {
		if ids[row[0]] == 0 {
			ids[row[0]] = d.item(nil)
		}
		key := row[0] + row[1]
		if _, seen := labels[key]; !seen {
			labels[key] = len(d.Labels)
			d.label(ids[row[0]], row[1], report.Work)
		}
		d.Labels[labels[key]].Values[row[2]], _ = strconv.Atoi(row[3])
	}
	emotion := d.field(d.report(), "emotion")
	for variant, want := range map[string]float64{"unweighted": 0.1042, "linear": 0.1858, "quadratic": 0.2822} {
		if κ := emotion.Get("cohen_kappa", variant); κ.Value == nil || math.Abs(*κ.Value-want) > 1e-4 {
			t.Errorf("κ %s is %s, want %v", variant, κ.Text(), want)
		}
	}
	if emotion.Verdict.Word != stats.Rewrite {
		t.Errorf("the verdict is %+v", emotion.Verdict)
	}
}
