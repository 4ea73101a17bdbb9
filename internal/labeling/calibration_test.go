package labeling

import "testing"

func TestCalibrationAttempt_MissPolicy(t *testing.T) {
	t.Parallel()
	missed := []string{"safety"}
	for name, tt := range map[string]struct {
		attempt                CalibrationAttempt
		canContinue, canRetake bool
	}{
		"not completed": {CalibrationAttempt{MissPolicy: MissContinue}, false, false},
		"no miss":       {CalibrationAttempt{Completed: true, MissPolicy: MissWait}, true, false},
		"miss, sections unread": {CalibrationAttempt{Completed: true, MissedFields: missed, MissPolicy: MissContinue},
			false, false},
		"miss, sections read": {CalibrationAttempt{Completed: true, MissedFields: missed, ReadSections: missed,
			MissPolicy: MissContinue}, true, false},
		"miss, retake": {CalibrationAttempt{Completed: true, MissedFields: missed, ReadSections: missed,
			MissPolicy: MissRetake}, false, true},
		"miss, wait": {CalibrationAttempt{Completed: true, MissedFields: missed, ReadSections: missed,
			MissPolicy: MissWait}, false, false},
		"resolved": {CalibrationAttempt{Completed: true, Resolved: true, MissPolicy: MissContinue},
			false, false},
		"retake, sections unread": {CalibrationAttempt{Completed: true, MissedFields: missed, MissPolicy: MissRetake},
			false, false},
	} {
		if got := tt.attempt.CheckContinue() == nil; got != tt.canContinue {
			t.Errorf("%s: can continue: %v", name, got)
		}
		if got := tt.attempt.CheckRetake() == nil; got != tt.canRetake {
			t.Errorf("%s: can retake: %v", name, got)
		}
	}
}
