package dataset

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A ruleChecker finds what Protocol.Check finds, whatever it checked before.
func TestRuleChecker_SameAsCheck(t *testing.T) {
	for _, p := range protocol.Builtin() {
		random, c := rand.New(rand.NewPCG(1, 2)), newRuleChecker(p)
		notes := []string{"", " \n", "Because of the tone.", strings.Repeat("x", protocol.MaxNoteLength+1), "note é " +
			strings.Repeat("é", protocol.MaxNoteLength)}
		for _, h := range p.Hints {
			notes = append(notes, h.Note, h.Note+" And more.")
		}
		broken := map[bool]int{}
		for range 20_000 {
			facts, a := newRandomAnswers(random, p)
			a.Note = notes[random.IntN(len(notes))]
			got, want := c.brokenRules(facts, a), brokenRuleIDs(p.Check(facts, a))
			if broken[len(want) > 0]++; !slices.Equal(got, want) {
				t.Fatalf("%s: %v %+v breaks %q, want %q", p.Name(), facts, a, got, want)
			}
		}
		if broken[true] == 0 || len(c.known) == 0 {
			t.Errorf("%s: %v answers break rules, %d are known", p.Name(), broken, len(c.known))
		}
	}
}

// newRandomAnswers returns answers, a tenth of which are missing, off the scale or to unknown
// fields.
func newRandomAnswers(random *rand.Rand, p protocol.Protocol) (protocol.Facts, protocol.Answers) {
	facts, a := protocol.Facts{}, protocol.Answers{Values: map[string]int{}}
	for _, f := range p.Facts {
		facts[f.Key] = random.IntN(2) == 0
	}
	for _, f := range p.Fields {
		if random.IntN(20) > 0 {
			a.Values[f.Key] = f.Scale.Values()[random.IntN(len(f.Scale))]
		}
		if random.IntN(30) == 0 {
			a.Values[f.Key] = 99
		}
		if random.IntN(8) == 0 {
			a.Unsure = append(a.Unsure, f.Key)
		}
	}
	for _, o := range p.Observations {
		if random.IntN(4) == 0 {
			a.Observations = append(a.Observations, o.Key)
		}
	}
	if random.IntN(30) == 0 {
		a.Values["unknown"] = 1
		a.Observations = append(a.Observations, "unknown", "unknown")
	}
	return facts, a
}
