package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// TestComparison_Decisions_Count compares groups whose ties were decided, one group's as 1 and the other's as 0.
func TestComparison_Decisions_Count(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-generation")
	d.Adjudicated = map[project.ItemID]map[string]int{}
	for i := range 120 {
		id := d.addItem(func(item *report.ItemData) { item.Meta = map[string]string{"condition": []string{"base", "new"}[i%2]} })
		second := 1
		if i < 40 {
			second = 0
			d.Adjudicated[id] = map[string]int{"helpful": i % 2}
		}
		d.addLabel(id, "a-1", report.Work, 1, 1, 1, 0, 0)
		d.addLabel(id, "a-2", report.Work, 1, 1, second, 0, 0)
	}
	b := d.build().Breakdown
	for i, want := range []float64{40.0 / 60, 1} {
		if got := *b.Groups[i].Fields[2].Mean.Value; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: mean %v, want %v", b.Groups[i].Value, got, want)
		}
	}
	if d := b.Groups[1].Fields[2].Difference; math.Abs(*d.AllItems.Value-20.0/60) > 1e-12 {
		t.Errorf("difference %v", *d.AllItems.Value)
	}
	if note := b.ShareNote(); !strings.Contains(note, "rates count an item by its majority") {
		t.Errorf("yes/no fields: %q", note)
	}
	if note := b.DecisionNote(); b.DecidedItems != 40 || !strings.HasPrefix(note, "On 40 items, the decision counts") {
		t.Errorf("%d decided items: %q", b.DecidedItems, note)
	}
	clear(d.Adjudicated)
	if b := d.build().Breakdown; b.DecisionNote() != "" || *b.Groups[0].Fields[2].Mean.Value != 50.0/60 {
		t.Errorf("without decisions: %q, mean %v", b.DecisionNote(), *b.Groups[0].Fields[2].Mean.Value)
	}
}

// TestVerdicts_Tie_OnlyTiedValuesArePossible: 0, 0, 1 and 2 tie 0 and 1, so no verdict that needs 2 can follow.
func TestVerdicts_Tie_OnlyTiedValuesArePossible(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "ambiguity")
	d.Protocol.Ties = "unresolved"
	id := d.addItem(nil)
	for n, answer := range []int{0, 0, 1, 2} {
		values := make([]int, len(d.Protocol.Fields))
		for i := range values {
			values[i] = 2
		}
		values[0] = answer
		d.addLabel(id, fmt.Sprint("a-", n), report.Work, values...)
	}
	r := d.build()
	for c := range r.Consensus.All() {
		if c.Field == d.Protocol.Fields[0].Key && fmt.Sprint(c.TiedValues) != "[0 1]" {
			t.Errorf("tied values %v", c.TiedValues)
		}
		if isPreferred, isKnown := c.Verdicts["preferred"]; isPreferred || !isKnown {
			t.Errorf("%s: verdicts %v", c.Field, c.Verdicts)
		}
	}
}

// TestRates_ModelOfSomeFields_KeepTiesOfOthers: two annotators of one field identify no model for it.
func TestRates_ModelOfSomeFields_KeepTiesOfOthers(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "ambiguity")
	last := d.Protocol.Fields[len(d.Protocol.Fields)-1].Key
	for i := range 40 {
		id := d.addItem(nil)
		for n := range 3 {
			values := make([]int, len(d.Protocol.Fields))
			for f := range values {
				values[f] = 1 + (i+f+i*n/7)%2
			}
			values[len(values)-1] = 2
			if i < 5 {
				values[len(values)-1] = 2 * (n % 2)
			}
			d.addLabel(id, fmt.Sprint("a-", n), report.Work, values...)
			if label := &d.Labels[len(d.Labels)-1]; n == 2 {
				delete(label.Values, last)
			}
		}
	}
	for method, wantNote := range map[consensus.Method]string{"": "Where no answer has a majority", consensus.ByDawidSkene: "On fields without a model"} {
		r := d.buildWith(method)
		if model := d.mustField(r, last).ConsensusModel; method != "" && (model == nil || model.Model.Converged != nil) {
			t.Errorf("%s has a model", last)
		}
		m := metricGroup(t, r, report.VerdictMetrics)
		for _, rate := range m.Rates {
			if rate.Name == "fail" && (rate.Ties != 5 || (rate.Lowest == nil) != (method != "")) {
				t.Errorf("method %q: %d ties, lowest %v", method, rate.Ties, rate.Lowest)
			}
		}
		if !strings.Contains(strings.Join(m.Notes, " "), wantNote) {
			t.Errorf("method %q: %q", method, m.Notes)
		}
	}
}

// TestModelIntervals_FewRecords_NeedMore: fewer records than an interval needs give none; from there on there are as many groups.
func TestModelIntervals_FewRecords_NeedMore(t *testing.T) {
	t.Parallel()
	for records, want := range map[int]string{3: "an interval needs at least 10 records", 12: "12 groups of records", 60: "20 groups of records"} {
		d := newDataBuilder(t, "rag-generation")
		for i := range records * 3 {
			id := d.addItem(func(item *report.ItemData) { item.RecordID = fmt.Sprint("r", i/3) })
			for n := range 3 {
				answer := boolToInt((i+n*i/5)%3 > 0)
				d.addLabel(id, fmt.Sprint("a-", n), report.Work, answer, answer, answer, 1-answer, 0)
			}
		}
		m := metricGroup(t, d.buildWith(consensus.ByDawidSkene), report.GenerationMetrics)
		if rate := m.Rates[0]; !strings.Contains(rate.IntervalNote, want) || (rate.Low == nil) != (records < 10) {
			t.Errorf("%d records: %v to %v: %q", records, rate.Low, rate.High, rate.IntervalNote)
		}
	}
}

func (d *dataBuilder) buildWith(method consensus.Method) report.Report {
	d.t.Helper()
	r, err := report.Build(d.Data, report.BuildOptions{Resamples: 200, Seed: 1, Consensus: method})
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func metricGroup(t *testing.T, r report.Report, name report.MetricName) report.MetricGroup {
	t.Helper()
	for _, m := range r.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metrics %s", name)
	return report.MetricGroup{}
}
