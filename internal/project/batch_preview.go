package project

import (
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A BatchPreview shows the effort and overlap of a batch before it is opened. It is computed
// from the plan with which the batch opens.
type BatchPreview struct {
	Items             int
	Records           int // to which the items belong; 0: not known
	CompleteRecords   int // of which the batch has every available item
	Annotators        int
	Labels            int
	LabelsPerItem     IntRange
	MultiLabelItems   int // with at least two labels, on which agreement rests
	IsPool            bool
	Loads             []int    // items of each annotator, without calibration and hidden items
	ItemsPerAnnotator IntRange // the range of Loads
	CalibrationCount  int      // per annotator
	DuplicateCount    int      // per annotator
	GoldCount         int      // per annotator
	Minutes           IntRange // per annotator at the protocol's pace; zero: it has none
	BreakMinutes      int      // planned breaks per annotator, at most
	SharedItems       IntRange // items that both annotators of a pair label
	Unassigned        int      // labels that no annotator can give
	UnavailableItems  int      // chosen, but in a batch already or not to be drawn
	Precision         Precision
}

// A Precision is how exactly a batch is expected to measure agreement and differences between groups.
// report.PreviewBatch sets it. Zero widths are unknown.
type Precision struct {
	Target         float64 `json:"target" doc:"κ"`
	WidthAtTarget  float64 `json:"width_at_target" doc:"Of the 95% confidence interval if κ meets the target."`
	WidthAtHalf    float64 `json:"width_at_half" doc:"If κ is half the target."`
	ItemsForTenth  int     `json:"items_for_tenth" doc:"Items that an interval of ± 0.1 needs; 0: reached or unknown."`
	LabelsForTenth int     `json:"labels_for_tenth" doc:"Labels per item that it needs with the same items; 0: reached or not possible."`
	Difference     float64 `json:"detectable_difference" doc:"Difference between two groups of equal size, in points of the longest scale, that is shown with 80% power; 0: too few items."`
	Hours          float64 `json:"hours" doc:"That all labels take at the protocol's pace; 0: it has none."`
}

// An IntRange is a range of integers, both ends included.
type IntRange struct{ Min, Max int }

// PreviewBatch previews a batch with its plan. It assumes the protocol's pace. Minutes and
// breaks include calibration and hidden items.
func PreviewBatch(session protocol.SessionPlan, s BatchSpec, plan BatchPlan) BatchPreview {
	p := BatchPreview{Items: len(plan.Items), Annotators: len(plan.Assignment.Loads),
		Labels: len(plan.Assignment.Owners.Values),
		IsPool: s.Assignment == Pool, Loads: plan.Assignment.Loads, SharedItems: plan.Assignment.SharedPerPair(),
		Unassigned:       plan.Assignment.Unassigned,
		CalibrationCount: max(s.CalibrationCount, 0), DuplicateCount: max(s.DuplicateCount, 0), GoldCount: s.GoldCount}
	p.Records, p.CompleteRecords = plan.countRecords()
	for _, labels := range plan.Labels {
		if labels > 1 {
			p.MultiLabelItems++
		}
	}
	if p.Items > 0 {
		p.LabelsPerItem = IntRange{int(slices.Min(plan.Labels)), int(slices.Max(plan.Labels))}
	}
	if p.Annotators > 0 {
		p.ItemsPerAnnotator = IntRange{slices.Min(p.Loads), slices.Max(p.Loads)}
	}
	extra := p.CalibrationCount + p.DuplicateCount + p.GoldCount
	p.Minutes = IntRange{estimateMinutes(p.ItemsPerAnnotator.Min+extra, session.MinSecondsPerItem),
		estimateMinutes(p.ItemsPerAnnotator.Max+extra, session.MaxSecondsPerItem)}
	if s.BreakEvery > 0 && p.ItemsPerAnnotator.Max > 0 {
		p.BreakMinutes = (p.ItemsPerAnnotator.Max + extra - 1) / s.BreakEvery * s.BreakMinutes
	}
	return p
}

// countRecords counts the records of the plan, and those that are complete.
func (p BatchPlan) countRecords() (records, complete int) {
	isCounted := make([]bool, len(p.isComplete))
	for _, record := range p.Records {
		if isCounted[record] {
			continue
		}
		isCounted[record] = true
		if records++; p.isComplete[record] {
			complete++
		}
	}
	return records, complete
}

// MinutesOf returns the time of an annotator with that many items, at the protocol's pace.
func (p BatchPreview) MinutesOf(session protocol.SessionPlan, load int) IntRange {
	items := load + p.CalibrationCount + p.DuplicateCount + p.GoldCount
	return IntRange{estimateMinutes(items, session.MinSecondsPerItem), estimateMinutes(items,
		session.MaxSecondsPerItem)}
}

// estimateMinutes returns the time for items at a pace in seconds per item.
func estimateMinutes(items, seconds int) int { return (items*seconds + 30) / 60 }
