package sequence

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNext(t *testing.T) {
	t.Parallel()
	breakDue := AnnotatorState{HasSubmitted: true, BreakEvery: 5, ItemsSinceBreak: 5}
	with := func(s AnnotatorState, change func(*AnnotatorState)) AnnotatorState { change(&s); return s }
	for name, tt := range map[string]struct {
		state AnnotatorState
		want  Action
	}{
		"on a break":                       {AnnotatorState{OnBreak: true, HasReopened: true}, Stop},
		"reopened item before a limit":     {AnnotatorState{HasReopened: true, LimitReached: true}, OpenReopened},
		"reopened item before calibration": {AnnotatorState{HasReopened: true, InCalibration: true}, OpenReopened},
		"limit reached":                    {AnnotatorState{LimitReached: true, HasReleased: true}, Stop},
		"batch closed":                     {AnnotatorState{BatchClosed: true, HasDeferred: true}, Stop},
		"calibration":                      {AnnotatorState{InCalibration: true, HiddenDue: true}, OpenCalibration},
		"calibration to review":            {AnnotatorState{InCalibration: true, CalibrationCompleted: true}, Stop},
		"released item before a duplicate": {AnnotatorState{HasReleased: true, HiddenDue: true}, Reclaim},
		"duplicate due, slots unknown":     {AnnotatorState{HiddenDue: true}, FindSlot},
		"duplicate due":                    {AnnotatorState{HiddenDue: true, Slots: SlotsAvailable}, OpenHidden},
		"duplicate due after the work": {AnnotatorState{HiddenDue: true, Slots: SlotsExhausted,
			AbandonedReleased: true}, Stop},
		"duplicate due, deferred item left": {AnnotatorState{HiddenDue: true, Slots: SlotsExhausted,
			AbandonedReleased: true, HasDeferred: true}, OpenDeferred},
		"duplicate without an original":    {AnnotatorState{Slots: SlotsAvailable}, Claim},
		"released item":                    {AnnotatorState{HasReleased: true}, Reclaim},
		"released item claimed by another": {AnnotatorState{}, Claim},
		"no slot, abandoned unknown": {AnnotatorState{Slots: SlotsExhausted, HasDeferred: true},
			ReleaseAbandoned},
		"slots after release": {AnnotatorState{AbandonedReleased: true}, Claim},
		"deferred item last": {AnnotatorState{Slots: SlotsExhausted, AbandonedReleased: true,
			HasDeferred: true}, OpenDeferred},
		"nothing left":  {AnnotatorState{Slots: SlotsExhausted, AbandonedReleased: true}, Stop},
		"break not due": {with(breakDue, func(s *AnnotatorState) { s.ItemsSinceBreak = 4 }), Claim},
		"break due by count": {with(breakDue, func(s *AnnotatorState) { s.Slots = SlotsAvailable }),
			StartBreak},
		"break due after the first item": {with(breakDue,
			func(s *AnnotatorState) { s.Slots, s.IsFirst = SlotsAvailable, true }), Claim},
		"break due before the last item": {with(breakDue,
			func(s *AnnotatorState) { s.Slots, s.IsLast = SlotsAvailable, true }), Claim},
		"break due before a duplicate": {with(breakDue,
			func(s *AnnotatorState) { s.Slots = SlotsAvailable; s.HiddenDue = true }), StartBreak},
		"break due, slots unknown": {breakDue, FindSlot},
		"break due, nothing left": {with(breakDue, func(s *AnnotatorState) { s.Slots = SlotsExhausted }),
			Stop},
		"break due, batch closed": {with(breakDue,
			func(s *AnnotatorState) { s.HasReopened = true; s.BatchClosed = true }), Stop},
		"break due, deferred item left": {with(breakDue, func(s *AnnotatorState) { s.HasDeferred = true }),
			StartBreak},
		"break due by time": {AnnotatorState{HasSubmitted: true, Slots: SlotsAvailable,
			BreakTimeReached: true}, StartBreak},
		"break due inside the calibration": {with(breakDue, func(s *AnnotatorState) {
			s.InCalibration, s.BreakTimeReached = true, true
		}), OpenCalibration},
		"break by time, nothing submitted": {AnnotatorState{BreakTimeReached: true}, Claim},
		"break by count, nothing submitted": {with(breakDue, func(s *AnnotatorState) { s.HasSubmitted = false }),
			Claim},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Next(tt.state); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func drawState(t *rapid.T) AnnotatorState {
	drawBool := func(name string) bool { return rapid.Bool().Draw(t, name) }
	s := AnnotatorState{
		ItemsSinceBreak: rapid.IntRange(0, 12).Draw(t, "since break"), BreakEvery: rapid.IntRange(0, 10).Draw(t,
			"break every"),
		BatchClosed: drawBool("closed"), OnBreak: drawBool("on break"), LimitReached: drawBool("limit"),
		HasReopened: drawBool("reopened"), HasSetBack: drawBool("set back"), HasReleased: drawBool("released"),
		HasDeferred:   drawBool("deferred"),
		InCalibration: drawBool("calibration"), BreakTimeReached: drawBool("time"),
		HasSubmitted: drawBool("submitted"),
		IsFirst:      drawBool("first"), IsLast: drawBool("last"), HiddenDue: drawBool("duplicate due"),
		Slots: rapid.SampledFrom([]SlotAvailability{SlotsUnknown, SlotsAvailable, SlotsExhausted}).Draw(t, "slots"),
	}
	s.CalibrationCompleted = s.InCalibration && drawBool("completed")
	return s
}

// learn carries out an action that found nothing.
func (s AnnotatorState) learn(action Action) AnnotatorState {
	switch action {
	case Reclaim:
		s.HasReleased = false
	case OpenHidden:
		s.HiddenDue = false
	case Claim, FindSlot:
		s.Slots = SlotsExhausted
	case ReleaseAbandoned:
		s.AbandonedReleased = true
	}
	return s
}

// TestNext_FindsNothing_Ends checks that a caller that records what it learned comes to an
// end, and that nothing opens that must not.
func TestNext_FindsNothing_Ends(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		mayOpen := !s.OnBreak && !s.BatchClosed && !s.LimitReached && !s.CalibrationCompleted
		tried := map[Action]bool{}
		for range 7 {
			action := Next(s)
			if tried[action] {
				t.Fatalf("%s comes a second time", action)
			}
			tried[action] = true
			switch action {
			case Reclaim, Claim, ReleaseAbandoned, FindSlot, OpenHidden:
				if action != FindSlot && (!mayOpen || s.InCalibration) {
					t.Fatalf("%s, although nothing may be opened", action)
				}
				if action == OpenHidden && (!s.HiddenDue || s.Slots != SlotsAvailable) {
					t.Fatal("a duplicate that is not due, or in place of no work item")
				}
				s = s.learn(action)
				continue
			case OpenCalibration, OpenDeferred:
				if !mayOpen || s.InCalibration != (action == OpenCalibration) {
					t.Fatalf("%s, although nothing of it may be opened", action)
				}
			case StartBreak:
				if !s.HasSubmitted || s.OnBreak || !s.HasMore() {
					t.Fatal("a break that is not due")
				}
			case OpenSetBack:
				if !s.HasSetBack || s.OnBreak {
					t.Fatal("an item set back that there is not, or during a break")
				}
			case OpenReopened:
				if !s.HasReopened || s.OnBreak {
					t.Fatal("a reopened item that there is not, or during a break")
				}
			}
			return
		}
		t.Fatal("no end after seven actions")
	})
}

// TestNext_BeforeBreak_OpensNothing checks that after a submit with a break due, the result is
// a break or nothing.
func TestNext_BeforeBreak_OpensNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		if s.OnBreak || !s.isBreakDue() {
			return
		}
		switch action := Next(s); action {
		case StartBreak, Stop, FindSlot:
		default:
			t.Fatalf("%s before a break that is due", action)
		}
	})
}

// TestNext_HiddenDue_ChangesNoBreak checks that a duplicate that is due neither causes nor
// prevents a break, and only takes the place of a claimed item.
func TestNext_HiddenDue_ChangesNoBreak(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.HiddenDue = false
		without := Next(s)
		s.HiddenDue = true
		if with := Next(s); with != without && (without != Claim || with != FindSlot && with != OpenHidden) {
			t.Fatalf("%s instead of %s", with, without)
		}
	})
}
