package sequence

// An AnnotatorState is how far an annotator has come in a batch, and what is left for them.
// It does not have the kinds of earlier items, so that nothing can depend on them.
type AnnotatorState struct {
	BatchClosed          bool
	Paused               bool // by a lead: nothing is opened
	OnBreak              bool
	LimitReached         bool // of the day or of the session
	HasReopened          bool // a submitted item awaits another attempt
	HasSetBack           bool // an undo set back the item that was open
	HasReleased          bool // a released item of the annotator can be opened again
	HasDeferred          bool // a skipped item returns at the end
	InCalibration        bool // a calibration attempt is unresolved
	CalibrationCompleted bool // its items are labeled, its result is not reviewed
	HasSubmitted         bool // an item was just submitted
	ItemsSinceBreak      int
	BreakEvery           int  // items; 0: no breaks after a number of items
	BreakTimeReached     bool // the time after which a break is due has passed
	IsFirst              bool // the first work item is the last one submitted
	IsLast               bool // one item is known to be left
	HiddenDue            bool // the next position is planned for a hidden item
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
type Action string

// The actions. Reclaim, OpenHidden, Claim, FindSlot and ReleaseAbandoned can find
// nothing: the caller then records that in the state and calls Next again.
const (
	Stop             Action = "stop" // nothing is left, or nothing may be opened now
	StartBreak       Action = "start_break"
	OpenReopened     Action = "open_reopened"
	OpenCalibration  Action = "open_calibration"
	OpenSetBack      Action = "open_set_back"
	OpenHidden       Action = "open_hidden"       // if it has an original; then HiddenDue is false
	Reclaim          Action = "reclaim"           // a released item; then HasReleased is false
	Claim            Action = "claim"             // an item of the own queue, or else a free slot; then SlotsExhausted
	FindSlot         Action = "find_slot"         // look for a free slot without claiming it, and set Slots
	ReleaseAbandoned Action = "release_abandoned" // set AbandonedReleased, and SlotsUnknown if there were any
	OpenDeferred     Action = "open_deferred"
)

// Next decides what an annotator gets next in a batch.
func Next(s AnnotatorState) Action {
	switch {
	case s.OnBreak || s.Paused:
		return Stop
	case s.isBreakDue():
		return nextBreak(s)
	case s.HasReopened:
		return OpenReopened
	case s.HasSetBack: // it was open before
		return OpenSetBack
	case s.LimitReached || s.BatchClosed || s.CalibrationCompleted:
		return Stop
	case s.InCalibration:
		return OpenCalibration
	}
	return nextItem(s)
}

// nextItem decides which work item or hidden item comes next. A hidden item takes the place of
// a work item that could be claimed, so that none comes after the work has run out.
func nextItem(s AnnotatorState) Action {
	switch {
	case s.HasReleased:
		return Reclaim
	case s.HiddenDue && s.Slots == SlotsUnknown:
		return FindSlot
	case s.HiddenDue && s.Slots == SlotsAvailable:
		return OpenHidden
	case s.Slots != SlotsExhausted:
		return Claim
	case !s.AbandonedReleased:
		return ReleaseAbandoned
	case s.HasDeferred:
		return OpenDeferred
	}
	return Stop
}

// isBreakDue reports whether a break follows the item just submitted. In a closed batch, an
// item that was set back comes without one, a calibration attempt is not interrupted, and one item
// alone needs no break before it or after it.
func (s AnnotatorState) isBreakDue() bool {
	countReached := s.BreakEvery > 0 && s.ItemsSinceBreak >= s.BreakEvery
	isAlone := s.IsFirst || s.IsLast || s.BatchClosed && s.HasSetBack
	return s.HasSubmitted && !isAlone && !s.InCalibration && (countReached || s.BreakTimeReached)
}

// nextBreak starts a break that is due, if anything is left after it.
func nextBreak(s AnnotatorState) Action {
	switch {
	case s.BatchClosed:
		return Stop
	case s.HasMore():
		return StartBreak
	case s.Slots == SlotsUnknown:
		return FindSlot
	}
	return Stop
}

// HasMore reports whether anything is known to be left, now or after a break or a limit.
func (s AnnotatorState) HasMore() bool {
	hasOwn := s.InCalibration || s.HasReleased || s.HasDeferred
	return s.HasReopened || s.HasSetBack || !s.BatchClosed && (hasOwn || s.Slots == SlotsAvailable)
}
