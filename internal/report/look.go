package report

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Look is the verdict on what there was at some point of growing data. Looks
// come at fixed numbers of shared items, each with an interval wide enough for
// all looks together, so that looking often settles nothing by chance.
type Look struct {
	Items   int           `json:"items"`
	Level   float64       `json:"level"` // of the interval
	Kappa   Figure        `json:"kappa"` // linear-weighted, Conger's
	Word    stats.Verdict `json:"word"`
	Settled bool          `json:"settled"` // the whole interval says so
}

const (
	firstLook     = 20   // shared items; every next look comes at twice as many
	farResamples  = 5000 // from the third look on, whose intervals end far out
	farLooksBegin = 3
)

// looks returns the looks up to the first that settles the verdict.
func (s *study) looks(q question, v *Verdict) []Look {
	items, found := s.sharedItems(q.Key), []Look{}
	for n, at := 1, firstLook; at <= len(items); n, at = n+1, 2*at {
		o := s.o
		if o.Level = stats.LevelAtLook(n); n >= farLooksBegin {
			o.Resamples = max(o.Resamples, farResamples)
		}
		l := Look{Items: at, Level: o.Level, Kappa: figureOf(stats.Estimates(s.only(q, items[:at]), o, stats.CongerKappa(stats.Linear))[0])}
		if κ := l.Kappa; κ.Value != nil && κ.Low != nil {
			l.Word = v.wordOf(*κ.Value)
			l.Settled = v.wordOf(*κ.Low) == v.wordOf(*κ.High)
		}
		if found = append(found, l); l.Settled {
			break
		}
	}
	return found
}

// look says, by the looks so far, whether more overlap would change the verdict.
func (v *Verdict) look(looks []Look) {
	v.Looks = looks
	if v.Word == Prevailing || v.Word == Unvarying {
		v.Enough = "More overlap of the same kind would not help κ: it takes items on which the answers differ."
	}
	if !v.Judged() || len(looks) == 0 {
		return
	}
	next := firstLook << len(looks)
	switch last := looks[len(looks)-1]; {
	case last.Settled && last.Word == v.Word && !v.Sure: // what came since made the interval wider
		v.Enough = fmt.Sprintf("At %d shared items this was settled as “%s”; with what came since it no longer is. %s", last.Items, last.Word, v.Enough)
	case last.Settled && last.Word == v.Word:
		v.Enough = fmt.Sprintf("Enough overlap: at %d shared items the interval, made wide enough to be looked at often, said the same from end to end. More would not change the verdict.", last.Items)
	case last.Settled:
		v.Enough = fmt.Sprintf("At %d shared items this was settled as “%s”, and it has changed since. See how agreement went over time.", last.Items, last.Word)
	case v.Sure:
		v.Enough = fmt.Sprintf("Nearly: the interval says the same from end to end, but not yet widely enough to be looked at often. The next look comes at %d shared items.", next)
	}
}
