package labeling

import "testing"

func TestCalibrationAttempt_MissPolicy(t *testing.T) {
	t.Parallel()
	missed := []string{"safety"}
	for name, tt := range map[string]struct {
		passage     CalibrationAttempt
		goes, again bool
	}{
		"not finished":                  {CalibrationAttempt{MissPolicy: MissContinue}, false, false},
		"near the reference":            {CalibrationAttempt{Completed: true, MissPolicy: MissWait}, true, false},
		"a miss, sections not read":     {CalibrationAttempt{Completed: true, MissedFields: missed, MissPolicy: MissContinue}, false, false},
		"a miss, sections read":         {CalibrationAttempt{Completed: true, MissedFields: missed, ReadSections: missed, MissPolicy: MissContinue}, true, false},
		"a miss, to be taken again":     {CalibrationAttempt{Completed: true, MissedFields: missed, ReadSections: missed, MissPolicy: MissRetake}, false, true},
		"a miss, waiting for the lead":  {CalibrationAttempt{Completed: true, MissedFields: missed, ReadSections: missed, MissPolicy: MissWait}, false, false},
		"gone on already":               {CalibrationAttempt{Completed: true, Resolved: true, MissPolicy: MissContinue}, false, false},
		"again, with sections not read": {CalibrationAttempt{Completed: true, MissedFields: missed, MissPolicy: MissRetake}, false, false},
	} {
		if got := tt.passage.CheckContinue() == nil; got != tt.goes {
			t.Errorf("%s: goes on: %v", name, got)
		}
		if got := tt.passage.CheckRetake() == nil; got != tt.again {
			t.Errorf("%s: takes it again: %v", name, got)
		}
	}
}
