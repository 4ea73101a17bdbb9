package sequence

import (
	"testing"

	"pgregory.net/rapid"
)

// pending is a duplicate of the first work item, due at position 4.
var pending = Duplicate{Position: 4, OriginalNo: 1}

func TestNext(t *testing.T) {
	t.Parallel()
	due := Progress{Pending: []Duplicate{pending}, WorkLabeled: 3, ItemsSinceBreak: 3}
	later := Progress{Pending: []Duplicate{{Position: 9, OriginalNo: 1}}, WorkLabeled: 5, ItemsSinceBreak: 5}
	exhausted := AnnotatorState{Slots: SlotsExhausted, AbandonedReleased: true}
	with := func(s AnnotatorState, change func(*AnnotatorState)) AnnotatorState { change(&s); return s }
	for name, tt := range map[string]struct {
		state AnnotatorState
		want  Action
	}{
		"on a break":                        {AnnotatorState{OnBreak: true, HasReopened: true}, Action{Kind: Stop}},
		"reopened item before a limit":      {AnnotatorState{HasReopened: true, LimitReached: true}, Action{Kind: OpenReopened}},
		"reopened item before calibration":  {AnnotatorState{HasReopened: true, InCalibration: true}, Action{Kind: OpenReopened}},
		"limit reached":                     {AnnotatorState{LimitReached: true, HasReleased: true}, Action{Kind: Stop}},
		"batch closed":                      {AnnotatorState{BatchClosed: true, HasDeferred: true}, Action{Kind: Stop}},
		"calibration":                       {AnnotatorState{InCalibration: true, Progress: due}, Action{Kind: OpenCalibration}},
		"calibration to review":             {AnnotatorState{InCalibration: true, CalibrationCompleted: true}, Action{Kind: Stop}},
		"duplicate due":                     {AnnotatorState{Progress: due, HasReleased: true}, Action{OpenDuplicate, pending}},
		"released item":                     {AnnotatorState{HasReleased: true}, Action{Kind: Reclaim}},
		"released item claimed by another":  {AnnotatorState{}, Action{Kind: Claim}},
		"no slot, abandoned unknown":        {AnnotatorState{Slots: SlotsExhausted, HasDeferred: true}, Action{Kind: ReleaseAbandoned}},
		"slots after release":               {AnnotatorState{AbandonedReleased: true}, Action{Kind: Claim}},
		"deferred item last":                {with(exhausted, func(s *AnnotatorState) { s.HasDeferred = true; s.Progress = later }), Action{Kind: OpenDeferred}},
		"remaining duplicate":               {with(exhausted, func(s *AnnotatorState) { s.Progress = later }), Action{OpenDuplicate, later.Pending[0]}},
		"nothing left":                      {exhausted, Action{Kind: Stop}},
		"break not due":                     {AnnotatorState{Submitted: KindWork, Progress: Progress{BreakEvery: 5, ItemsSinceBreak: 4}}, Action{Kind: Claim}},
		"break due by count":                {AnnotatorState{Submitted: KindWork, Slots: SlotsAvailable, Progress: Progress{BreakEvery: 5, ItemsSinceBreak: 5}}, Action{Kind: StartBreak}},
		"break due, slots unknown":          {AnnotatorState{Submitted: KindWork, Progress: Progress{BreakEvery: 5, ItemsSinceBreak: 5}}, Action{Kind: FindSlot}},
		"break due, nothing left":           {AnnotatorState{Submitted: KindWork, Slots: SlotsExhausted, Progress: Progress{BreakEvery: 5, ItemsSinceBreak: 5}}, Action{Kind: Stop}},
		"break due, batch closed":           {AnnotatorState{Submitted: KindWork, HasReopened: true, BatchClosed: true, BreakTimeReached: true}, Action{Kind: Stop}},
		"break due, deferred item left":     {AnnotatorState{Submitted: KindWork, HasDeferred: true, BreakTimeReached: true}, Action{Kind: StartBreak}},
		"break due by time":                 {AnnotatorState{Submitted: KindCalibration, InCalibration: true, BreakTimeReached: true}, Action{Kind: StartBreak}},
		"break by time after a duplicate":   {AnnotatorState{Submitted: KindDuplicate, BreakTimeReached: true}, Action{Kind: Claim}},
		"break by time, nothing submitted":  {AnnotatorState{BreakTimeReached: true}, Action{Kind: Claim}},
		"break by count, nothing submitted": {AnnotatorState{Progress: Progress{BreakEvery: 5, ItemsSinceBreak: 5}}, Action{Kind: Claim}},
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
		Progress: Progress{
			WorkLabeled: rapid.IntRange(0, 30).Draw(t, "work"), DuplicatesLabeled: rapid.IntRange(0, 3).Draw(t, "duplicates"),
			ItemsSinceBreak: rapid.IntRange(0, 12).Draw(t, "since break"), HadBreak: drawBool("had break"), BreakEvery: rapid.IntRange(0, 10).Draw(t, "break every"),
		},
		BatchClosed: drawBool("closed"), OnBreak: drawBool("on break"), LimitReached: drawBool("limit"),
		HasReopened: drawBool("reopened"), HasReleased: drawBool("released"), HasDeferred: drawBool("deferred"),
		InCalibration: drawBool("calibration"), BreakTimeReached: drawBool("time"),
		Submitted: rapid.SampledFrom([]AssignmentKind{"", KindWork, KindDuplicate, KindCalibration, KindInvalidated}).Draw(t, "submitted"),
	}
	s.CalibrationCompleted = s.InCalibration && drawBool("completed")
	for i := range rapid.IntRange(0, 3).Draw(t, "pending") {
		s.Pending = append(s.Pending, Duplicate{Position: 8 * (i + 1), OriginalNo: 1 + i})
	}
	return s
}

// learn carries out an action that found nothing.
func (s AnnotatorState) learn(kind ActionKind) AnnotatorState {
	switch kind {
	case Reclaim:
		s.HasReleased = false
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
		tried := map[ActionKind]bool{}
		for range 5 {
			action := Next(s)
			if tried[action.Kind] {
				t.Fatalf("%s comes a second time", action.Kind)
			}
			tried[action.Kind] = true
			switch action.Kind {
			case Reclaim, Claim, ReleaseAbandoned, FindSlot:
				if action.Kind != FindSlot && !mayOpen {
					t.Fatalf("%s, although nothing may be opened", action.Kind)
				}
				s = s.learn(action.Kind)
				continue
			case OpenCalibration, OpenDuplicate, OpenDeferred:
				if !mayOpen || s.InCalibration != (action.Kind == OpenCalibration) {
					t.Fatalf("%s, although nothing of it may be opened", action.Kind)
				}
			case StartBreak:
				if s.Submitted == "" || s.OnBreak || !s.HasMore() {
					t.Fatal("a break that is not due")
				}
			case OpenReopened:
				if !s.HasReopened || s.OnBreak {
					t.Fatal("a reopened item that there is not, or during a break")
				}
			}
			return
		}
		t.Fatal("no end after five actions")
	})
}

// TestNext_BeforeBreak_OpensNothing checks that after a submit with a break due, the result is
// a break or nothing.
func TestNext_BeforeBreak_OpensNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.Slots = rapid.SampledFrom([]SlotAvailability{SlotsUnknown, SlotsAvailable, SlotsExhausted}).Draw(t, "slots")
		if s.OnBreak || !s.isBreakDue() {
			return
		}
		switch action := Next(s); action.Kind {
		case StartBreak, Stop, FindSlot:
		default:
			t.Fatalf("%s before a break that is due", action.Kind)
		}
	})
}
