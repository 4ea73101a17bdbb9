package project

import (
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// Path returns what each annotator's path through a batch is to hold: items
// handed out by h, of a project that has references for so many others. What h
// asks for and cannot be had is a fault; AsPlanned takes what there is.
func (h Handout) Path(session protocol.Plan, items, references int) (sequence.Plan, error) {
	plan := sequence.Plan{Calibration: h.Calibration, Duplicates: h.Duplicates, BreakEvery: h.BreakEvery}
	if n := len(h.Annotators); n > 0 {
		plan.Work = (items*h.Overlap + n - 1) / n
	}
	if h.Calibration == AsPlanned {
		plan.Calibration = min(session.Calibration, references)
	}
	if plan.Calibration > references {
		return plan, Problems{{"calibration", fault.Conflict.Says(
			"A calibration set of %d was asked for, and %d items have reference answers. Give more items a reference, or ask for fewer.", plan.Calibration, references)}}
	}
	if h.Duplicates == AsPlanned {
		plan.Duplicates = session.Duplicates
		return plan.Fewer(), nil
	}
	if _, err := plan.Lay(1, 1); err != nil {
		return plan, Problems{{"duplicates", err}}
	}
	return plan, nil
}
