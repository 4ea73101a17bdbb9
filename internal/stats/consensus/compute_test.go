package consensus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// newDimension returns ratings by item of the annotators a, b, c, …
func newDimension(t *testing.T, scale stats.NumericScale, items ...[]int) stats.Dimension {
	t.Helper()
	var ratings []stats.Rating
	for i, answers := range items {
		for g, value := range answers {
			ratings = append(ratings, stats.Rating{Item: fmt.Sprintf("i%05d", i), Annotator: string(rune('a' + g)), Value: value})
		}
	}
	table, err := stats.NewRatingTable(scale, ratings)
	if err != nil {
		t.Fatal(err)
	}
	return stats.Dimension{Name: "d", Table: table, Declared: true}
}

func TestCompute_Rules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options Options
		scale   stats.NumericScale
		answers []int
		want    string
	}{
		{"2 and 4", Options{}, stats.NewRangeScale(1, 5), []int{2, 4}, "3 median"},
		{"2 and 3", Options{}, stats.NewRangeScale(1, 5), []int{2, 3}, "- tie [2 3]"},
		{"2 and 3, lower", Options{Ties: stats.LowerValue}, stats.NewRangeScale(1, 5), []int{2, 3}, "2 tie_lower [2 3]"},
		{"2 and 3, higher", Options{Ties: stats.HigherValue}, stats.NewRangeScale(1, 5), []int{3, 2}, "3 tie_higher [2 3]"},
		{"a gap in the scale", Options{}, stats.NewNumericScale(1, 2, 4), []int{2, 4}, "- tie [2 4]"},
		{"yes and no", Options{}, stats.NewRangeScale(0, 1), []int{0, 1}, "- tie [0 1]"},
		{"majority of ordered values", Options{Method: ByMajority}, stats.NewRangeScale(1, 5), []int{2, 4}, "- tie [2 4]"},
		{"most frequent", Options{Method: ByMajority}, stats.NewRangeScale(1, 5), []int{2, 4, 4, 5, 3}, "4 plurality"},
		{"two annotators and a model", Options{Method: ByDawidSkene}, stats.NewRangeScale(0, 1), []int{1, 1}, "1 unanimous"},
	} {
		r := Compute([]stats.Dimension{newDimension(t, c.scale, c.answers)}, c.options)
		got := "-"
		if r.Items[0].Value != nil {
			got = *r.Items[0].Value
		}
		if got += " " + string(r.Items[0].How); len(r.Items[0].Tied) > 0 {
			got += fmt.Sprint(" ", r.Items[0].Tied)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if isModel := c.options.Method == ByDawidSkene; isModel != (r.Models[0].Note != "") {
			t.Errorf("%s: note %q", c.name, r.Models[0].Note)
		}
	}
}

// simulation is a study whose true values are known.
type simulation struct {
	scale       stats.NumericScale
	items       int
	annotators  int
	errorRate   float64 // the answer is an adjacent point
	shareOfHigh float64 // of the highest value, on a scale of two; else 0
}

func (s simulation) run(t *testing.T, r *rand.Rand) (d stats.Dimension, truth []int) {
	t.Helper()
	var rows [][]int
	for range s.items {
		value := r.IntN(len(s.scale))
		if s.shareOfHigh > 0 {
			value = 0
			if r.Float64() < s.shareOfHigh {
				value = 1
			}
		}
		answers := make([]int, s.annotators)
		for g := range answers {
			answers[g] = s.scale[s.observe(r, value)]
		}
		rows, truth = append(rows, answers), append(truth, value)
	}
	return newDimension(t, s.scale, rows...), truth
}

func (s simulation) observe(r *rand.Rand, value int) int {
	switch last := len(s.scale) - 1; {
	case r.Float64() >= s.errorRate:
		return value
	case value == 0:
		return 1
	case value == last:
		return last - 1
	}
	return value - 1 + 2*r.IntN(2)
}

// TestFitDawidSkene_Rate_Unbiased simulates rates from three annotators with errors: the
// mean posterior has no bias, where the majority has.
func TestFitDawidSkene_Rate_Unbiased(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies := 40
	if require.FullSize() {
		studies = 1000
	}
	for _, errorRate := range []float64{0.02, 0.05, 0.1} {
		model, majority := 0.0, 0.0
		for seed := range studies {
			d, truth := simulation{stats.NewRangeScale(0, 1), 1000, 3, errorRate, 0.2}.run(t, rand.New(rand.NewPCG(1, uint64(seed))))
			fit, high := FitDawidSkene(d.Table, AtConvergence), 0.0
			for _, v := range truth {
				high += float64(v) / float64(len(truth))
			}
			for _, r := range Compute([]stats.Dimension{d}, Options{}).Items {
				if *r.Value == "1" {
					majority += 1 / float64(len(truth)*studies)
				}
			}
			majority -= high / float64(studies)
			model += (fit.Prior[1] - high) / float64(studies)
		}
		t.Logf("error rate %.2f: bias of the model %+.4f, of the majority %+.4f", errorRate, model, majority)
		if math.Abs(model) > 0.01 {
			t.Errorf("error rate %.2f: bias %+.4f, want less than 0.01", errorRate, model)
		}
	}
}

// TestFitOrdinal_FewLabels_BeatsMatrices compares the posteriors of both models on 60 items
// with adjacent errors: matrices have more parameters than 60 items can tell.
func TestFitOrdinal_FewLabels_BeatsMatrices(t *testing.T) {
	t.Parallel()
	ordinal, categorical := 0.0, 0.0
	const studies = 30
	for seed := range studies {
		d, truth := simulation{scale: stats.NewRangeScale(1, 5), items: 60, annotators: 3, errorRate: 0.3}.run(t, rand.New(rand.NewPCG(2, uint64(seed))))
		ordinal += brierScore(FitOrdinal(d.Table), truth) / studies
		categorical += brierScore(FitDawidSkene(d.Table, AtConvergence), truth) / studies
	}
	t.Logf("Brier score: ordered errors %.3f, matrices %.3f", ordinal, categorical)
	if ordinal >= categorical {
		t.Errorf("the Brier score of ordered errors is %.3f, of matrices %.3f", ordinal, categorical)
	}
}

// brierScore returns the mean squared error of the posteriors (Brier 1950).
func brierScore(f Fit, truth []int) (score float64) {
	for i, value := range truth {
		for c, p := range f.ItemPosterior(i) {
			if c == value {
				p--
			}
			score += p * p / float64(len(truth))
		}
	}
	return score
}

// TestFitDawidSkene_CarelessAnnotator_IsSeen checks that a confusion matrix shows who errs.
func TestFitDawidSkene_CarelessAnnotator_IsSeen(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	var rows [][]int
	for range 200 {
		v := r.IntN(3)
		rows = append(rows, []int{v, v, v, r.IntN(3)})
	}
	report := Compute([]stats.Dimension{newDimension(t, stats.NewRangeScale(0, 2), rows...)}, Options{Method: ByDawidSkene, Stop: AtConvergence})
	for _, a := range report.Annotators {
		if isCareless := a.Annotator == "d"; isCareless != (a.Correct < 0.5) {
			t.Errorf("%s: %.2f of the answers are correct", a.Annotator, a.Correct)
		}
	}
	if m := report.Models[0]; m.Converged == nil || !*m.Converged || m.Note != "" {
		t.Errorf("%+v", m)
	}
}

// TestFit_UnusedPoints_GetNoProbability checks that points of the scale without an answer
// change nothing: Dawid and Skene's fit is that of the points in use.
func TestFit_UnusedPoints_GetNoProbability(t *testing.T) {
	t.Parallel()
	for seed := range 20 {
		r := rand.New(rand.NewPCG(8, uint64(seed)))
		var rows [][]int
		for i := range 60 {
			row := make([]int, 5)
			for g := range row {
				if row[g] = 1 + i%3; r.IntN(2) == 0 {
					row[g] = 1 + r.IntN(3)
				}
			}
			rows = append(rows, row)
		}
		used, whole := newDimension(t, stats.NewRangeScale(1, 3), rows...).Table, newDimension(t, stats.NewRangeScale(0, 5), rows...).Table
		want := FitDawidSkene(used, AtConvergence)
		for name, fit := range map[string]Fit{"free": FitDawidSkene(whole, AtConvergence), "ordered": FitOrdinal(whole)} {
			for i := range rows {
				posterior := fit.ItemPosterior(i)
				if unused := posterior[0] + posterior[4] + posterior[5]; unused != 0 {
					t.Fatalf("seed %d, %s, item %d: %v for values that no one gave", seed, name, i, unused)
				}
				if difference := math.Abs(posterior[1] - want.ItemPosterior(i)[0]); name == "free" && difference > 1e-6 {
					t.Fatalf("seed %d, item %d: a longer scale changes the posterior by %g", seed, i, difference)
				}
				for c, p := range fit.Posterior([]int{0, 1, 2, 3, 4}, []int{rows[i][0], rows[i][1], rows[i][2], rows[i][3], rows[i][4]}) {
					if math.Abs(p-posterior[c]) > 1e-6 {
						t.Fatalf("seed %d, %s, item %d: prediction %g of %d, want %g", seed, name, i, p, c, posterior[c])
					}
				}
			}
		}
	}
}

// TestNotes_UnconvergedFits checks that each note on a fit is true: a fit by crowd-kit's rule can
// be fitted longer, one that runs until it converges took as many steps as it may.
func TestNotes_UnconvergedFits(t *testing.T) {
	t.Parallel()
	seen := map[NoteCode]bool{}
	for seed := range 12 {
		r, rows := rand.New(rand.NewPCG(12, uint64(seed))), [][]int(nil)
		for range 150 {
			row := make([]int, 3)
			for g := range row {
				row[g] = r.IntN(5)
			}
			rows = append(rows, row)
		}
		d := newDimension(t, stats.NewRangeScale(0, 4), rows...)
		early, late := FitModel(d, Options{Method: ByDawidSkene}), FitModel(d, Options{Method: ByDawidSkene, Stop: AtConvergence})
		for _, m := range []Model{early, late} {
			for _, note := range m.Notes {
				seen[note] = true
			}
			if *m.Converged == (slices.Contains(m.Notes, EndedEarly) || slices.Contains(m.Notes, NotConverged)) {
				t.Errorf("seed %d: converged %v, notes %v", seed, *m.Converged, m.Notes)
			}
		}
		if slices.Contains(early.Notes, EndedEarly) && late.Steps <= early.Steps {
			t.Errorf("seed %d: --converge does not fit longer than %d steps", seed, early.Steps)
		}
		if slices.Contains(late.Notes, NotConverged) && late.Steps != 5000 || slices.Contains(late.Notes, EndedEarly) {
			t.Errorf("seed %d: %v after %d steps", seed, late.Notes, late.Steps)
		}
	}
	if !seen[EndedEarly] || !seen[NotConverged] {
		t.Errorf("no fit has some of the notes: %v", seen)
	}
}
