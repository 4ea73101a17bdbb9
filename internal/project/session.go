package project

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Session is what a project decides about its annotators' sessions. 0 means
// never, or no limit.
type Session struct {
	AfterMiss      string `json:"after_miss"`      // what follows a calibration far from the reference
	AsideNext      string `json:"aside_next"`      // what happens to an item set aside
	BreakAfter     int    `json:"break_after"`     // minutes without a break
	DayItems       int    `json:"day_items"`       // that one annotator is given in a day
	SittingMinutes int    `json:"sitting_minutes"` // that one annotator works at a stretch
	ReturnAfter    int    `json:"return_after"`    // minutes that an open item may be left alone
	Warning        string `json:"warning"`         // shown before any text of the project; a changed one is read anew
	SupportURL     string `json:"support_url"`
}

// Check returns Problems that say what to change; the choices are judged by
// whoever offers them.
func (s Session) Check() error {
	var problems Problems
	problems.add("warning", checkWarning(s.Warning))
	problems.add("support_url", checkSupport(s.SupportURL))
	problems.add("break_after", atMost(s.BreakAfter, 8*60, "A break is due after %d minutes at the most; 0 for never."))
	problems.add("day_items", atMost(s.DayItems, 10_000, "A day's limit is %d items at the most; 0 for none."))
	problems.add("sitting_minutes", atMost(s.SittingMinutes, 12*60, "A sitting lasts %d minutes at the most; 0 for no limit."))
	problems.add("return_after", atMost(s.ReturnAfter, 60*24*60, "An open item goes back after %d minutes at the most; 0 for never."))
	return problems.err()
}

func atMost(n, most int, says string) error {
	if n < 0 || n > most {
		return fault.Invalid.Says("%s", fmt.Sprintf(says, most))
	}
	return nil
}

// CheckSupport reports why nobody may be given work in p, if so: where texts
// are warned of, there has to be somebody to talk to.
func (p Project) CheckSupport() error {
	if strings.TrimSpace(p.Warning) == "" || p.SupportURL != "" {
		return nil
	}
	return fault.Conflict.Says("This project has a content warning and no support link. Before anybody labels, say under Sessions where annotators find somebody to talk to, or by `labelwright project session --project %s --support URL`.", p.Key)
}
