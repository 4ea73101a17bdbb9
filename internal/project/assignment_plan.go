package project

import (
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
)

// Unassigned is the owner of a label that no annotator can give.
const Unassigned = -1

// A PlanAnnotator is an annotator to whom labels are assigned.
type PlanAnnotator struct {
	ID    account.ID
	Share float64 // of the labels, relative to the other annotators; more than 0
	Load  int     // labels assigned before, which count for the balance
}

// Lists holds one list of annotator indexes per item. It needs no slice for each item.
type Lists struct {
	Start  []int32 // of each item's list in Values, and the end of the last; empty: all lists are empty
	Values []int32
}

// At returns the list of an item.
func (l Lists) At(item int) []int32 {
	if len(l.Start) == 0 {
		return nil
	}
	return l.Values[l.Start[item]:l.Start[item+1]]
}

// Append adds the list of the next item.
func (l *Lists) Append(values ...int32) {
	if len(l.Start) == 0 {
		l.Start = append(l.Start, 0)
	}
	l.Values = append(l.Values, values...)
	l.Start = append(l.Start, int32(len(l.Values)))
}

// An AssignmentRequest is the input of PlanAssignments. Annotators are referred to by their
// index, items by theirs.
type AssignmentRequest struct {
	Seed       int64
	Annotators []PlanAnnotator
	Labels     []uint8 // needed by each item
	Had        Lists   // the annotators who had each item before, and may not get it again
	// of each item; a record is assigned as a whole and stays together in a queue; nil: items are independent
	Records []int32
	Pairs   []int32 // items that each pair shares already, as in AssignmentPlan; nil: only those in Had
}

// An AssignmentPlan gives every needed label an owner and a place in the owner's queue.
type AssignmentPlan struct {
	Owners     Lists   // of the needed labels of each item, as indexes of annotators, or Unassigned
	QueueNos   []int32 // places in the owners' queues, from 1, parallel to Owners.Values; 0 if unassigned
	Loads      []int   // labels that each annotator gets
	Pairs      []int32 // items that annotators a and b share, at a×len(Annotators)+b, with those before
	Unassigned int     // labels that no annotator can give
}

// PlanAssignments assigns the labels that items need. The plan follows from the request
// alone: the same request gives the same plan.
//
// It promises the following.
//   - Every needed label has one owner, and no annotator gets an item twice, or one that the
//     annotator had. Labels are unassigned only where an item needs more labels than there
//     are annotators who did not have it.
//   - Loads, with those before, follow the shares, rounded by largest remainder. Equal
//     shares without earlier loads differ by at most one. Where Load, Had or the number of
//     items prevents that, no reassignment of labels makes the loads more equal.
//   - With records, loads differ by at most the size of the largest record, given equal
//     shares, the same number of labels for all items, and nothing in Load and Had.
//   - With equal shares, two labels for each item, no records, and nothing in Load and Had,
//     the numbers of items that two annotators share differ by at most one. In all other
//     cases they are brought together by local search. They need not come within one of each
//     other: for some numbers no such design exists. In 1,000 random plans they came within
//     two with three labels, and within four with four or five.
//   - Each queue is a random order of the annotator's items. The items of a record are
//     adjacent, in random order.
func PlanAssignments(r AssignmentRequest) AssignmentPlan {
	return planAssignments(r, true)
}

// PreviewAssignments returns the plan of PlanAssignments without the queues.
func PreviewAssignments(r AssignmentRequest) AssignmentPlan {
	return planAssignments(r, false)
}

func planAssignments(r AssignmentRequest, withQueues bool) AssignmentPlan {
	d := newDistribution(r)
	if d.isTournament(r) {
		d.assignTournament()
	}
	d.assignRest()
	d.balanceLoads()
	d.balancePairs()
	d.splitRecords(r)
	plan := AssignmentPlan{Owners: d.owners, Loads: d.loads, Pairs: d.pairs}
	for _, owner := range plan.Owners.Values {
		if owner == Unassigned {
			plan.Unassigned++
		}
	}
	if withQueues {
		plan.QueueNos = orderQueues(r, plan)
	}
	return plan
}

// SharedPerPair returns the least and the most items that two annotators share.
func (p AssignmentPlan) SharedPerPair() IntRange {
	return pairRange(p.Pairs, len(p.Loads))
}

// pairRange returns the least and the greatest count of a pair; zero if there is none.
func pairRange(pairs []int32, n int) (r IntRange) {
	isFirst := true
	for a := range n {
		for _, count := range pairs[a*n : a*n+a] {
			if c := int(count); isFirst {
				r, isFirst = IntRange{c, c}, false
			} else {
				r = IntRange{min(r.Min, c), max(r.Max, c)}
			}
		}
	}
	return r
}

// newPlanRand returns the random numbers of one part of a plan.
func newPlanRand(seed int64, part uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(seed), part))
}
