package project

import (
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
)

// A BatchPlan is the items of a batch and their assignment. It follows from the spec, the
// available items and the annotators alone.
type BatchPlan struct {
	Items      []int32 // drawn, as indexes of the available items
	Records    []int32 // of the drawn items; nil: not known
	Labels     []uint8 // of each drawn item
	Assignment AssignmentPlan
	had        Lists  // of each item: the annotators who had it in closed batches
	isComplete []bool // of each record: all its available items are drawn
}

// PlanItems draws the items of a batch and assigns their labels. The shares of the annotators are
// those of s.Shares, in the order of s.Annotators.
// In a pool, the assignment is what to expect if all annotators work equally fast.
func (s BatchSpec) PlanItems(available BatchItems, annotators []PlanAnnotator) (BatchPlan, error) {
	items, err := s.drawItems(available)
	if err != nil {
		return BatchPlan{}, FormProblems{{"sample", err}}
	}
	drawn := available.at(items)
	p := BatchPlan{Items: items, Records: drawn.Records, Labels: s.labelsPerItem(drawn)}
	if err := checkLabels(p.Labels, len(annotators)); err != nil {
		return p, FormProblems{{"overlap", err}}
	}
	if len(drawn.Earlier) > 0 {
		for i := range items {
			p.had.Append(drawn.Earlier[i].Annotators...)
		}
	}
	p.isComplete = completeRecords(available.Records, items)
	p.Assignment = PreviewAssignments(s.assignmentRequest(p, annotators))
	return p, nil
}

// OrderQueues adds the queues to a plan. In a pool, all labels are in one queue.
func (s BatchSpec) OrderQueues(p BatchPlan, annotators []PlanAnnotator) BatchPlan {
	r := s.assignmentRequest(p, annotators)
	if s.Assignment == Pool {
		p.Assignment.QueueNos = orderPool(r, p.Assignment.Owners)
	} else {
		p.Assignment.QueueNos = orderQueues(r, p.Assignment)
	}
	return p
}

func (s BatchSpec) assignmentRequest(p BatchPlan, annotators []PlanAnnotator) AssignmentRequest {
	r := AssignmentRequest{Seed: s.Seed, Annotators: annotators, Labels: p.Labels, Had: p.had}
	if s.ByRecord {
		r.Records = p.Records
	}
	return r
}

// checkLabels rejects items that need more labels than there are annotators. Labels of earlier batches count, so one
// annotator can collect the last label of each item.
func checkLabels(labels []uint8, annotators int) error {
	if most := int(slices.Max(append([]uint8{0}, labels...))); annotators > 0 && most > annotators {
		return fault.Invalid.Errorf("Some items need %d labels of this batch, and so at least %d annotators. You chose %d.",
			most, most, annotators)
	}
	total := 0
	for _, count := range labels {
		total += int(count)
	}
	if total > maxSlots {
		return fault.Invalid.Errorf("A batch can have at most %s labels. Open several batches.", formatCount(maxSlots))
	}
	return nil
}

// completeRecords reports for each record whether all its items are drawn.
func completeRecords(records, items []int32) []bool {
	if len(records) == 0 {
		return nil
	}
	missing := make([]int, slices.Max(records)+1)
	for _, record := range records {
		missing[record]++
	}
	for _, i := range items {
		missing[records[i]]--
	}
	isComplete := make([]bool, len(missing))
	for record, count := range missing {
		isComplete[record] = count == 0
	}
	return isComplete
}
