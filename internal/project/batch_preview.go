package project

import "github.com/labelwright/labelwright/internal/protocol"

// A BatchPreview says what a batch would mean, before it is opened.
type BatchPreview struct {
	Items             int
	Annotators        int
	Overlap           int
	Slots             int      // labels in all: items × overlap
	ItemsPerAnnotator IntRange // work items a person
	// What comes besides the work: items with a reference before it, and items
	// hidden in it that come a second time, for each person.
	CalibrationCount int
	DuplicateCount   int
	Minutes          IntRange // a person, at the protocol's pace; zero: it names none
	BreakMinutes     int      // minutes of planned breaks a person, at most
	SharedItems      float64  // items that two annotators both label, on average over all pairs
	// Width is that of the 95 % interval of κ to expect, from end to end; 0: it
	// cannot be told. report.PreviewBatch fills it in.
	KappaCIWidth float64
}

// A IntRange is from the least to the most.
type IntRange struct{ Min, Max int }

// PreviewBatch returns what handing out items would mean. Everybody's pace is taken
// to be the protocol's, and everybody to take an even part. Minutes and breaks
// count calibration and duplicates too, where h says how many.
func PreviewBatch(session protocol.SessionPlan, s BatchSpec, items int) BatchPreview {
	n := len(s.Annotators)
	p := BatchPreview{Items: items, Annotators: n, Overlap: s.Overlap, Slots: items * s.Overlap,
		CalibrationCount: max(s.CalibrationCount, 0), DuplicateCount: max(s.DuplicateCount, 0)}
	if n == 0 {
		return p
	}
	p.ItemsPerAnnotator = IntRange{p.Slots / n, (p.Slots + n - 1) / n}
	extra := p.CalibrationCount + p.DuplicateCount
	p.Minutes = IntRange{estimateMinutes(p.ItemsPerAnnotator.Min+extra, session.MinSecondsPerItem), estimateMinutes(p.ItemsPerAnnotator.Max+extra, session.MaxSecondsPerItem)}
	if s.BreakEvery > 0 && p.ItemsPerAnnotator.Max > 0 {
		p.BreakMinutes = (p.ItemsPerAnnotator.Max + extra - 1) / s.BreakEvery * s.BreakMinutes
	}
	if n > 1 {
		p.SharedItems = float64(p.Slots) * float64(s.Overlap-1) / float64(n*(n-1))
	}
	return p
}

// estimateMinutes returns how long items take at a pace of seconds an item.
func estimateMinutes(items, seconds int) int { return (items*seconds + 30) / 60 }
