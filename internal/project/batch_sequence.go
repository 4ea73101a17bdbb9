package project

import (
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// PlanSequence plans the sequence of each annotator in a batch with this many items.
// references is the number of items with reference answers. Requests that cannot be met
// are FormProblems; UseDefault is reduced to what is possible.
func (s BatchSpec) PlanSequence(session protocol.SessionPlan, items, references int) (sequence.Plan, error) {
	plan := sequence.Plan{Calibration: s.CalibrationCount, Duplicates: s.DuplicateCount}
	if n := len(s.Annotators); n > 0 {
		plan.Work = (items*s.Overlap + n - 1) / n
	}
	if s.CalibrationCount == UseDefault {
		plan.Calibration = min(session.CalibrationItems, references)
	}
	if plan.Calibration > references {
		return plan, FormProblems{{"calibration", fault.Conflict.Errorf(
			"You asked for %d calibration items, but only %d items have reference answers. Add reference answers or lower the number.", plan.Calibration, references)}}
	}
	if s.DuplicateCount == UseDefault {
		plan.Duplicates = session.HiddenDuplicates
		return plan.Fit(), nil
	}
	if _, err := plan.Arrange(1, 1); err != nil {
		return plan, FormProblems{{"duplicates", err}}
	}
	return plan, nil
}
