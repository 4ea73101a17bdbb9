package sequence

// An AnnotatorState is how far an annotator has come in a batch, and what is left for them.
type AnnotatorState struct {
	Progress
	BatchClosed          bool
	OnBreak              bool
	LimitReached         bool           // of the day or of the session
	HasReopened          bool           // a submitted item awaits another attempt
	HasReleased          bool           // a released item of the annotator can be claimed again
	HasDeferred          bool           // a skipped item returns at the end
	InCalibration        bool           // a calibration attempt is unresolved
	CalibrationCompleted bool           // its items are labeled, its result is not reviewed
	Submitted            AssignmentKind // kind of the item just submitted; empty: none
	BreakTimeReached     bool           // the time after which a break is due has passed
	Slots                SlotAvailability
	AbandonedReleased    bool // the items that others abandoned were released
}

// A SlotAvailability is what is known about the slots that an annotator can claim.
type SlotAvailability int

// What can be known.
const (
	SlotsUnknown SlotAvailability = iota
	SlotsAvailable
	SlotsExhausted
)

// An Action is what to do next for an annotator.
type Action struct {
	Kind      ActionKind
	Duplicate Duplicate // for OpenDuplicate
}

// An ActionKind is one of the actions below.
type ActionKind string

// The actions. Reclaim, Claim, FindSlot and ReleaseAbandoned can find nothing: the
// caller then records that in the state and calls Next again.
const (
	Stop             ActionKind = "stop" // nothing is left, or nothing may be opened now
	StartBreak       ActionKind = "start_break"
	OpenReopened     ActionKind = "open_reopened"
	OpenCalibration  ActionKind = "open_calibration"
	OpenDuplicate    ActionKind = "open_duplicate"
	Reclaim          ActionKind = "reclaim"           // a released item; then HasReleased is false
	Claim            ActionKind = "claim"             // a free slot; then SlotsExhausted
	FindSlot         ActionKind = "find_slot"         // look for a free slot without claiming it, and set Slots
	ReleaseAbandoned ActionKind = "release_abandoned" // set AbandonedReleased, and SlotsUnknown if there were any
	OpenDeferred     ActionKind = "open_deferred"
)

// Next decides what an annotator gets next in a batch.
func Next(s AnnotatorState) Action {
	switch {
	case s.OnBreak:
		return Action{Kind: Stop}
	case s.isBreakDue():
		return nextBreak(s)
	case s.HasReopened:
		return Action{Kind: OpenReopened}
	case s.LimitReached || s.BatchClosed || s.CalibrationCompleted:
		return Action{Kind: Stop}
	case s.InCalibration:
		return Action{Kind: OpenCalibration}
	}
	return nextItem(s)
}

// nextItem decides which work item or duplicate comes next.
func nextItem(s AnnotatorState) Action {
	if duplicate, isDue := s.NextDuplicate(); isDue {
		return Action{OpenDuplicate, duplicate}
	}
	switch {
	case s.HasReleased:
		return Action{Kind: Reclaim}
	case s.Slots != SlotsExhausted:
		return Action{Kind: Claim}
	case !s.AbandonedReleased:
		return Action{Kind: ReleaseAbandoned}
	case s.HasDeferred:
		return Action{Kind: OpenDeferred}
	}
	if duplicate, ok := s.RemainingDuplicate(); ok {
		return Action{OpenDuplicate, duplicate}
	}
	return Action{Kind: Stop}
}

// isBreakDue reports whether a break follows the item just submitted. Time alone never
// puts a break right after a hidden duplicate.
func (s AnnotatorState) isBreakDue() bool {
	countReached := s.BreakEvery > 0 && s.ItemsSinceBreak >= s.BreakEvery
	return s.Submitted != "" && (countReached || s.BreakTimeReached && s.Submitted != KindDuplicate)
}

// nextBreak starts a break that is due, if anything is left after it.
func nextBreak(s AnnotatorState) Action {
	switch {
	case s.BatchClosed:
		return Action{Kind: Stop}
	case s.HasMore():
		return Action{Kind: StartBreak}
	case s.Slots == SlotsUnknown:
		return Action{Kind: FindSlot}
	}
	return Action{Kind: Stop}
}

// HasMore reports whether anything is known to be left, now or after a break or a limit.
func (s AnnotatorState) HasMore() bool {
	_, hasDuplicate := s.RemainingDuplicate()
	hasOwn := hasDuplicate || s.InCalibration || s.HasReleased || s.HasDeferred
	return s.HasReopened || !s.BatchClosed && (hasOwn || s.Slots == SlotsAvailable)
}
