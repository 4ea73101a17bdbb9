package report

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
)

// buildField returns the report on a field of three points that annotators answer by observe,
// from the true value of each of n items.
func buildField(t *testing.T, n int, annotators int, observe func(r *rand.Rand, item, annotator, truth int) int) FieldReport {
	t.Helper()
	var d study.Data
	for _, p := range protocol.Builtin() {
		if p.Key == "ambiguity" {
			d.Protocol = p
		}
	}
	r, key := rand.New(rand.NewPCG(4, 4)), d.Protocol.Fields[0].Key
	for i := range n {
		id, truth := project.ItemID(i+1), r.IntN(3)
		d.Items = append(d.Items, study.ItemData{ID: id, SourceID: fmt.Sprintf("i%03d", i), RecordID: fmt.Sprintf("r%03d", i)})
		for g := range annotators {
			d.Labels = append(d.Labels, study.Label{ID: int64(len(d.Labels) + 1), ItemID: id, Annotator: fmt.Sprintf("a-%d", g+1), Kind: study.Work,
				Values: map[string]int{key: observe(r, i, g, truth)}})
		}
	}
	report, err := Build(d, BuildOptions{Resamples: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return report.Fields[0]
}

// careful answers the truth, but for one answer in ten.
func careful(r *rand.Rand, truth int) int {
	if r.Float64() < 0.1 {
		return r.IntN(3)
	}
	return truth
}

// TestCauses_OnlyWhereTrue plants one cause at a time, and none.
func TestCauses_OnlyWhereTrue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		annotators int
		observe    func(r *rand.Rand, item, annotator, truth int) int
		want       string // cause and annotator; empty: none
		text       string
	}{
		"careful":          {3, func(r *rand.Rand, _, _, truth int) int { return careful(r, truth) }, "", ""},
		"no agreement":     {3, func(r *rand.Rand, _, _, _ int) int { return r.IntN(3) }, "", ""},
		"one at random":    {3, func(r *rand.Rand, _, g, truth int) int { return pick(g == 2, r.IntN(3), careful(r, truth)) }, "one_annotator a-3", "Without a-3, κ is 0."},
		"one constant":     {3, func(r *rand.Rand, _, g, truth int) int { return pick(g == 2, 1, careful(r, truth)) }, "one_annotator a-3", "a-3 gave every shared item the same answer."},
		"one swapped":      {3, func(r *rand.Rand, _, g, truth int) int { return pick(g == 2, 2-careful(r, truth), careful(r, truth)) }, "one_annotator a-3", "a-3 answers against the others"},
		"swapped of two":   {2, func(r *rand.Rand, _, g, truth int) int { return pick(g == 1, 2-careful(r, truth), careful(r, truth)) }, "swapped_scale ", "The two annotators answer against each other"},
		"constant of two":  {2, func(r *rand.Rand, _, g, truth int) int { return pick(g == 1, 1, careful(r, truth)) }, "constant_annotator a-2", "gave every shared item the answer 1"},
		"one answer rules": {3, func(r *rand.Rand, _, _, _ int) int { return pick(r.Float64() < 0.1, 1, 2) }, "prevalence ", "of the answers to shared items are 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := buildField(t, 80, c.annotators, c.observe)
			var got []string
			for _, cause := range f.Verdict.Causes {
				got = append(got, string(cause.Kind)+" "+cause.Annotator)
				if (cause.KappaWithout != nil) != (cause.Kind == OneAnnotator) {
					t.Errorf("%+v", cause)
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("causes %q, want %q: %s", got, c.want, f.Verdict.Message)
			}
			if c.want != "" && len(f.Verdict.Causes) > 0 && !strings.Contains(f.Verdict.Causes[0].Message, c.text) {
				t.Error(f.Verdict.Causes[0].Message)
			}
		})
	}
}

func pick(condition bool, yes, no int) int {
	if condition {
		return yes
	}
	return no
}

func TestBoundaries_MostDisagreements(t *testing.T) {
	t.Parallel()
	f := buildField(t, 60, 2, func(r *rand.Rand, _, _, truth int) int {
		if truth == 1 {
			return 1 + r.IntN(2) // 1 and 2 are mixed up
		}
		return truth
	})
	worst, ok := f.WorstBoundary()
	if !ok || worst.Lower != 1 || worst.Upper != 2 || worst.AdjacentPairs != worst.Pairs || f.Boundaries[0].Pairs != 0 || !strings.Contains(worst.Text(), "across the boundary between 1 and 2: ") {
		t.Errorf("%+v, of %+v", worst, f.Boundaries)
	}
}

func TestBoundaryGuide_NamesPoints(t *testing.T) {
	t.Parallel()
	q := fieldTable{FieldTable: study.FieldTable{Field: protocol.Field{Boundaries: []string{"2 or 3? A feeling that is named makes a 3.", "3 or 4? A 4 needs both."}}}}
	if got := q.boundaryGuide(2, 3); !strings.HasPrefix(got, "2 or 3?") {
		t.Errorf("%q", got)
	}
	if got := q.boundaryGuide(1, 2); got != "" {
		t.Errorf("%q", got)
	}
}
