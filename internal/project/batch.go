package project

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Batch is a set of items that a lead handed to annotators.
type Batch struct {
	ID           int64
	ProjectID    int64
	Name         string
	Overlap      int // annotators per item
	Seed         int64
	BreakEvery   int // items; 0: no reminder
	BreakMinutes int
	Calibration  int // items with a reference, before the work
	Duplicates   int // hidden, for each annotator
	OpenedAt     time.Time
	ClosedAt     *time.Time
	Items        int
	Annotators   int
	Slots        int // items × overlap
	Claimed      int
	Submitted    int
}

// A Handout is what a lead asks for in opening a batch.
type Handout struct {
	Name         string
	Annotators   []string // e-mail addresses
	Overlap      int
	Items        int   // how many, drawn by the seed; 0: all that are in no batch yet
	Seed         int64 // 0: drawn by chance and recorded
	BreakEvery   int
	BreakMinutes int
	Calibration  int // items with a reference, before the work; AsPlanned
	Duplicates   int // hidden, for each annotator; AsPlanned
}

// AsPlanned asks for as many as the protocol plans, or as many as there can be.
const AsPlanned = -1

// The most that one batch holds, so that one mistake cannot fill a disk.
const (
	maxAnnotators = 500
	maxSlots      = 2_000_000
)

// Check returns h tidied of outer space and repeats, or Problems that say what
// to change.
func (h Handout) Check() (Handout, error) {
	h.Name = strings.TrimSpace(h.Name)
	h.Annotators = distinct(h.Annotators)
	var problems Problems
	problems.add("name", checkName(h.Name))
	problems.add("annotators", checkAnnotators(len(h.Annotators)))
	problems.add("overlap", h.checkOverlap())
	if h.Items < 0 {
		problems.add("items", fault.Invalid.Says("The number of items cannot be less than 0."))
	}
	if h.BreakEvery < 0 || h.BreakEvery > 1000 {
		problems.add("break_every", fault.Invalid.Says("A break comes after 1 to 1,000 items; 0 plans none."))
	}
	if h.BreakMinutes < 0 || h.BreakMinutes > 120 {
		problems.add("break_minutes", fault.Invalid.Says("A break lasts 0 to 120 minutes."))
	}
	if h.Calibration < AsPlanned || h.Calibration > 1000 {
		problems.add("calibration", fault.Invalid.Says("A calibration set has 0 to 1,000 items."))
	}
	if h.Duplicates < AsPlanned || h.Duplicates > 1000 {
		problems.add("duplicates", fault.Invalid.Says("Between 0 and 1,000 items can come a second time."))
	}
	return h, problems.err()
}

// checkName keeps names out that a batch's address could not carry.
func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > 100 {
		return fault.Invalid.Says("Please give the batch a name of 1 to 100 characters.")
	}
	if name == "new" || name == "." || name == ".." {
		return fault.Invalid.Says("“%s” cannot be the name of a batch. Please choose another.", name)
	}
	return nil
}

func checkAnnotators(n int) error {
	switch {
	case n == 0:
		return fault.Invalid.Says("Please choose who labels this batch.")
	case n > maxAnnotators:
		return fault.Invalid.Says("A batch takes at most %d annotators. Please open several.", maxAnnotators)
	}
	return nil
}

func (h Handout) checkOverlap() error {
	switch n := len(h.Annotators); {
	case h.Overlap < 1:
		return fault.Invalid.Says("Overlap is how many annotators label each item; it has to be at least 1.")
	case n > 0 && h.Overlap > n:
		return fault.Invalid.Says("An overlap of %d needs at least %d annotators; %d chosen.", h.Overlap, h.Overlap, n)
	}
	return nil
}

// CheckSize reports whether a batch may hold that many items.
func (h Handout) CheckSize(items int) error {
	if items == 0 {
		return fault.Conflict.Says("There are no items left to hand out. Import some first, or wait until a batch is closed.")
	}
	if h.Items > items {
		return fault.Conflict.Says("Only %d items are in no batch yet; %d were asked for.", items, h.Items)
	}
	if items*h.Overlap > maxSlots {
		return fault.Invalid.Says("That is more than %d labels in one batch. Please open several.", maxSlots)
	}
	return nil
}

func distinct(addresses []string) []string {
	seen := map[string]bool{}
	var kept []string
	for _, address := range addresses {
		address = strings.TrimSpace(address)
		if folded := strings.ToLower(address); address != "" && !seen[folded] {
			seen[folded] = true
			kept = append(kept, address)
		}
	}
	return kept
}

// A Share is how far one annotator has come in a batch.
type Share struct {
	AccountID int64
	Pseudonym string
	Name      string
	Submitted int
	SetAside  int
	Open      bool
	LastAt    *time.Time
	ActiveMS  int64 // the median active time of an item
}
