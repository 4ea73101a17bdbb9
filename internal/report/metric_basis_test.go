package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// adjudicate decides a share of the fields with an answer.
func (d *randomJudged) adjudicate(r *rand.Rand, points int, share float64) {
	d.Adjudicated = map[project.ItemID]map[string]int{}
	for id := range d.answers {
		for i, f := range d.Protocol.Fields {
			if len(d.answers[id][i]) > 0 && r.Float64() < share {
				if d.Adjudicated[id] == nil {
					d.Adjudicated[id] = map[string]int{}
				}
				d.Adjudicated[id][f.Key] = r.IntN(points)
			}
		}
	}
}

// share returns the share of yes in the answer to a field: that of the decision if there is one,
// else of the labels; false without an answer.
func (d *randomJudged) share(id project.ItemID, field int) (share float64, isTied, ok bool) {
	if decision, isDecided := d.Adjudicated[id][d.Protocol.Fields[field].Key]; isDecided {
		return float64(decision), false, true
	}
	sum, answers := 0.0, d.answers[id][field]
	for _, v := range answers {
		sum += float64(v) / float64(len(answers))
	}
	return sum, d.isTied(id, field), len(answers) > 0
}

// describeAnswers states the basis of metrics of answers: those with a label of one of the first fields.
func (d *randomJudged) describeAnswers(fields int, hasTie bool) string {
	var items []project.ItemID
	for _, item := range d.Items {
		isCounted := false
		for f := range fields {
			_, isTied, ok := d.share(item.ID, f)
			isCounted, hasTie = isCounted || ok, hasTie || isTied
		}
		if isCounted {
			items = append(items, item.ID)
		}
	}
	return addLabelNote(fmt.Sprintf("Based on %s.", count(len(items), "answer", "answers")), d.describeSources(items),
		hasTie)
}

// describeSources states the sources of the labels of items, with adjudicated ones.
func (d *randomJudged) describeSources(items []project.ItemID) string {
	var adjudicated, consensus, single, tied int
	for _, id := range items {
		for f, answers := range d.answers[id] {
			_, isTied, ok := d.share(id, f)
			_, isDecided := d.Adjudicated[id][d.Protocol.Fields[f].Key]
			switch {
			case isDecided:
				adjudicated++
			case isTied:
				tied++
			case ok && len(answers) == 1:
				single++
			case ok:
				consensus++
			}
		}
	}
	total := adjudicated + consensus + single + tied
	if total == 0 {
		return ""
	}
	text := fmt.Sprintf(" Of %s: %d adjudicated, %d from consensus, %d from a single annotator",
		count(total, "label", "labels"), adjudicated, consensus, single)
	if tied > 0 {
		text += fmt.Sprintf(", %d without a majority", tied)
	}
	return text + "."
}

// TestGrounding_Basis_IsTrue checks the basis of metrics of grounded answers, with adjudicated labels, and
// the rate of fabricated sources, whose sample is the answers with a citation.
func TestGrounding_Basis_IsTrue(t *testing.T) {
	t.Parallel()
	const cited, fabricated = 3, 4 // fields
	r := rand.New(rand.NewPCG(44, 0))
	var messages []string
	withCitation, withoutCitation := 0, 0
	for n := range 200 {
		d, missing := newRandomJudged(t, "rag-grounding"), []float64{0, 0.3, 0.9}[r.IntN(3)]
		for range 1 + r.IntN(4) {
			d.addRandomItem(r, 2, missing, nil)
		}
		d.adjudicate(r, 2, []float64{0, 0.4}[r.IntN(2)])
		hasTie, sample, base, hits := false, 0, 0.0, 0.0
		for _, item := range d.Items {
			share, isCitedTied, hasCited := d.share(item.ID, cited)
			made, isMadeTied, hasMade := d.share(item.ID, fabricated)
			if hasCited && hasMade && share > 0 {
				sample, base, hits = sample+1, base+share, hits+min(share, made)
				hasTie = hasTie || isCitedTied || isMadeTied
			}
		}
		want := d.describeAnswers(cited+1, hasTie)
		m := buildMetrics(t, d.Data, report.GroundingMetrics, 0)
		if got := joinTexts(m); got != want {
			t.Fatalf("study %d: %q, want %q", n, got, want)
		}
		messages = append(messages, want)
		rate := m.Rates[len(m.Rates)-1]
		if rate.SampleSize != sample || (rate.Value == nil) != (sample == 0) ||
			(rate.Reason == stats.NothingToCount) != (sample == 0) {
			t.Fatalf("study %d: %s of %d, want of %d: %q", n, rate.Text(), rate.SampleSize, sample, rate.Reason)
		}
		if sample > 0 {
			checkNear(t, "fabricated sources", rate.Value, hits/base)
		}
		withCitation, withoutCitation = withCitation+boolToInt(sample > 0), withoutCitation+boolToInt(sample == 0)
	}
	requireBoth(t, messages, "Based on 0", "Based on 1", "no answer has a majority", " 0 adjudicated", " 1 adjudicated")
	if withCitation < 20 || withoutCitation < 20 {
		t.Errorf("%d studies with a citation, %d without", withCitation, withoutCitation)
	}
}

// TestGeneration_Basis_IsTrue does so for metrics of answers without sources.
func TestGeneration_Basis_IsTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(34, 0))
	for n := range 150 {
		d, missing := newRandomJudged(t, "rag-generation"), []float64{0, 0.5, 0.9}[r.IntN(3)]
		for range 1 + r.IntN(4) {
			d.addRandomItem(r, 2, missing, nil)
		}
		m := buildMetrics(t, d.Data, report.GenerationMetrics, 0)
		if got, want := joinTexts(m), d.describeAnswers(len(m.Rates), false); got != want {
			t.Fatalf("study %d: %q, want %q", n, got, want)
		}
		for f, rate := range m.Rates {
			hasAnswer := slices.ContainsFunc(d.Items, func(i study.ItemData) bool {
				return len(d.answers[i.ID][f]) > 0
			})
			if (rate.Reason == stats.NothingToCount) == hasAnswer {
				t.Fatalf("study %d: %s is %v: %q", n, rate.Name, rate.Value, rate.Reason)
			}
		}
	}
}

// TestObservations_Basis_IsTrue checks the basis and the shares of observations against the ticks and the
// decisions on random items.
func TestObservations_Basis_IsTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(45, 0))
	var messages []string
	for n := range 150 {
		d := newDataBuilder(t, "empathy")
		d.AdjudicatedObservations = map[project.ItemID][]string{}
		keys := []string{d.Protocol.Observations[0].Key, d.Protocol.Observations[1].Key}
		ticks := func() (list []string) {
			for _, key := range keys {
				if r.IntN(3) == 0 {
					list = append(list, key)
				}
			}
			return list
		}
		labels, decidedLabels, hits := 0, 0, map[string]int{}
		for range r.IntN(5) {
			id, decision, isDecided := d.addItem(nil), ticks(), r.IntN(3) == 0
			if isDecided {
				d.AdjudicatedObservations[id] = decision
			}
			for _, name := range []string{"ada", "bo"}[:r.IntN(3)] {
				l := d.addLabel(id, name, study.Work, 3, 3, 3, 3, 3)
				l.Observations = ticks()
				counted := l.Observations
				if isDecided {
					counted, decidedLabels = decision, decidedLabels+1
				}
				for _, key := range counted {
					hits[key]++
				}
				labels++
			}
		}
		decidedItems := 0
		for id := range d.AdjudicatedObservations {
			decidedItems += boolToInt(slices.ContainsFunc(d.Labels, func(l study.Label) bool { return l.ItemID == id }))
		}
		want := fmt.Sprintf("Share of %s with each observation.", count(labels, "label", "labels"))
		if decidedItems > 0 {
			want += fmt.Sprintf(" For %s of %s, the decision counts instead.", count(decidedLabels, "label", "labels"),
				count(decidedItems, "adjudicated item", "adjudicated items"))
		}
		m := buildMetrics(t, d.Data, report.ObservationMetrics, 0)
		if got := joinTexts(m); got != want {
			t.Fatalf("study %d: %q, want %q", n, got, want)
		}
		messages = append(messages, want)
		for _, rate := range m.Rates {
			if rate.SampleSize != labels || (rate.Value == nil) != (labels == 0) ||
				(rate.Reason == stats.NothingToCount) != (labels == 0) {
				t.Fatalf("study %d: %s is %s of %d: %q", n, rate.Name, rate.Text(), rate.SampleSize, rate.Reason)
			}
			if labels > 0 {
				checkNear(t, rate.Name, rate.Value, float64(hits[rate.Name])/float64(labels))
			}
		}
	}
	requireBoth(t, messages, "Share of 0 labels", "Share of 1 label ", "For 1 label of 1 adjudicated item,",
		"For 2 labels of 1 adjudicated item,", "the decision counts instead")
	if slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, "1 labels") }) {
		t.Error("a wrong plural")
	}
}
