package project

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A SessionSettings is what a project decides about its annotators' sessions. 0 means
// never, or no limit.
type SessionSettings struct {
	MissPolicy          string `json:"miss_policy"`           // what follows a calibration far from the reference
	SkipPolicy          string `json:"skip_policy"`           // what happens to an item set aside
	BreakAfterMinutes   int    `json:"break_after_minutes"`   // minutes without a break
	DailyItemLimit      int    `json:"daily_item_limit"`      // that one annotator is given in a day
	SessionLimitMinutes int    `json:"session_limit_minutes"` // that one annotator works at a stretch
	ReleaseAfterMinutes int    `json:"release_after_minutes"` // minutes that an open item may be left alone
	ContentWarning      string `json:"content_warning"`       // shown before any text of the project; a changed one is read anew
	SupportURL          string `json:"support_url"`
}

// Check returns Problems that say what to change; the choices are judged by
// whoever offers them.
func (s SessionSettings) Check() error {
	var problems FormProblems
	problems.add("content_warning", checkContentWarning(s.ContentWarning))
	problems.add("support_url", checkSupportURL(s.SupportURL))
	problems.add("break_after_minutes", checkAtMost(s.BreakAfterMinutes, 8*60, "A break is due after %d minutes at the most; 0 for never."))
	problems.add("daily_item_limit", checkAtMost(s.DailyItemLimit, 10_000, "A day's limit is %d items at the most; 0 for none."))
	problems.add("session_limit_minutes", checkAtMost(s.SessionLimitMinutes, 12*60, "A sitting lasts %d minutes at the most; 0 for no limit."))
	problems.add("release_after_minutes", checkAtMost(s.ReleaseAfterMinutes, 60*24*60, "An open item goes back after %d minutes at the most; 0 for never."))
	return problems.err()
}

func checkAtMost(n, limit int, format string) error {
	if n < 0 || n > limit {
		return fault.Invalid.Errorf("%s", fmt.Sprintf(format, limit))
	}
	return nil
}

// CheckSupportLink reports why nobody may be given work in p, if so: where texts
// are warned of, there has to be somebody to talk to.
func (p Project) CheckSupportLink() error {
	if strings.TrimSpace(p.ContentWarning) == "" || p.SupportURL != "" {
		return nil
	}
	return fault.Conflict.Errorf("This project has a content warning and no support link. Before anybody labels, say under Sessions where annotators find somebody to talk to, or by `labelwright project session --project %s --support URL`.", p.Key)
}
