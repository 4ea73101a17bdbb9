package project

import "github.com/labelwright/labelwright/internal/protocol"

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
	// Width is that of the 95 % interval of κ to expect, from end to end; 0: it
	// cannot be told. report.Foresee fills it in.
	Width float64
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
