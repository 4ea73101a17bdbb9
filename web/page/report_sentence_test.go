package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// sentenceCounts count for how many random cases each sentence is true, and for how many it is not.
type sentenceCounts map[string][2]int

var numbers = regexp.MustCompile("[0-9]+")

// check compares whether a text contains a part with whether it is true.
func (c sentenceCounts) check(t *testing.T, text, part string, want bool) {
	t.Helper()
	if got := strings.Contains(text, part); got != want {
		t.Fatalf("%q is %t, want %t: %s", part, got, want, text)
	}
	key := numbers.ReplaceAllString(part, "#")
	if want {
		c[key] = [2]int{c[key][0] + 1, c[key][1]}
	} else {
		c[key] = [2]int{c[key][0], c[key][1] + 1}
	}
}

// requireBoth checks that each sentence was true in some cases and not in others.
func (c sentenceCounts) requireBoth(t *testing.T) {
	t.Helper()
	for part, n := range c {
		if n[0] == 0 || n[1] == 0 {
			t.Errorf("%q is true in %d cases and false in %d; want both", part, n[0], n[1])
		}
	}
}

func randomNumber(r *rand.Rand) study.Number {
	value, width := math.Round(40*(r.Float64()-0.5))/10, r.Float64()
	low, high := value-width, value+width
	switch r.IntN(4) {
	case 0:
		return study.Number{Value: &value, IntervalNote: "every difference is the same", Reason: stats.ConstantDifference}
	case 1:
		return study.Number{Value: &value, IntervalNote: "at least 3 items are needed", Reason: stats.TooFewItems}
	}
	return study.Number{Value: &value, Low: &low, High: &high}
}

// TestBiasText_Sentences_AreTrue checks that a bias is named if and only if its interval excludes 0, or all
// differences are the same and not 0.
func TestBiasText_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r, c := rand.New(rand.NewPCG(51, 0)), sentenceCounts{}
	d := AnnotatorData{ReportData: ReportData{Report: &report.Report{}}}
	for range 2000 {
		var a report.Annotator
		hasSignificant, hasConstant := false, false
		for i := range r.IntN(4) {
			n := randomNumber(r)
			key := fmt.Sprint("field", i)
			a.CalibrationBias = append(a.CalibrationBias, report.CalibrationBias{Field: key, Number: n})
			isSignificant := n.Low != nil && *n.Low**n.High > 0
			isConstant := n.Reason == stats.ConstantDifference && *n.Value != 0
			text := biasText(d, report.Annotator{CalibrationBias: a.CalibrationBias[i:]})
			c.check(t, text, "“"+key+"” ", isSignificant || isConstant)
			c.check(t, text, fmt.Sprintf("“%s” %.2f higher", key, math.Abs(*n.Value)), (isSignificant || isConstant) && *n.Value > 0)
			c.check(t, text, fmt.Sprintf("“%s” %.2f lower", key, math.Abs(*n.Value)), (isSignificant || isConstant) && *n.Value < 0)
			hasSignificant, hasConstant = hasSignificant || isSignificant, hasConstant || isConstant
		}
		text := biasText(d, a)
		c.check(t, text, "Significant bias: ", hasSignificant)
		c.check(t, text, "Every answer is off by the same: ", hasConstant)
		c.check(t, text, "No significant bias.", !hasSignificant && !hasConstant)
	}
	c.requireBoth(t)
}

// TestObservations_Never_AreTrue checks that an observation is named if and only if no label has it, and
// that the upper limit is that of all of them.
func TestObservations_Never_AreTrue(t *testing.T) {
	t.Parallel()
	r, c := rand.New(rand.NewPCG(52, 0)), sentenceCounts{}
	for range 1000 {
		m := report.MetricGroup{Name: report.ObservationMetrics, Title: "Observations"}
		labels, limit, never := 1+r.IntN(300), 0.0, []string{}
		for i := range 1 + r.IntN(3) {
			hits := min(labels, max(0, r.IntN(8)-4))
			p := stats.NewProportion(hits, labels)
			value, low, high := p.Value(), p.Interval.Low, p.Interval.High
			m.Rates = append(m.Rates, report.Rate{Title: fmt.Sprint("Seen", i), SampleSize: labels, Number: study.Number{Value: &value, Low: &low, High: &high}})
			if hits == 0 {
				never, limit = append(never, fmt.Sprint("Seen", i)), math.Max(limit, high)
			}
		}
		text := neverObservedText(m)
		c.check(t, text, "In 0% of labels: "+strings.Join(never, ", ")+".", len(never) > 0)
		var shown int
		_, _ = fmt.Sscanf(text[strings.LastIndex(text, "at most ")+1:], "t most %d%%", &shown)
		if isTrue := float64(shown) >= 100*limit && float64(shown) < 100*limit+1; len(never) > 0 && !isTrue {
			t.Fatalf("the limit is %v: %s", limit, text)
		}
		if drawn := len(ratePlot(m).Rows); drawn != len(m.Rates)-len(never) {
			t.Fatalf("%d of %d are drawn, never: %v", drawn, len(m.Rates), never)
		}
	}
}

// TestLowestPairs_Caption_IsTrue checks that the caption states which of many pairs are listed.
func TestLowestPairs_Caption_IsTrue(t *testing.T) {
	t.Parallel()
	r, c := rand.New(rand.NewPCG(55, 0)), sentenceCounts{}
	for range 300 {
		var pairs []report.AnnotatorPair
		listable := 0
		for range 1 + r.IntN(90) {
			p := report.AnnotatorPair{Kappa: study.AgreementFigure{Items: 8 + r.IntN(4)}}
			if r.IntN(5) > 0 {
				p.Kappa.Value = new(r.Float64())
			}
			listable += boolToInt(p.Kappa.Value != nil && p.Kappa.Items >= 10)
			pairs = append(pairs, p)
		}
		list, caption := lowestPairs(pairs)
		isMany := len(pairs) > 30
		c.check(t, caption, "Pairs of annotators that share items", !isMany)
		c.check(t, caption, fmt.Sprintf("Of %d pairs, those with a κ that share 10 items or more, lowest κ first", len(pairs)), isMany && listable < 30)
		c.check(t, caption, fmt.Sprintf("Of %d pairs, the 30 with the lowest κ among those that share 10 items or more", len(pairs)), isMany && listable >= 30)
		want := map[bool]int{true: min(listable, 30), false: len(pairs)}[isMany]
		if len(list) != want {
			t.Fatalf("%d of %d pairs are listed, want %d", len(list), len(pairs), want)
		}
	}
	c.requireBoth(t)
}

// TestDrawSummary_Sentences_AreTrue checks from what a draw is said to be made.
func TestDrawSummary_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r, c := rand.New(rand.NewPCG(58, 0)), sentenceCounts{}
	for range 300 {
		p := report.LabelProposal{JudgeDraw: project.JudgeDraw{Seed: 7}, Candidates: make([]study.DrawCandidate, 1+r.IntN(3)), Labeled: r.IntN(3)}
		text := drawSummary(p)
		c.check(t, text, fmt.Sprintf("with the seed 7, from %s in no open batch that the judge has answered and no annotator has labeled.", pluralizeAs(len(p.Candidates), "item", "items")), true)
		c.check(t, text, "No item has labels and an answer of the judge yet", p.Labeled == 0)
		c.check(t, text, fmt.Sprintf("follows from %s with labels and answers of the judge.", pluralizeAs(p.Labeled, "item", "items")), p.Labeled > 0)
	}
	if n := c["No item has labels and an answer of the judge yet"]; n[0] == 0 || n[1] == 0 {
		t.Errorf("%v", c)
	}
}

// TestSelfConsistency_Text_IsTrue checks the numbers of equal and near answers against the pairs of answers.
func TestSelfConsistency_Text_IsTrue(t *testing.T) {
	t.Parallel()
	r, c := rand.New(rand.NewPCG(59, 0)), sentenceCounts{}
	for range 500 {
		var fields []report.FieldSelfConsistency
		pairs, equal, nearPairs, near := 0, 0, 0, 0
		for range r.IntN(3) {
			n := 1 + r.IntN(300)
			e := n - r.IntN(min(n, 4))
			f := report.FieldSelfConsistency{Duplicates: n, Exact: study.Number{Value: new(float64(e) / float64(n))}}
			if pairs, equal = pairs+n, equal+e; r.IntN(2) == 0 {
				w := e + r.IntN(n-e+1)
				f.WithinOnePoint.Value = new(float64(w) / float64(n))
				nearPairs, near = nearPairs+n, near+w
			}
			fields = append(fields, f)
		}
		text := selfConsistencyText(locale.English, fields)
		c.check(t, text, "–", pairs == 0)
		c.check(t, text, fmt.Sprintf("%d of %d equal", equal, pairs), pairs > 0)
		c.check(t, text, fmt.Sprintf("%d of %d within 1 point", near, nearPairs), nearPairs > 0)
	}
	if n := c["–"]; n[0] == 0 || n[1] == 0 {
		t.Errorf("%v", c)
	}
}

func boolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}
