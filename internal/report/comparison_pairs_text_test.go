package report

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

// randomPairs returns a comparison of three groups whose pairs have random conclusions.
func randomPairs(r *rand.Rand) *Breakdown {
	b := &Breakdown{Groups: make([]Group, 3)}
	conclusions := anyOf(r, []Conclusion{NoDifferenceShown, NotAfterHolm}, []Conclusion{NoDifferenceShown, Higher}, []Conclusion{Lower, Higher},
		[]Conclusion{Confounded, NoDifferenceShown}, []Conclusion{NoDifferenceShown, NoDifferenceShown, NoDifferenceShown, Higher, EstimatesDisagree})
	for range 3 {
		p := GroupPair{}
		for range 1 + r.IntN(2) {
			p.Fields = append(p.Fields, FieldDifference{Difference: &GroupDifference{Conclusion: anyOf(r, conclusions...)}})
		}
		b.AllPairs = append(b.AllPairs, p)
	}
	return b
}

func TestDescribePairs_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	count := func(b *Breakdown, of ...Conclusion) (n int) {
		for _, p := range b.AllPairs {
			for _, f := range p.Fields {
				for _, c := range of {
					n += study.BoolToInt(f.Difference.Conclusion == c)
				}
			}
		}
		return n
	}
	r := rand.New(rand.NewPCG(14, 0))
	cases := []struct {
		part      string
		condition func(*Breakdown) bool
	}{
		{"None of", func(b *Breakdown) bool { return count(b, Higher, Lower) == 0 }},
		{"does not mean that the groups are equal", func(b *Breakdown) bool { return count(b, Higher, Lower) == 0 }},
		{"shows a difference", func(b *Breakdown) bool { return count(b, Higher, Lower) < 2 }},
		{"show a difference.", func(b *Breakdown) bool { return count(b, Higher, Lower) > 1 }},
		{"so do the annotators", func(b *Breakdown) bool { return count(b, Confounded) > 0 }},
	}
	holds, fails := make([]int, len(cases)), make([]int, len(cases))
	for range 500 {
		b := randomPairs(r)
		text := b.DescribePairs()
		for i, c := range cases {
			want := c.condition(b)
			if want {
				holds[i]++
			} else {
				fails[i]++
			}
			if strings.Contains(text, c.part) != want {
				t.Fatalf("%q in %q: want %v", c.part, text, want)
			}
		}
		if n := count(b, Higher, Lower); n > 0 && !strings.HasPrefix(text, fmt.Sprintf("%d of %d comparisons", n, count(b, Higher, Lower, Confounded, NoDifferenceShown, NotAfterHolm, EstimatesDisagree))) {
			t.Fatalf("%d differences in %q", n, text)
		}
	}
	for i, c := range cases {
		if holds[i] < 20 || fails[i] < 20 {
			t.Errorf("%q: its condition holds in %d comparisons and fails in %d", c.part, holds[i], fails[i])
		}
	}
}
