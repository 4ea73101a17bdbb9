package labeling

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
)

// A WorkOverview is what an annotator can do next.
type WorkOverview struct {
	OnBreak bool            // a break is under way
	Batches []BatchProgress // of open batches: what was worked on last stands first, what is finished last
}

// Batch returns the part of one batch.
func (w WorkOverview) Batch(batchID project.BatchID) (BatchProgress, bool) {
	i := slices.IndexFunc(w.Batches, func(b BatchProgress) bool { return b.BatchID == batchID })
	if i < 0 {
		return BatchProgress{}, false
	}
	return w.Batches[i], true
}

// HasSeveralBatches reports whether more than one of the shares is of a project.
func (w WorkOverview) HasSeveralBatches(project string) bool {
	n := 0
	for _, b := range w.Batches {
		if b.ProjectKey == project {
			n++
		}
	}
	return n > 1
}

// A BatchProgress is one annotator's part of an open batch.
type BatchProgress struct {
	BatchID                project.BatchID
	BatchNo                int    // of this annotator's batches in the project, from 1
	ProjectKey             string // its key
	ProjectTitle           string
	SupportURL             string
	Total                  int // about how many items will be this annotator's
	Submitted              int
	OpenToken              string // of the open item; empty: none
	HasMore                bool   // something is left to do
	Limit                  Limit  // why nothing more is given now
	InCalibration          bool   // a calibration set is under way, and Total and Submitted are of it
	NeedsCalibrationReview bool   // it is done, and its result to be looked at before the work goes on
	HasCalibrationResult   bool   // there is a finished calibration set to look at again
}

// IsFinished reports whether nothing of s is left to do or to look at.
func (b BatchProgress) IsFinished() bool {
	return b.OpenToken == "" && !b.HasMore && !b.NeedsCalibrationReview
}

// A Limit is why an annotator is given nothing more for now.
type Limit string

// The limits that a project can set.
const (
	NoLimit      Limit = ""
	DailyLimit   Limit = "day"
	SessionLimit Limit = "sitting"
)

// Text returns l as annotators read it.
func (l Limit) Text() string {
	return map[Limit]string{
		DailyLimit:   "You have done all that this project asks of anybody in a day. Come back tomorrow; everything you sent is kept.",
		SessionLimit: "You have sat long enough for now. Come back when you have been away for half an hour.",
	}[l]
}

// A Break is a rest under way.
type Break struct {
	BatchID        project.BatchID
	Planned        bool // the plan's, not the annotator's own
	StartedAt      time.Time
	ScheduledEndAt time.Time
	ProjectTitle   string // of the project
	SupportURL     string
}
