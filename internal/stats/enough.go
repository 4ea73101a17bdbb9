package stats

import (
	"fmt"
	"math"
)

// A Verdict is what agreement says of a field against a target.
type Verdict string

// The verdicts: at or over the target; under it but at or over Floor; under that;
// no number to judge.
const (
	Go        Verdict = "go"
	Revise    Verdict = "revise"
	Rewrite   Verdict = "rewrite"
	NotEnough Verdict = "not enough overlap"
)

// Floor is the agreement below which a field is to be rewritten.
const Floor = 0.25

// VerdictOf judges a figure against the target, usually 0.4. Fewer than
// minItems shared items are not enough, whatever they give.
func VerdictOf(f Figure, target float64, minItems int) Verdict {
	switch {
	case !f.Defined() || f.Items < minItems:
		return NotEnough
	case f.Value >= target:
		return Go
	case f.Value >= Floor:
		return Revise
	}
	return Rewrite
}

// LevelAtLook is the level an interval needs at the nth look at growing data, so
// that all looks together, however many, err in at most 5 %: the share of error
// spent at look n is 6/π²n² of it. From the third look on, ends so far out want
// 5,000 resamples or more.
func LevelAtLook(n int) float64 {
	look := float64(max(n, 1))
	return 1 - 0.05*6/(math.Pi*math.Pi*look*look)
}

// Sufficiency says whether the answers so far settle on which side of a target
// the agreement lies.
type Sufficiency struct {
	Enough bool
	Above  bool // where enough: over the target, else under it
	More   int  // where not enough: about how many more items it takes, if the figure stays; 0 where that cannot be said
	Says   string
}

// EnoughFor judges an estimate whose interval was made at LevelAtLook of this look.
func EnoughFor(e Estimate, target float64) Sufficiency {
	if !e.Defined() || !e.Interval.Defined() {
		return Sufficiency{Says: "Not yet: " + e.Interval.Covers() + "."}
	}
	switch low, high := e.Interval.Low, e.Interval.High; {
	case low > target:
		return Sufficiency{Enough: true, Above: true, Says: fmt.Sprintf("Enough: agreement lies above %.2f (%.2f to %.2f).", target, low, high)}
	case high < target:
		return Sufficiency{Enough: true, Says: fmt.Sprintf("Enough: agreement lies below %.2f (%.2f to %.2f).", target, low, high)}
	}
	s := Sufficiency{More: e.more(target)}
	s.Says = fmt.Sprintf("Not yet: agreement may lie on either side of %.2f (%.2f to %.2f).", target, e.Interval.Low, e.Interval.High)
	if s.More > 0 {
		s.Says += fmt.Sprintf(" If it stays at %.2f, about %d more items settle it.", e.Value, s.More)
	}
	return s
}

// more is how many items bring the nearer end of the interval to the target.
func (e Estimate) more(target float64) int {
	reach := e.Value - e.Interval.Low
	if e.Value < target {
		reach = e.Interval.High - e.Value
	}
	const most = 100_000
	apart := math.Abs(e.Value - target)
	if needed := float64(e.Items) * reach * reach / (apart * apart); apart > 0 && needed < most {
		return int(math.Ceil(needed-tiny*needed)) - e.Items
	}
	return 0
}
