package project

import (
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// PlanSequence returns what each annotator's path through a batch is to hold: items
// handed out by h, of a project that has references for so many others. What h
// asks for and cannot be had is a fault; UseDefault takes what there is.
func (s BatchSpec) PlanSequence(session protocol.SessionPlan, items, references int) (sequence.Plan, error) {
	plan := sequence.Plan{Calibration: s.CalibrationCount, Duplicates: s.DuplicateCount, BreakEvery: s.BreakEvery}
	if n := len(s.Annotators); n > 0 {
		plan.Work = (items*s.Overlap + n - 1) / n
	}
	if s.CalibrationCount == UseDefault {
		plan.Calibration = min(session.CalibrationItems, references)
	}
	if plan.Calibration > references {
		return plan, FormProblems{{"calibration", fault.Conflict.Errorf(
			"A calibration set of %d was asked for, and %d items have reference answers. Give more items a reference, or ask for fewer.", plan.Calibration, references)}}
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
