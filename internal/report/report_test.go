package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

func builtinProtocol(t testing.TB, key string) protocol.Protocol {
	t.Helper()
	for _, p := range protocol.Builtin() {
		if p.Key == key {
			return p
		}
	}
	t.Fatalf("no protocol %s", key)
	return protocol.Protocol{}
}

// A dataBuilder builds the data of a report.
type dataBuilder struct {
	t testing.TB
	study.Data
}

func newDataBuilder(t testing.TB, key string) *dataBuilder {
	return &dataBuilder{t, study.Data{Project: "pilot", Protocol: builtinProtocol(t, key)}}
}

// addItem adds an item and returns its id.
func (d *dataBuilder) addItem(change func(*study.ItemData)) project.ItemID {
	id := project.ItemID(len(d.Items) + 1)
	item := study.ItemData{ID: id, SourceID: fmt.Sprintf("i%03d", id), TextLength: 100,
		Facts: protocol.Facts{"multi_turn": true}}
	if change != nil {
		change(&item)
	}
	d.Items = append(d.Items, item)
	return id
}

// addLabel adds a label with values in the order of the fields; −1 leaves a field out.
func (d *dataBuilder) addLabel(item project.ItemID, annotator string, kind study.LabelKind,
	values ...int) *study.Label {
	l := study.Label{ID: int64(len(d.Labels) + 1), ItemID: item, Annotator: annotator, Kind: kind,
		Values:   map[string]int{},
		ActiveMS: 60_000, SubmittedAt: time.Unix(1_790_000_000+int64(len(d.Labels))*60, 0).UTC()}
	for i, v := range values {
		if v >= 0 {
			l.Values[d.Protocol.Fields[i].Key] = v
		}
	}
	d.Labels = append(d.Labels, l)
	return &d.Labels[len(d.Labels)-1]
}

func (d *dataBuilder) build() report.Report {
	d.t.Helper()
	r, err := report.Build(d.Data, report.BuildOptions{Resamples: 200, Seed: 1})
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *dataBuilder) mustField(r report.Report, key string) report.FieldReport {
	d.t.Helper()
	f, ok := r.Field(key)
	if !ok {
		d.t.Fatalf("no field %s", key)
	}
	return f
}

func checkNear(t testing.TB, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, valueOrMissing(got), want)
	}
}

func valueOrMissing(v *float64) any {
	if v == nil {
		return "missing"
	}
	return *v
}

// addTwoAnnotators adds n items with equal answers by ada and bo. On the last ones bo
// answers one point higher.
func addTwoAnnotators(d *dataBuilder, n, differing int) {
	for i := range n {
		a := 1 + i%4
		b := a
		if i >= n-differing {
			b++
		}
		id := d.addItem(nil)
		d.addLabel(id, "ada", study.Work, a, 3, 3, 3, 3)
		d.addLabel(id, "bo", study.Work, b, 3, 3, 3, 3)
	}
}

func TestAgreement_Field_HasVerdict(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 40, 4)
	emotion := d.mustField(d.build(), "emotion")
	checkNear(t, "percent agreement", emotion.Figure(stats.PercentAgreement()).Value, 0.9)
	if emotion.Verdict != agreement.Meets {
		t.Errorf("verdict %s", emotion.Verdict)
	}
}

func TestAgreement_NoVariation_HasReason(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 40, 4)
	safety := d.mustField(d.build(), "safety")
	if safety.Verdict != agreement.Open || safety.Kappa.Reason != stats.NoVariation || len(safety.Causes) != 0 {
		t.Errorf("verdict %s, causes %+v", safety.Verdict, safety.Causes)
	}
	if κ := safety.Figure(stats.Measure{Coefficient: "cohen_kappa", Variant: "linear"}); κ.Value != nil ||
		κ.Text() != "–" {
		t.Errorf("κ is %v", κ)
	}
}

func TestVerdict_FewItems_NotEnough(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 9, 1)
	if f := d.mustField(d.build(), "emotion"); f.Verdict != agreement.TooFewItems || f.SharedItems != 9 {
		t.Errorf("verdict %s of %d items", f.Verdict, f.SharedItems)
	}
}

func TestBuild_NoLabels_NotEnough(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	d.addItem(nil)
	r := d.build()
	if v := d.mustField(r, "emotion").Verdict; v != agreement.TooFewItems || len(r.Annotators) != 0 ||
		r.Breakdown != nil {
		t.Errorf("report %+v", r)
	}
}

func TestBuild_OtherLabels_StaySeparate(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 40, 4)
	plain := d.build()
	for i := range project.ItemID(10) {
		d.addLabel(i+1, "ada", study.Duplicate, 5, 1, 1, 1, 1)
		d.addLabel(i+1, "ada", study.Calibration, 5, 1, 1, 1, 1)
		d.Judgments = append(d.Judgments, study.Judgment{ItemID: i + 1, Judge: "judge",
			Values: map[string]int{"emotion": 5}})
	}
	mixed := d.build()
	if !reflect.DeepEqual(plain.Fields, mixed.Fields) {
		t.Error("other labels changed agreement or consensus")
	}
	if c := mixed.Counts; c.Work != 80 || c.Duplicates != 10 || c.Calibration != 10 || c.Judgments != 10 {
		t.Errorf("counts %+v", c)
	}
}

func TestSelfConsistency_FromDuplicates(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 40, 4)
	for i := range project.ItemID(8) {
		d.addLabel(i+1, "ada", study.Duplicate, 1+int(i)%4+boolToInt(i == 0)+3*boolToInt(i == 4), 3, 3, 3, 3)
	}
	a, _ := d.build().Annotator("ada")
	if len(a.SelfConsistency) != 5 || a.SelfConsistency[0].Duplicates != 8 {
		t.Fatalf("self-consistency %+v", a.SelfConsistency)
	}
	checkNear(t, "exact", a.SelfConsistency[0].Exact.Value, 6.0/8)
	checkNear(t, "within one point", a.SelfConsistency[0].WithinOnePoint.Value, 7.0/8)
	if b, _ := d.build().Annotator("bo"); len(b.SelfConsistency) != 0 {
		t.Error("bo has no duplicates")
	}
}

func boolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}

func TestConsensus_Method_IsReported(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for _, answers := range [][]int{{3, 3, 3}, {2, 2, 5}, {1, 3, 5}, {2, 4}, {4}, {2, 3}} {
		id := d.addItem(nil)
		for i, v := range answers {
			d.addLabel(id, string(rune('a'+i)), study.Work, v, 3, 3, 3, 3)
		}
	}
	d.TieRule = stats.LowerValue
	r := d.build()
	want := []report.ConsensusCount{{stats.Adjudicated, 0}, {stats.Majority, 3}, {stats.MedianAnswer, 1},
		{stats.TieRuled, 1}, {stats.Tie, 1}}
	if got := d.mustField(r, "emotion").ConsensusCounts; !slices.Equal(got, want) {
		t.Errorf("methods %v, want %v", got, want)
	}
	if r.Counts.DisagreedItems != 4 || r.Counts.SharedItems != 5 {
		t.Errorf("counts %+v, want 4 of 5 shared items with different answers", r.Counts)
	}
}

func TestConsensus_Adjudicated_Overrides(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	id := d.addItem(nil)
	d.addLabel(id, "a", study.Work, 2, 3, 3, 3, 3)
	d.addLabel(id, "b", study.Work, 4, 3, 3, 3, 3)
	d.Adjudicated = map[project.ItemID]map[string]int{id: {"emotion": 4}}
	if f := d.mustField(d.build(), "emotion"); f.CountConsensus(stats.Adjudicated) != 1 ||
		f.CountConsensus(stats.Tie) != 0 {
		t.Errorf("consensus %+v", f.ConsensusCounts)
	}
}

func TestBreakdown_Matched_WithinPairs(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 30 {
		for c, condition := range []string{"baseline", "constrained"} {
			id := d.addItem(func(item *study.ItemData) {
				item.Meta = map[string]string{"condition": condition, "note": fmt.Sprint(i)}
				item.MatchKey = fmt.Sprintf("statement %d", i)
			})
			level := 1 + i%4 + c // one point higher for every statement
			d.addLabel(id, "ada", study.Work, level, 3, 3, 3, 3)
			d.addLabel(id, "bo", study.Work, level, 3, 3, 3, 3)
		}
	}
	r := d.build()
	if !slices.Equal(r.Columns, []string{"condition"}) || r.Breakdown == nil || len(r.Breakdown.Groups) != 2 {
		t.Fatalf("columns %v, by %+v", r.Columns, r.Breakdown)
	}
	second := r.Breakdown.Groups[1].Fields[0]
	paired := second.Difference.Primary
	checkNear(t, "difference", paired.Value, 1)
	if paired.Pairs != 30 || paired.Basis != "paired" || *paired.Low < 0.4 ||
		second.Difference.Conclusion != comparison.Higher {
		t.Errorf("difference %+v, want it within pairs", second.Difference)
	}
	if _, err := report.Build(d.Data, report.BuildOptions{Column: "note"}); err == nil ||
		!strings.Contains(err.Error(), "condition") {
		t.Errorf("column with 30 values: %v", err)
	}
}

func TestAnnotators_Kappa_WithOthers(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 40 {
		id, v := d.addItem(nil), 1+i%4
		for _, annotator := range []string{"ada", "bo", "cy"} {
			value := v
			if annotator == "cy" {
				value = 5 - v
			}
			d.addLabel(id, annotator, study.Work, value, 3, 3, 3, 3)
		}
	}
	r := d.build()
	if len(r.Annotators) != 3 || len(d.mustField(r, "emotion").Pairs) != 3 {
		t.Fatalf("%d annotators", len(r.Annotators))
	}
	ada, _ := r.Annotator("ada")
	cy, _ := r.Annotator("cy")
	if *cy.Fields[0].Kappa.Value >= 0 || *ada.Fields[0].Kappa.Value <= *cy.Fields[0].Kappa.Value ||
		ada.Fields[0].Kappa.Items != 40 {
		t.Errorf("ada %v, cy %v", valueOrMissing(ada.Fields[0].Kappa.Value), valueOrMissing(cy.Fields[0].Kappa.Value))
	}
	if ada.PaceSeconds != 60 || ada.Fields[0].Counts[0] != 10 {
		t.Errorf("ada %+v", ada)
	}
}

func TestBuild_SameSeed_SameJSON(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		d := newDataBuilder(t, p.Key)
		for i := range 24 {
			id := d.addItem(func(item *study.ItemData) {
				item.RecordID, item.Rank = fmt.Sprint(i/3), i%3+1
				item.Meta = map[string]string{"system": fmt.Sprint(i % 2)}
			})
			for a, annotator := range []string{"ada", "bo"} {
				var values []int
				for f, field := range p.Fields {
					values = append(values, field.Scale[(i+f*a)%len(field.Scale)].Value)
				}
				d.addLabel(id, annotator, study.Work, values...)
			}
		}
		first, err := json.Marshal(d.build())
		second, _ := json.Marshal(d.build())
		if err != nil || string(first) != string(second) {
			t.Errorf("%s: %v, or the same seed gives a different report", p.Key, err)
		}
	}
}

func TestBuild_SimulatedStudy_AsPublished(t *testing.T) {
	t.Parallel()
	d, ids, labels := newDataBuilder(t, "empathy"), map[string]project.ItemID{}, map[string]int{}
	for _, row := range require.SharedRows(t, "agreement", "gk_simulated_2raters.csv") {
		if ids[row[0]] == 0 {
			ids[row[0]] = d.addItem(nil)
		}
		key := row[0] + row[1]
		if _, seen := labels[key]; !seen {
			labels[key] = len(d.Labels)
			d.addLabel(ids[row[0]], row[1], study.Work)
		}
		d.Labels[labels[key]].Values[row[2]], _ = strconv.Atoi(row[3])
	}
	emotion := d.mustField(d.build(), "emotion")
	for variant, want := range map[string]float64{"unweighted": 0.1042, "linear": 0.1858, "quadratic": 0.2822} {
		if κ := emotion.Figure(stats.Measure{Coefficient: "cohen_kappa", Variant: variant}); κ.Value == nil ||
			math.Abs(*κ.Value-want) > 1e-4 {
			t.Errorf("κ %s is %s, want %v", variant, κ.Text(), want)
		}
	}
	if emotion.Advice != agreement.Rewrite {
		t.Errorf("verdict %+v", emotion.Verdict)
	}
}
