package labeling

import "testing"

func TestWhatFollowsACalibrationIsTheProjectsChoice(t *testing.T) {
	t.Parallel()
	far := []string{"safety"}
	for name, tt := range map[string]struct {
		passage     Passage
		goes, again bool
	}{
		"not finished":                  {Passage{AfterMiss: GoOn}, false, false},
		"near the reference":            {Passage{Done: true, AfterMiss: Wait}, true, false},
		"a miss, sections not read":     {Passage{Done: true, Missed: far, AfterMiss: GoOn}, false, false},
		"a miss, sections read":         {Passage{Done: true, Missed: far, Read: far, AfterMiss: GoOn}, true, false},
		"a miss, to be taken again":     {Passage{Done: true, Missed: far, Read: far, AfterMiss: Again}, false, true},
		"a miss, waiting for the lead":  {Passage{Done: true, Missed: far, Read: far, AfterMiss: Wait}, false, false},
		"gone on already":               {Passage{Done: true, Settled: true, AfterMiss: GoOn}, false, false},
		"again, with sections not read": {Passage{Done: true, Missed: far, AfterMiss: Again}, false, false},
	} {
		if got := tt.passage.GoesOn() == nil; got != tt.goes {
			t.Errorf("%s: goes on: %v", name, got)
		}
		if got := tt.passage.TakesAgain() == nil; got != tt.again {
			t.Errorf("%s: takes it again: %v", name, got)
		}
	}
}
