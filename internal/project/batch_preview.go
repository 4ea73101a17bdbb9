package project

import "github.com/labelwright/labelwright/internal/protocol"

// A BatchPreview shows the effort and overlap of a batch before it is opened.
type BatchPreview struct {
	Items             int
	Annotators        int
	Overlap           int
	Slots             int      // labels in total: items × overlap
	ItemsPerAnnotator IntRange // without calibration items and duplicates
	CalibrationCount  int      // per annotator
	DuplicateCount    int      // per annotator
	Minutes           IntRange // per annotator at the protocol's pace; zero: it has none
	BreakMinutes      int      // planned breaks per annotator, at most
	SharedItems       float64  // items that both annotators of a pair label, averaged over pairs
	KappaCIWidth      float64  // expected width of the 95% CI of κ, set by report.PreviewBatch; 0: unknown
}

// An IntRange is a range of integers, both ends included.
type IntRange struct{ Min, Max int }

// PreviewBatch previews a batch of items. It assumes the protocol's pace and equal shares
// for all annotators. Minutes and breaks include calibration items and duplicates.
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

// estimateMinutes returns the time for items at a pace in seconds per item.
func estimateMinutes(items, seconds int) int { return (items*seconds + 30) / 60 }
