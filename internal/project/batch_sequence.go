package project

import (
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// PlanSequence plans the sequence of the annotator with the fewest items, so that the
// calibration items and hidden items fit for all. references is the number of items with
// reference answers. Requests that cannot be met are FormProblems; UseDefault is reduced to
// what is possible.
func (s BatchSpec) PlanSequence(session protocol.SessionPlan, fewestItems, references int) (sequence.Plan, error) {
	plan := s.Sequence(fewestItems)
	if s.CalibrationCount == UseDefault {
		plan.Calibration = min(session.CalibrationItems, references)
	}
	if plan.Calibration > references {
		return plan, FormProblems{{"calibration", fault.Conflict.Errorf(
			"You asked for %d calibration items, but only %d items have reference answers. Add reference answers or lower the number.", plan.Calibration, references)}}
	}
	if left := references - plan.Calibration; plan.Gold > left {
		return plan, FormProblems{{"gold", fault.Conflict.Errorf(
			"You asked for %d gold items, but only %d items with reference answers are left after the calibration set. Add reference answers or lower the number.", plan.Gold, left)}}
	}
	if err := plan.CheckGold(); err != nil {
		return plan, FormProblems{{"gold", err}}
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

// CheckCalibration returns FormProblems if a batch has fewer calibration items than the protocol
// asks for, without a reason.
func (s BatchSpec) CheckCalibration(session protocol.SessionPlan) error {
	if s.CalibrationCount < session.CalibrationItems && s.FewerCalibration == "" {
		return FormProblems{{"fewer_calibration", fault.Conflict.Errorf(
			"The protocol asks for %d calibration items, and this batch has %d. Add items with reference answers, or give a reason for fewer (in a command: --fewer-calibration). It is recorded in the audit log.",
			session.CalibrationItems, s.CalibrationCount)}}
	}
	return nil
}

// Sequence returns the sequence of an annotator with that many items.
func (s BatchSpec) Sequence(load int) sequence.Plan {
	return sequence.Plan{Calibration: s.CalibrationCount, Work: load, Duplicates: s.DuplicateCount, Gold: s.GoldCount}
}
