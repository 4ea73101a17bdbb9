package study

import (
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// An ItemData is one item of the project.
type ItemData struct {
	ID         project.ItemID
	SourceID   string // the item's own id, unique in the project
	RecordID   string // shared by items of one record, such as a query; may be empty
	MatchKey   string // equal for items that differ only in the judged part or have one opening; may be empty
	PairID     string // shared by items that are declared to belong together; may be empty
	Rank       int    // of its chunk, from 1; 0: none
	TextLength int    // characters of the judged text
	Facts      protocol.Facts
	Meta       map[string]string // scalar metadata of few values; without the pairing key
}

// A LabelKind is the purpose of a label.
type LabelKind string

// The kinds of labels. Only Work counts for agreement and consensus.
const (
	Work        LabelKind = "work"
	Duplicate   LabelKind = "duplicate"
	Calibration LabelKind = "calibration"
	Gold        LabelKind = "gold"
	NotBlind    LabelKind = "not_blind"
)

// A Label is the current annotation of one assignment.
type Label struct {
	ID              int64
	ItemID          project.ItemID
	Annotator       string // pseudonym
	Kind            LabelKind
	Values          map[string]int // by field, without fields that do not apply
	Observations    []string
	ItemsSinceBreak int
	ActiveMS        int64
	SubmittedAt     time.Time
	Revision        int `db:"-"` // of the protocol's text; 0: unknown
}

// A Judgment is a model judge's answers to one item.
type Judgment struct {
	ItemID project.ItemID
	Judge  string
	Values map[string]int

	Rationale string // the judge's reason; empty: none
}

// Data is a consistent snapshot of everything that a report is computed from.
type Data struct {
	Project      string // key
	Batch        string // empty: all batches
	Protocol     protocol.Protocol
	TieRule      stats.TieRule
	Source       *LabelSource // of the items and labels; nil: Items and Labels have them
	Items        []ItemData
	EmptyRecords int // records that retrieved nothing: they have no chunk, so no item
	Labels       []Label
	Judgments    []Judgment
	// items drawn by disagreement: their labels do not count in comparisons with judges
	KeptOut                 map[project.ItemID]bool
	Adjudicated             map[project.ItemID]map[string]int // decisions by item and field
	AdjudicatedObservations map[project.ItemID][]string       // by adjudicated item
	AdjudicationCauses      map[project.ItemID]string         // of the disagreement, by adjudicated item with one

	References map[project.ItemID]map[string]int // reference answers by calibration item and field

	// IsOrderUnknown says that labels of a day have one time: there is no agreement over time, no repeated check and no
	// order of groups.
	IsOrderUnknown bool
}

// BuildProgress is how far a report has come. Steps differ in length.
type BuildProgress struct {
	Done, Total int  // steps
	Step        Step // the current one; empty at the end
	Subject     string
}

// A Step is a part of the computation of a report.
type Step string

// The steps.
const (
	StepReadLabels    Step = "read_labels"
	StepAgreement     Step = "agreement" // on the field Subject
	StepPairs         Step = "pairs"     // on the field Subject
	StepDisagreements Step = "disagreements"
	StepRaterEffects  Step = "rater_effects"
	StepAnnotator     Step = "annotator" // Subject
	StepGroups        Step = "groups"
	StepMetrics       Step = "metrics"
)

// A progressTracker reports the steps of a report as they start.
type progressTracker struct {
	report         func(BuildProgress)
	started, Total int // steps
}

// Start reports that the next step begins and all earlier ones are done. The subject is a title or a pseudonym.
func (p *progressTracker) Start(step Step, subject string) {
	if p.report != nil {
		p.report(BuildProgress{Done: p.started, Total: p.Total, Step: step, Subject: subject})
	}
	p.started++
}
