package project

import (
	"math"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Plan says what a batch would mean, before it is opened.
type Plan struct {
	Items      int
	Annotators int
	Overlap    int
	Slots      int  // labels in all: items × overlap
	Each       Span // work items a person
	// What comes besides the work: items with a reference before it, and items
	// hidden in it that come a second time, for each person.
	Calibration int
	Duplicates  int
	Minutes     Span    // a person, at the protocol's pace; zero: it names none
	Breaks      int     // minutes of planned breaks a person, at most
	Shared      float64 // items that two annotators both label, on average over all pairs
}

// A Span is from the least to the most.
type Span struct{ From, To int }

// Foresee returns what handing out items would mean. Everybody's pace is taken
// to be the protocol's, and everybody to take an even part. Minutes and breaks
// count calibration and duplicates too, where h says how many.
func Foresee(session protocol.Plan, h Handout, items int) Plan {
	n := len(h.Annotators)
	p := Plan{Items: items, Annotators: n, Overlap: h.Overlap, Slots: items * h.Overlap,
		Calibration: max(h.Calibration, 0), Duplicates: max(h.Duplicates, 0)}
	if n == 0 {
		return p
	}
	p.Each = Span{p.Slots / n, (p.Slots + n - 1) / n}
	more := p.Calibration + p.Duplicates
	p.Minutes = Span{minutes(p.Each.From+more, session.PaceFrom), minutes(p.Each.To+more, session.PaceTo)}
	if h.BreakEvery > 0 && p.Each.To > 0 {
		p.Breaks = (p.Each.To + more - 1) / h.BreakEvery * h.BreakMinutes
	}
	if n > 1 {
		p.Shared = float64(p.Slots) * float64(h.Overlap-1) / float64(n*(n-1))
	}
	return p
}

// minutes returns how long items take at a pace of seconds an item.
func minutes(items, seconds int) int { return (items*seconds + 30) / 60 }

// Width returns how far κ of two annotators is likely to lie from what they
// would reach on endless items: half the 95 % interval, were they to agree on
// four items of five where chance alone makes them agree on one in two, and to
// share as many items as planned. It is NaN where they share none.
//
// The standard error is √(p(1−p)/(n(1−q)²)), Cohen (1960), with p = 0.8 and
// q = 0.5.
func (p Plan) Width() float64 {
	const agreed, chance, z = 0.8, 0.5, 1.96
	if p.Shared <= 0 {
		return math.NaN()
	}
	return z * math.Sqrt(agreed*(1-agreed)/p.Shared) / (1 - chance)
}
