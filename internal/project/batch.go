package project

import (
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A BatchID identifies a batch.
type BatchID int64

// A Batch is a set of items assigned to annotators.
type Batch struct {
	ID                  BatchID
	ProjectID           ID
	ProtocolVersionID   protocol.VersionID
	ProtocolVersion     int // its number
	ProtocolRevision    int // that its forms show
	LatestRevision      int // published
	Version             int // counts changes by leads, not progress
	Name                string
	Overlap             int // annotators per item
	Assignment          AssignmentMode
	Seed                int64
	BreakEvery          int // items; 0: no planned breaks
	BreakMinutes        int
	CalibrationCount    int        // calibration items before the work
	DuplicateCount      int        // hidden duplicates per annotator
	ReferenceAtEnd      bool       // of the calibration set; otherwise after each answer
	GoldCount           int        // items with known answers hidden among the work of each annotator
	GoldMinimum         int        // percent of right answers to them below which the work pauses; 0: never
	Deadline            *time.Time // a date
	DailyItemLimit      *int       // nil: that of the project
	SessionLimitMinutes *int       // nil: that of the project
	OpenedAt            time.Time
	ClosedAt            *time.Time
	ArchivedAt          *time.Time
	RoundOf             RoundItems // empty: no round
	Annotators          int
	LabelCounts
}

// HasNewRevision reports whether a lead may have b use a later revision.
func (b Batch) HasNewRevision() bool {
	return b.ClosedAt == nil && b.LatestRevision > b.ProtocolRevision
}

// IsRound reports whether b labels items again that have labels.
func (b Batch) IsRound() bool { return b.RoundOf != "" }

// RoundItems are the items that a round labels again. The labels of a round are compared with the earlier ones and
// count nowhere else.
type RoundItems string

// The items of rounds: all that have their labels and are in no open batch, or those among them whose labels differ.
const (
	RoundOfLabeled       RoundItems = "labeled"
	RoundOfDisagreements RoundItems = "disagreements"
)

// A BatchSpec is the input for opening a batch.
type BatchSpec struct {
	Name             string
	Annotators       []string           // email addresses
	Shares           map[string]float64 // of the work, by address in lowercase; missing: 1
	Assignment       AssignmentMode
	Overlap          int
	OverlapSample    OverlapSample
	Sample           Sample     // of the items that are in no batch, drawn by the seed
	ItemIDs          []ItemID   // to draw from; nil: all items that are in no batch
	Draw             *JudgeDraw // of items that a judge has answered, instead of a sample; nil: none
	Round            RoundItems // draw from these instead of the items that need labels; empty: no round
	StratifyBy       string     // metadata column; empty: none
	ByRecord         bool       // draw and assign whole records
	Seed             int64      // 0: random, and recorded
	BreakEvery       int
	BreakMinutes     int
	CalibrationCount int    // or UseDefault
	FewerCalibration string // why fewer calibration items than the protocol asks for are enough
	DuplicateCount   int    // per annotator, or UseDefault
	ReferenceAtEnd   bool   // show reference answers after the calibration set, not after each answer
	GoldCount        int    // items with known answers hidden among the work of each annotator
	GoldMinimum      int    // percent of right answers to them below which the work pauses; 0: never
	PlanDigest       string // of the preview that is opened; empty: open whatever the plan is
}

// An AssignmentMode is how the items of a batch get to its annotators.
type AssignmentMode string

// The assignment modes.
const (
	Planned AssignmentMode = "planned" // each annotator has a queue of their own from the start
	Pool    AssignmentMode = "pool"    // annotators claim what is free, first come, first served
)

// UseDefault requests the number in the protocol, reduced to what is possible.
const UseDefault = -1

// maxSlots is the number of labels of one batch. It prevents a typing error from filling the disk.
const maxSlots = 2_000_000

// Check returns s without surrounding spaces and repeated addresses, or FormProblems.
func (s BatchSpec) Check() (BatchSpec, error) {
	s.Annotators = dedupeAddresses(s.Annotators)
	s.StratifyBy = strings.TrimPrefix(strings.TrimSpace(s.StratifyBy), "meta.")
	if s.Assignment == "" {
		s.Assignment = Planned
	}
	var problems FormProblems
	problems.readInto(&s.Name, "name", readBatchName)
	problems.readInto(&s.FewerCalibration, "fewer_calibration", readOptionalReason)
	problems.add("annotators", checkAnnotators(len(s.Annotators)))
	problems.add("overlap", s.checkOverlap())
	problems.add("overlap_sample", s.OverlapSample.check(len(s.Annotators)))
	problems.add("sample", s.Sample.check())
	problems.add("sample", s.checkDraw())
	problems.add("round", s.checkRound())
	problems.add("shares", s.checkShares())
	if s.Assignment != Planned && s.Assignment != Pool {
		problems.add("assign", fault.Invalid.Errorf("“%s” is not an assignment. Choose planned or pool.", s.Assignment))
	}
	if s.BreakEvery < 0 || s.BreakEvery > MaxBreakEvery {
		problems.add("break_every", fault.Invalid.Errorf("Enter a break after 1 to 1,000 items, or 0 for no breaks."))
	}
	if s.BreakMinutes < 0 || s.BreakMinutes > MaxBreakMinutes {
		problems.add("break_minutes", fault.Invalid.Errorf("Enter a break length of 0 to 120 minutes."))
	}
	if s.CalibrationCount < UseDefault || s.CalibrationCount > MaxCalibration {
		problems.add("calibration", fault.Invalid.Errorf("Enter 0 to 1,000 calibration items."))
	}
	if s.DuplicateCount < UseDefault || s.DuplicateCount > MaxDuplicates {
		problems.add("duplicates", fault.Invalid.Errorf("Enter 0 to 1,000 hidden duplicates."))
	}
	if s.GoldCount < 0 || s.GoldCount > MaxDuplicates {
		problems.add("gold", fault.Invalid.Errorf("Enter 0 to 1,000 gold items."))
	}
	if s.GoldMinimum < 0 || s.GoldMinimum > 100 {
		problems.add("gold_minimum", fault.Invalid.Errorf("Enter 0 to 100 percent."))
	}
	if s.GoldMinimum > 0 && s.GoldCount == 0 {
		problems.add("gold_minimum", fault.Invalid.Errorf("A limit needs gold items. Enter how many each annotator gets."))
	}
	return s, problems.err()
}

// readBatchName rejects names that cannot be part of a URL path.
func readBatchName(name string) (string, error) {
	name, err := plaintext.ReadLine(name, 1, MaxBatchName, fault.Invalid.Errorf("Enter a name of 1 to 100 characters."))
	if name == "new" || name == "preview" || name == "." || name == ".." {
		return name, fault.Invalid.Errorf("“%s” is a reserved name. Choose another one.", name)
	}
	return name, err
}

func checkAnnotators(n int) error {
	switch {
	case n == 0:
		return fault.Invalid.Errorf("Choose at least one annotator.")
	case n > MaxAnnotators:
		return fault.Invalid.Errorf("A batch can have at most %d annotators. Open several batches.", MaxAnnotators)
	}
	return nil
}

func (s BatchSpec) checkOverlap() error {
	if s.Overlap < 1 || s.Overlap > MaxLabelsPerItem {
		return fault.Invalid.Errorf("Overlap is the number of annotators per item. Enter 1 to %d.", MaxLabelsPerItem)
	}
	return nil
}

// checkRound rejects what a round does not have. Its labels are second ones, like those of hidden duplicates.
func (s *BatchSpec) checkRound() error {
	switch s.Round {
	case "":
		return nil
	case RoundOfLabeled, RoundOfDisagreements:
	default:
		return fault.Invalid.Errorf("“%s” are no items of a round. Choose labeled or disagreements.", s.Round)
	}
	if s.DuplicateCount == UseDefault {
		s.DuplicateCount = 0
	}
	if s.Draw != nil || s.DuplicateCount > 0 || s.GoldCount > 0 {
		return fault.Invalid.Errorf("A round has no hidden duplicates, no gold items and no items drawn for a judge. Leave them out.")
	}
	return nil
}

// checkDraw rejects a draw of a draw.
func (s BatchSpec) checkDraw() error {
	if s.Draw == nil {
		return nil
	}
	if !s.Sample.IsAll() || s.ItemIDs != nil || s.StratifyBy != "" {
		return fault.Invalid.Errorf("The batch gets the items that were drawn. Leave out a number of items, chosen items and a column to stratify by.")
	}
	return s.Draw.Check()
}

// checkShares rejects shares that are not positive, of addresses that are not in the batch,
// and of a pool, where no one has a share.
func (s BatchSpec) checkShares() error {
	for address, share := range s.Shares {
		isChosen := slices.ContainsFunc(s.Annotators, func(a string) bool { return strings.ToLower(a) == address })
		if !isChosen {
			return fault.Invalid.Errorf("“%s” has a share, but is not an annotator of the batch.", address)
		}
		if share < 0.01 || share > 100 {
			return fault.Invalid.Errorf("Enter a share of 0.01 to 100 for “%s”. 1 is a full share.", address)
		}
	}
	if s.Assignment == Pool && len(s.Shares) > 0 {
		return fault.Invalid.Errorf("Shares need planned assignment. In a pool, annotators claim what is free.")
	}
	return nil
}

// Share returns the share of an annotator.
func (s BatchSpec) Share(address string) float64 {
	if share, ok := s.Shares[strings.ToLower(address)]; ok {
		return share
	}
	return 1
}

func dedupeAddresses(addresses []string) []string {
	seen := map[string]bool{}
	var unique []string
	for _, address := range addresses {
		address = plaintext.Trim(address)
		if folded := strings.ToLower(address); address != "" && !seen[folded] {
			seen[folded] = true
			unique = append(unique, address)
		}
	}
	return unique
}

// A DuplicateSummary counts the planned hidden duplicates of a batch. Those that are neither
// labeled nor lost are still to come.
type DuplicateSummary struct {
	Planned, Labeled int
	Skipped          int // and do not return
	Reassigned       int // released after a long absence, like a work item that another annotator took over
	Dropped          int // no labeled item was far enough back
	NotReached       int // the annotator's work, or the batch, ended before
}

// Lost counts the duplicates that will not be labeled.
func (d DuplicateSummary) Lost() int { return d.Skipped + d.Reassigned + d.Dropped + d.NotReached }
