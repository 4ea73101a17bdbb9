package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDefinitions_NameWhatIsFound checks that the summary explains every rater effect and every use of a judge that it
// names, each once, and no other.
func TestDefinitions_NameWhatIsFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(27, 0))
	defined := 0
	for range 500 {
		report := randomReport(r)
		effects, uses := report.EffectDefinitions(), report.UseDefinitions()
		for _, list := range [][]string{effects, uses} {
			if defined += len(list); len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
				t.Fatalf("a definition is repeated: %q", list)
			}
		}
		for _, a := range report.Annotators {
			for _, e := range a.RaterEffects {
				isDefined := slices.ContainsFunc(effects, func(text string) bool { return strings.HasPrefix(strings.ToLower(text), e.Name.Text()+": ") })
				if e.Detected && !isDefined {
					t.Fatalf("%s is not in %q", e.Name, effects)
				}
			}
		}
		for _, f := range report.Judges[0].Fields {
			if f.Use != JudgeUntested && !slices.ContainsFunc(uses, func(text string) bool { return strings.HasPrefix(text, f.Use.Text()+": ") }) && !f.hasNoAnswers() {
				t.Fatalf("%s is not in %q", f.Use.Text(), uses)
			}
		}
		if n, _, _ := countDetected(report); (n > 0) != (len(effects) > 0) {
			t.Fatalf("%d annotators with effects, definitions %q", n, effects)
		}
	}
	if defined < 100 {
		t.Errorf("%d definitions", defined)
	}
}
