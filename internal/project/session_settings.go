package project

import (
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// SessionSettings are the settings of a project for the sessions of its annotators. 0
// turns a limit off.
type SessionSettings struct {
	MissPolicy string `json:"miss_policy"` // a labeling.MissPolicy
	// Annotators who finished calibration see each other's answers in the discussion.
	ShareCalibrationScores bool   `json:"share_calibration_scores"`
	AllowsUndo             bool   `json:"allows_undo"`           // annotators can take back their last submit
	SkipPolicy             string `json:"skip_policy"`           // a labeling.SkipPolicy
	BreakAfterMinutes      int    `json:"break_after_minutes"`   // minutes of work after which a break is due
	DailyItemLimit         int    `json:"daily_item_limit"`      // items per annotator and day
	SessionLimitMinutes    int    `json:"session_limit_minutes"` // minutes of work per session
	// minutes without activity after which an open item is released
	ReleaseAfterMinutes int `json:"release_after_minutes"`
	// shown before any item; a change requires a new acknowledgment
	ContentWarning string `json:"content_warning"`
	SupportURL     string `json:"support_url"`
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
