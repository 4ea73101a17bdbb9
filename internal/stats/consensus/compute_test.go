package consensus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// newDimension returns ratings by item of the annotators a, b, c, …
func newDimension(t *testing.T, scale stats.NumericScale, items ...[]int) stats.Dimension {
	t.Helper()
	var ratings []stats.Rating
	for i, answers := range items {
		for g, value := range answers {
			ratings = append(ratings, stats.Rating{Item: fmt.Sprintf("i%05d", i), Annotator: string(rune('a' + g)),
				Value: value})
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
		{"2 and 4", Options{}, stats.NewRangeScale(1, 5), []int{2, 4}, "- tie [2 4]"},
		{"2 and 3, lower", Options{Ties: stats.LowerValue}, stats.NewRangeScale(1, 5), []int{2, 3}, "2 tie_rule [2 3]"},
		{"1, 3 and 4", Options{}, stats.NewRangeScale(1, 5), []int{4, 1, 3}, "3 median"},
		{"majority only", Options{Method: ByMajority}, stats.NewRangeScale(1, 5), []int{4, 1, 3}, "- tie [1 3 4]"},
		{"two annotators and a model", Options{Method: ByDawidSkene}, stats.NewRangeScale(0, 1), []int{1, 1},
			"1 majority"},
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
		if isModel := c.options.Method == ByDawidSkene; isModel != (len(r.Models[0].Notes) > 0) {
			t.Errorf("%s: notes %q", c.name, r.Models[0].Notes)
		}
	}
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
	report := Compute([]stats.Dimension{newDimension(t, stats.NewRangeScale(0, 2), rows...)},
		Options{Method: ByDawidSkene, Stop: AtConvergence})
	for _, a := range report.Annotators {
		if isCareless := a.Annotator == "d"; isCareless != (a.Correct < 0.5) {
			t.Errorf("%s: %.2f of the answers are correct", a.Annotator, a.Correct)
		}
	}
	if m := report.Models[0]; m.Converged == nil || !*m.Converged || len(m.Notes) > 0 {
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
		used, whole := newDimension(t, stats.NewRangeScale(1, 3), rows...).Table,
			newDimension(t, stats.NewRangeScale(0, 5), rows...).Table
		want := FitDawidSkene(used, AtConvergence)
		fit := FitDawidSkene(whole, AtConvergence)
		for i := range rows {
			posterior := fit.ItemPosterior(i)
			if unused := posterior[0] + posterior[4] + posterior[5]; unused != 0 {
				t.Fatalf("seed %d, item %d: %v for values that no one gave", seed, i, unused)
			}
			if difference := math.Abs(posterior[1] - want.ItemPosterior(i)[0]); difference > 1e-6 {
				t.Fatalf("seed %d, item %d: a longer scale changes the posterior by %g", seed, i, difference)
			}
		}
	}
}

// TestNotes_UnconvergedFits checks that each note on a fit is true: a fit by crowd-kit's rule can
// be fitted longer, one that runs until it converges took as many steps as it may.
func TestNotes_UnconvergedFits(t *testing.T) {
	t.Parallel()
	seen := map[NoteCode]bool{}
	for _, seed := range []int{2, 3, 8} {
		r, rows := rand.New(rand.NewPCG(12, uint64(seed))), [][]int(nil)
		for range 150 {
			row := make([]int, 3)
			for g := range row {
				row[g] = r.IntN(5)
			}
			rows = append(rows, row)
		}
		d := newDimension(t, stats.NewRangeScale(0, 4), rows...)
		early, late := FitModel(d, Options{Method: ByDawidSkene}),
			FitModel(d, Options{Method: ByDawidSkene, Stop: AtConvergence})
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
