package labeling_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
)

func TestNewPace_LongItems_HaveReadingTimeOnTop(t *testing.T) {
	t.Parallel()
	plan := protocol.SessionPlan{MinSecondsPerItem: 60, MaxSecondsPerItem: 90}
	for _, test := range []struct {
		recent []int64
		words  int
		want   labeling.Pace
	}{
		{nil, 0, labeling.Pace{TargetMin: 60, TargetMax: 90}},
		{[]int64{90_000, 30_000, 61_900}, 200, labeling.Pace{Seconds: 61, Words: 200, TargetMin: 60, TargetMax: 90}},
		{[]int64{900_000}, 2_200, labeling.Pace{Seconds: 900, Words: 2_200, TargetMin: 660, TargetMax: 690}},
	} {
		if got := labeling.NewPace(test.recent, test.words, plan); got != test.want {
			t.Errorf("%v of %d words: %+v, want %+v", test.recent, test.words, got, test.want)
		}
	}
	if got := labeling.NewPace([]int64{1_000}, 5_000, protocol.SessionPlan{}); got.TargetMax != 0 {
		t.Errorf("without a target: %+v", got)
	}
}
