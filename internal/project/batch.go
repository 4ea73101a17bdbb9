package project

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A BatchID identifies a batch.
type BatchID int64

// A Batch is a set of items that a lead handed to annotators.
type Batch struct {
	ID               BatchID
	ProjectID        ID
	Name             string
	Overlap          int // annotators per item
	Seed             int64
	BreakEvery       int // items; 0: no reminder
	BreakMinutes     int
	CalibrationCount int // items with a reference, before the work
	DuplicateCount   int // hidden, for each annotator
	OpenedAt         time.Time
	ClosedAt         *time.Time
	Items            int
	Annotators       int
	Slots            int // items × overlap
	Claimed          int
	Submitted        int
}

// A BatchSpec is what a lead asks for in opening a batch.
type BatchSpec struct {
	Name             string
	Annotators       []string // e-mail addresses
	Overlap          int
	Items            int   // how many, drawn by the seed; 0: all that are in no batch yet
	Seed             int64 // 0: drawn by chance and recorded
	BreakEvery       int
	BreakMinutes     int
	CalibrationCount int // items with a reference, before the work; UseDefault
	DuplicateCount   int // hidden, for each annotator; UseDefault
}

// UseDefault asks for as many as the protocol plans, or as many as there can be.
const UseDefault = -1

// The most that one batch holds, so that one mistake cannot fill a disk.
const (
	maxAnnotators = 500
	maxSlots      = 2_000_000
)

// Check returns h tidied of outer space and repeats, or Problems that say what
// to change.
func (s BatchSpec) Check() (BatchSpec, error) {
	s.Name = strings.TrimSpace(s.Name)
	s.Annotators = dedupeAddresses(s.Annotators)
	var problems FormProblems
	problems.add("name", checkBatchName(s.Name))
	problems.add("annotators", checkAnnotators(len(s.Annotators)))
	problems.add("overlap", s.checkOverlap())
	if s.Items < 0 {
		problems.add("items", fault.Invalid.Errorf("The number of items cannot be less than 0."))
	}
	if s.BreakEvery < 0 || s.BreakEvery > 1000 {
		problems.add("break_every", fault.Invalid.Errorf("A break comes after 1 to 1,000 items; 0 plans none."))
	}
	if s.BreakMinutes < 0 || s.BreakMinutes > 120 {
		problems.add("break_minutes", fault.Invalid.Errorf("A break lasts 0 to 120 minutes."))
	}
	if s.CalibrationCount < UseDefault || s.CalibrationCount > 1000 {
		problems.add("calibration", fault.Invalid.Errorf("A calibration set has 0 to 1,000 items."))
	}
	if s.DuplicateCount < UseDefault || s.DuplicateCount > 1000 {
		problems.add("duplicates", fault.Invalid.Errorf("Between 0 and 1,000 items can come a second time."))
	}
	return s, problems.err()
}

// checkBatchName keeps names out that a batch's address could not carry.
func checkBatchName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > 100 {
		return fault.Invalid.Errorf("Please give the batch a name of 1 to 100 characters.")
	}
	if name == "new" || name == "." || name == ".." {
		return fault.Invalid.Errorf("“%s” cannot be the name of a batch. Please choose another.", name)
	}
	return nil
}

func checkAnnotators(n int) error {
	switch {
	case n == 0:
		return fault.Invalid.Errorf("Please choose who labels this batch.")
	case n > maxAnnotators:
		return fault.Invalid.Errorf("A batch takes at most %d annotators. Please open several.", maxAnnotators)
	}
	return nil
}

func (s BatchSpec) checkOverlap() error {
	switch n := len(s.Annotators); {
	case s.Overlap < 1:
		return fault.Invalid.Errorf("Overlap is how many annotators label each item; it has to be at least 1.")
	case n > 0 && s.Overlap > n:
		return fault.Invalid.Errorf("An overlap of %d needs at least %d annotators; %d chosen.", s.Overlap, s.Overlap, n)
	}
	return nil
}

// CheckSize reports whether a batch may hold that many items.
func (s BatchSpec) CheckSize(items int) error {
	if items == 0 {
		return fault.Conflict.Errorf("There are no items left to hand out. Import some first, or wait until a batch is closed.")
	}
	if s.Items > items {
		return fault.Conflict.Errorf("Only %d items are in no batch yet; %d were asked for.", items, s.Items)
	}
	if items*s.Overlap > maxSlots {
		return fault.Invalid.Errorf("That is more than %d labels in one batch. Please open several.", maxSlots)
	}
	return nil
}

func dedupeAddresses(addresses []string) []string {
	seen := map[string]bool{}
	var unique []string
	for _, address := range addresses {
		address = strings.TrimSpace(address)
		if folded := strings.ToLower(address); address != "" && !seen[folded] {
			seen[folded] = true
			unique = append(unique, address)
		}
	}
	return unique
}

// A AnnotatorProgress is how far one annotator has come in a batch.
type AnnotatorProgress struct {
	AccountID       account.ID
	Pseudonym       string
	Name            string
	Submitted       int
	Skipped         int
	HasOpenItem     bool
	LastSubmittedAt *time.Time
	MedianActiveMS  int64 // the median active time of an item
}
