package prose

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestIntervalNote_StatesNumbers(t *testing.T) {
	t.Parallel()
	w := Writer{Locale: locale.English}
	for want, i := range map[string]stats.Interval{
		"accounts for the sampling of 40 clusters, not of annotators":                                                   {Units: 40, IsClustered: true},
		"accounts for the sampling of 20 shared items, not of annotators; approximate, with fewer than 30 shared items": {Units: 20, IsShared: true},
		"accounts for the sampling of 50 items, not of annotators; 34 of 100 resamples do not vary and count as full agreement; 1 resample without a value is excluded": {
			Units: 50, Resamples: 100, ConstantResamples: 34, DroppedResamples: 1},
		"an interval needs at least 10 shared clusters": {IsShared: true, IsClustered: true,
			Undefined: stats.Reason{Code: stats.TooFewUnits, Min: 10}},
		"A and B gave every shared item the answer 5, so the mean over pairs is not defined": {
			Undefined: stats.Reason{Code: stats.NoPairVariation, Annotators: [2]string{"A", "B"}, Value: "5"}},
	} {
		if got := w.IntervalNote(i); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestScaleNote_NamesValues(t *testing.T) {
	t.Parallel()
	w := Writer{Locale: locale.English}
	for want, s := range map[string]stats.AppliedScale{
		"the values of tone are numbers and words, such as 3 and bad, and no order is declared": {
			Note: stats.UnorderedCategories, Scale: stats.NamedScale{Names: []string{"3", "bad", "good"}}},
		"come from the values in use, 1 4;": {Note: stats.PointsInUse, Scale: stats.NamedScale{Scale: stats.NumericScale{1, 4}}},
		"and its values have fractions":     {Note: stats.NumbersInUse},
	} {
		s.Dimension = "tone"
		if got := w.ScaleNote(s); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
