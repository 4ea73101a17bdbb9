package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// newSparseTable returns 60 items on a scale with a gap, each labeled by a random subset of
// five annotators; some have a single rating.
func newSparseTable(t *testing.T) RatingTable {
	t.Helper()
	r, scale := rand.New(rand.NewPCG(3, 4)), NewNumericScale(-1, 0, 2, 5)
	var ratings []Rating
	for i := range 60 {
		latent := r.IntN(len(scale))
		for g := range 5 {
			if r.IntN(3) > 0 {
				value := scale[min(max(latent+r.IntN(3)-1, 0), len(scale)-1)]
				ratings = append(ratings, Rating{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Value: value})
			}
		}
	}
	table, err := NewRatingTable(scale, ratings)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// marshalByItem returns the table in the input format of conger.py.
func marshalByItem(t *testing.T, table RatingTable) []byte {
	t.Helper()
	request := struct {
		Scale []int            `json:"scale"`
		Items []map[string]int `json:"items"`
	}{Scale: table.Scale}
	for i := range table.items {
		item := map[string]int{}
		annotators, categories := table.row(i)
		for n, g := range annotators {
			item[table.annotators[g]] = table.Scale[categories[n]]
		}
		request.Items = append(request.Items, item)
	}
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCongerKappa_MatchesExactFractions(t *testing.T) {
	t.Parallel()
	python := require.Program(t, "python3") // computes κ in exact fractions
	for name, table := range map[string]RatingTable{
		"Krippendorff 2011, C, with gaps": newKrippendorffTable(t), "Fleiss 1971, complete": newFleiss1971Table(t),
		"a scale with holes, and gaps": newSparseTable(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "conger.py"))
			cmd.Stdin = bytes.NewReader(marshalByItem(t, table))
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var want map[Weighting]float64
			if err := json.Unmarshal(out, &want); err != nil || len(want) != len(weightings) {
				t.Fatalf("%s: %v", out, err)
			}
			for w, value := range want {
				if got := CongerKappa(w).Compute(table); !got.Defined() || math.Abs(got.Value-value) > 1e-12 {
					t.Errorf("%s: %v %s, want %v", w, got.Value, got.Undefined.Code, value)
				}
			}
		})
	}
}
