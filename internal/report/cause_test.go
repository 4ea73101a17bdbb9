package report_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
)

// Each cause is named where it is true, and only there: ada and bo nearly agree on the items' true answers, and cy
// differs by case.
func TestAgreement_Causes_AreNamedWhereTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	uniform := func() int { return 1 + r.IntN(5) }
	for name, tt := range map[string]struct {
		truth  func() int
		noise  float64 // share of random answers of ada and bo
		answer func(truth int) int
		want   agreement.CauseKind // empty: none
	}{
		"random":      {uniform, 0.1, func(int) int { return uniform() }, agreement.OneAnnotator},
		"constant":    {uniform, 0.1, func(int) int { return 3 }, agreement.ConstantAnnotator},
		"swapped":     {uniform, 0.1, func(truth int) int { return 6 - truth }, agreement.SwappedScale},
		"dominant":    {func() int { return 5 }, 0.1, func(int) int { return 5 }, agreement.OneAnswer},
		"all differ":  {uniform, 1, func(int) int { return uniform() }, ""},
		"all hit 60%": {uniform, 0.6, func(truth int) int { return pick(r, 0.6, uniform(), truth) }, ""},
	} {
		d := newDataBuilder(t, "empathy")
		for range 100 {
			id, truth := d.addItem(nil), tt.truth()
			for _, annotator := range []string{"ada", "bo"} {
				d.addLabel(id, annotator, study.Work, pick(r, tt.noise, uniform(), truth), 3, 3, 3, 3)
			}
			d.addLabel(id, "cy", study.Work, tt.answer(truth), 3, 3, 3, 3)
		}
		emotion := d.mustField(d.build(), "emotion")
		isNamed := slices.ContainsFunc(emotion.Causes, func(c agreement.Cause) bool { return c.Kind == tt.want })
		if isNamed != (tt.want != "") || tt.want == "" && len(emotion.Causes) > 0 {
			t.Errorf("%s: verdict %s, κ %s, causes %+v, want %q", name, emotion.Verdict, emotion.Kappa.Text(),
				emotion.Causes, tt.want)
		}
	}
}

// pick returns one of two answers, the first with a probability.
func pick(r *rand.Rand, probability float64, first, second int) int {
	if r.Float64() < probability {
		return first
	}
	return second
}
