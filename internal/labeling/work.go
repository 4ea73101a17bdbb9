package labeling

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
)

// A WorkOverview is what an annotator can do next.
type WorkOverview struct {
	OnBreak bool
	Batches []BatchProgress // open batches: last used first, finished ones last
}

// Batch returns the progress in one batch.
func (w WorkOverview) Batch(batchID project.BatchID) (BatchProgress, bool) {
	i := slices.IndexFunc(w.Batches, func(b BatchProgress) bool { return b.BatchID == batchID })
	if i < 0 {
		return BatchProgress{}, false
	}
	return w.Batches[i], true
}

// A BatchProgress is how far one annotator is in an open batch.
type BatchProgress struct {
	BatchID      project.BatchID
	BatchName    string
	ProjectKey   string
	ProjectTitle string
	SupportURL   string
	Progress
	OpenToken              string // of the open item; empty: none
	HasMore                bool
	Limit                  Limit // why nothing can be opened now
	InCalibration          bool  // a calibration attempt is not completed
	NeedsCalibrationReview bool  // it is completed, and the annotator has to look at the result
	HasCalibrationResult   bool
	IsNew                  bool // nothing was opened yet
	Paused                 bool // by a lead
	ReturningItems         int  // skipped, and come back at the end
	ReopenedItems          []ReopenedItem
	CanUndo                bool // no item is open, and the last submit can be taken back
	HasSheet               bool // a sheet was made
	Pace                   Pace
}

// A ReopenedItem is a submitted item that a lead reopened, with the request or the reason.
type ReopenedItem struct {
	Message string
	ByLead  bool // the lead wrote the message
}

// A Progress is the counters that an annotator sees of a batch, the same on every page. They
// count hidden duplicates like work items.
type Progress struct {
	CompletedItems int // in calibration, of the set
	ExpectedItems  int // those and what is left for the annotator; in calibration, of the set; 0: not known
	ItemsToBreak   int // 0: no break is planned
}

// IsFinished reports whether nothing is left to label or to review.
func (b BatchProgress) IsFinished() bool {
	return b.OpenToken == "" && !b.HasMore && !b.NeedsCalibrationReview
}

// A Limit is why an annotator gets no more items now.
type Limit string

// The limits that a project can set.
const (
	NoLimit      Limit = ""
	DailyLimit   Limit = "day"
	SessionLimit Limit = "session"
)
