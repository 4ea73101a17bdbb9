package project

import (
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// SessionSettings are the settings of a project for the sessions of its annotators. The policies are a
// labeling.MissPolicy and a labeling.SkipPolicy.
type SessionSettings struct {
	MissPolicy             string `json:"miss_policy" enum:"continue,retake,wait" doc:"After a calibration far from the reference: continue, retake it, or wait for a lead."`
	ShareCalibrationScores bool   `json:"share_calibration_scores" doc:"Annotators who all finished calibration see each other's scores, under pseudonyms."`
	AllowsUndo             bool   `json:"allows_undo" doc:"Annotators can take back their last submit until the next one."`
	SkipPolicy             string `json:"skip_policy" enum:"reassign,return_later,drop" doc:"What happens to a skipped item."`
	BreakAfterMinutes      int    `json:"break_after_minutes" minimum:"0" maximum:"480" doc:"Minutes of work after which a break is due; 0 for never."`
	DailyItemLimit         int    `json:"daily_item_limit" minimum:"0" maximum:"10000" doc:"Items per annotator and day; 0 for no limit."`
	SessionLimitMinutes    int    `json:"session_limit_minutes" minimum:"0" maximum:"720" doc:"0 for no limit."`
	ReleaseAfterMinutes    int    `json:"release_after_minutes" minimum:"0" maximum:"86400" doc:"Minutes after which an abandoned item is released; 0 for never."`
	ContentWarning         string `json:"content_warning" maxLength:"2000" doc:"When it changes, all annotators read it again."`
	SupportURL             string `json:"support_url" maxLength:"500" doc:"Page where annotators find support."`
}

// SessionFacts are the figures of a batch that its guide states, so that no prose has to.
type SessionFacts struct {
	CalibrationItems  int `db:"calibration_count"`
	HiddenDuplicates  int `db:"duplicate_count"` // per annotator, at most
	GoldItems         int `db:"gold_count"`      // per annotator, at most
	GoldMinimum       int // percent; see BatchSpec
	BreakEvery        int // items; 0: no planned breaks
	BreakMinutes      int
	BreakAfterMinutes int // minutes of work after which a break is due; 0: none
}

// Check returns FormProblems or nil. It does not check MissPolicy and SkipPolicy.
func (s SessionSettings) Check() error {
	var problems FormProblems
	problems.readInto(&s.ContentWarning, "content_warning", readContentWarning)
	problems.add("support_url", checkSupportURL(s.SupportURL))
	problems.add("break_after_minutes", checkAtMost(s.BreakAfterMinutes, MaxBreakAfterMinutes,
		"Enter a break interval of 0 to %s minutes. 0 means no breaks."))
	problems.add("daily_item_limit", checkAtMost(s.DailyItemLimit, MaxDailyItems,
		"Enter a daily limit of 0 to %s items. 0 means no limit."))
	problems.add("session_limit_minutes", checkAtMost(s.SessionLimitMinutes, MaxSessionMinutes,
		"Enter a session limit of 0 to %s minutes. 0 means no limit."))
	problems.add("release_after_minutes", checkAtMost(s.ReleaseAfterMinutes, MaxReleaseAfterMinutes,
		"Enter a release time of 0 to %s minutes. 0 means never."))
	return problems.err()
}

func checkAtMost(n, limit int, format string) error {
	if n < 0 || n > limit {
		return fault.Invalid.Errorf(format, formatCount(limit))
	}
	return nil
}

// CheckSupportLink returns an error if the project has a content warning but no support
// link. Its batches cannot be opened then.
func (p Project) CheckSupportLink() error {
	if strings.TrimSpace(p.ContentWarning) == "" || p.SupportURL != "" {
		return nil
	}
	return fault.Conflict.Errorf("This project has a content warning but no support link. Add one under Sessions, or run `labelwright project settings --project %s --support-url URL`.", p.Key)
}
