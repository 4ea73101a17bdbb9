package project

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// A BatchChange is what a lead changes in an open batch. All of it happens at once, or
// nothing. Annotators are named by address or pseudonym.
type BatchChange struct {
	Reason     string
	Add        []string // annotators, each with an equal share of what waits
	Pause      []string
	Resume     []string
	AllowSeen  []string // who may label items although they have seen answers to them; only an admin allows it
	Remove     []string // what they have left goes to the others
	Reassign   Reassignment
	AddItems   *Sample      // of the available items
	Labels     int          // per item, for the whole batch or LabelItems; 0: as before
	LabelItems *ItemFilter  // nil: all items of the batch
	GiveTo     string       // who gets LabelItems; a label that no one has is theirs, else each item gets one more
	Rule       *OverlapRule // more labels where the first ones differ
	KeepRule   bool         // apply the rule to future labels, too
	DropRule   bool         // the kept rule
	Settings   BatchSettings
}

// A BatchClosing says how a batch is closed.
type BatchClosing struct {
	Reason      string
	ReleaseOpen bool // open items, which annotators can otherwise still submit
}

// A Reassignment moves items from one annotator to others.
type Reassignment struct {
	From  string // empty: none
	To    string // empty: evenly to all others
	Items ReassignedItems
	Count int // of the waiting ones; 0: all
}

// ReassignedItems says which items of an annotator are reassigned.
type ReassignedItems string

// The items that can be reassigned.
const (
	WaitingItems ReassignedItems = "waiting" // the queue; the default
	OpenItem     ReassignedItems = "open"
	AllItems     ReassignedItems = "all" // both, and skipped items that would return
)

// HasWaiting reports whether items of the queue are reassigned.
func (i ReassignedItems) HasWaiting() bool { return i != OpenItem }

// HasOpen reports whether the open item is reassigned.
func (i ReassignedItems) HasOpen() bool { return i == OpenItem || i == AllItems }

// An OverlapRule gives an item another label as soon as all its labels are in and two of them differ.
type OverlapRule struct {
	Field         string // empty: any
	MinDifference int    // of two answers, in points
	MostLabels    int    // that an item gets
}

// BatchSettings are the settings of a batch that can change. Nil means as before.
type BatchSettings struct {
	BreakEvery          *int
	BreakMinutes        *int
	DailyItemLimit      *int    // 0: none; -1: that of the project
	SessionLimitMinutes *int    // 0: none; -1: that of the project
	Deadline            *string // as 2026-11-30; empty: none
}

// IsEmpty reports whether c changes nothing.
func (c BatchChange) IsEmpty() bool {
	return len(c.Add)+len(c.Pause)+len(c.Resume)+len(c.AllowSeen)+len(c.Remove) == 0 &&
		c.Reassign.From == "" && c.AddItems == nil &&
		c.Labels == 0 && c.LabelItems == nil && c.GiveTo == "" && c.Rule == nil && !c.DropRule && c.Settings == BatchSettings{}
}

// Check returns c without surrounding spaces, or FormProblems.
func (c BatchChange) Check() (BatchChange, error) {
	c.Add = dedupeAddresses(c.Add)
	var problems FormProblems
	problems.readInto(&c.Reason, "reason", readReason)
	if c.IsEmpty() {
		problems.add("", fault.Invalid.Errorf("Nothing would change. Choose what to change."))
	}
	if c.Labels < 0 || c.Labels > MaxLabelsPerItem {
		problems.add("labels", fault.Invalid.Errorf("Enter 1 to %d labels per item.", MaxLabelsPerItem))
	}
	if c.GiveTo != "" && (c.LabelItems == nil || c.Labels != 0) {
		problems.add("give_to", fault.Invalid.Errorf(
			"Choose the items that the annotator gets, without a number of labels."))
	}
	if c.LabelItems != nil && c.Labels == 0 && c.GiveTo == "" {
		problems.add("labels", fault.Invalid.Errorf("Enter how many labels the chosen items get."))
	}
	if r := c.Rule; r != nil && (r.MinDifference < 1 || r.MostLabels < 3 || r.MostLabels > MaxLabelsPerItem) {
		problems.add("rule", fault.Invalid.Errorf("A rule needs a difference of at least 1 point, and 3 to %d labels.",
			MaxLabelsPerItem))
	}
	if c.Reassign.Count < 0 {
		problems.add("reassign_count", fault.Invalid.Errorf("Enter how many items to reassign, or 0 for all."))
	}
	if !slices.Contains([]ReassignedItems{"", WaitingItems, OpenItem, AllItems}, c.Reassign.Items) {
		problems.add("reassign_items", fault.Invalid.Errorf("Reassign the waiting items, the open item, or all."))
	}
	problems = append(problems, c.Settings.check()...)
	return c, problems.err()
}

func readReason(reason string) (string, error) {
	return plaintext.ReadLine(reason, 1, MaxReason, fault.Invalid.Errorf(
		"Enter a reason of 1 to 1,000 characters. It is recorded in the audit log."))
}

func readOptionalReason(reason string) (string, error) {
	if plaintext.Trim(reason) == "" {
		return "", nil
	}
	return readReason(reason)
}

// CheckReason returns reason without surrounding spaces, or FormProblems.
func CheckReason(reason string) (string, error) {
	var problems FormProblems
	problems.readInto(&reason, "reason", readReason)
	return reason, problems.err()
}

// CheckErasure checks the typed key that confirms the erasure of a project, and the reason. It returns FormProblems.
func (p Project) CheckErasure(key, reason string) error {
	var problems FormProblems
	if strings.TrimSpace(key) != p.CurrentKey() {
		problems.add("key", fault.Invalid.Errorf("Enter the key of the project to confirm."))
	}
	problems.readInto(&reason, "reason", readReason)
	return problems.err()
}

// CheckOptionalReason is CheckReason for a reason that may be empty.
func CheckOptionalReason(reason string) (string, error) {
	var problems FormProblems
	problems.readInto(&reason, "reason", readOptionalReason)
	return reason, problems.err()
}

func (s BatchSettings) check() (problems FormProblems) {
	for _, limit := range []struct {
		field       string
		value       *int
		least, most int
	}{
		{"break_every", s.BreakEvery, 0, MaxBreakEvery},
		{"break_minutes", s.BreakMinutes, 0, MaxBreakMinutes},
		{"daily_item_limit", s.DailyItemLimit, -1, MaxDailyItems},
		{"session_limit_minutes", s.SessionLimitMinutes, -1, MaxSessionMinutes},
	} {
		if limit.value != nil && (*limit.value < limit.least || *limit.value > limit.most) {
			problems.add(limit.field, fault.Invalid.Errorf("Enter a number from %d to %s.", limit.least,
				formatCount(limit.most)))
		}
	}
	if s.Deadline != nil && *s.Deadline != "" {
		if _, err := time.Parse(time.DateOnly, *s.Deadline); err != nil {
			problems.add("deadline", fault.Invalid.Errorf("“%s” is not a date. Enter one such as 2026-11-30.",
				*s.Deadline))
		}
	}
	return problems
}

// ParseOverlapRule reads "FIELD>=2:3": a third label where two answers to FIELD differ by at
// least 2 points. FIELD may be “any”.
func ParseOverlapRule(text string) (*OverlapRule, error) {
	field, rest, hasField := strings.Cut(strings.TrimSpace(text), ">=")
	difference, labels, hasLabels := strings.Cut(rest, ":")
	r := &OverlapRule{Field: strings.TrimSpace(field), MostLabels: 3}
	var err error
	if r.MinDifference, err = strconv.Atoi(strings.TrimSpace(difference)); err == nil && hasLabels {
		r.MostLabels, err = strconv.Atoi(strings.TrimSpace(labels))
	}
	if err != nil || !hasField || r.Field == "" {
		return nil, fault.Invalid.Errorf(
			"“%s” is not a rule. Write a field, a difference and the most labels, such as empathy>=2:3, or any>=1:3.",
			text)
	}
	if r.Field == "any" {
		r.Field = ""
	}
	return r, nil
}
