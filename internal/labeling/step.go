package labeling

import (
	"slices"
	"time"
)

// A Step is what an annotator can do next.
type Step struct {
	Break  bool    // a break is under way
	Shares []Share // of open batches: what was worked on last stands first, what is finished last
}

// Share returns the part of one batch.
func (s Step) Share(batchID int64) (Share, bool) {
	i := slices.IndexFunc(s.Shares, func(o Share) bool { return o.BatchID == batchID })
	if i < 0 {
		return Share{}, false
	}
	return s.Shares[i], true
}

// Several reports whether more than one of the shares is of a project.
func (s Step) Several(project string) bool {
	n := 0
	for _, share := range s.Shares {
		if share.Project == project {
			n++
		}
	}
	return n > 1
}

// A Share is one annotator's part of an open batch.
type Share struct {
	BatchID    int64
	Nth        int    // of this annotator's batches in the project, from 1
	Project    string // its key
	Title      string
	SupportURL string
	Total      int // about how many items will be this annotator's
	Submitted  int
	Token      string // of the open item; empty: none
	More       bool   // something is left to do
	Limit      Limit  // why nothing more is given now
	Calibrates bool   // a calibration set is under way, and Total and Submitted are of it
	Calibrated bool   // it is done, and its result to be looked at before the work goes on
	Reference  bool   // there is a finished calibration set to look at again
}

// Finished reports whether nothing of s is left to do or to look at.
func (s Share) Finished() bool { return s.Token == "" && !s.More && !s.Calibrated }

// A Limit is why an annotator is given nothing more for now.
type Limit string

// The limits that a project can set.
const (
	NoLimit       Limit = ""
	DayIsFull     Limit = "day"
	SittingIsFull Limit = "sitting"
)

// Says returns l as annotators read it.
func (l Limit) Says() string {
	return map[Limit]string{
		DayIsFull:     "You have done all that this project asks of anybody in a day. Come back tomorrow; everything you sent is kept.",
		SittingIsFull: "You have sat long enough for now. Come back when you have been away for half an hour.",
	}[l]
}

// A Break is a rest under way.
type Break struct {
	BatchID    int64
	Due        bool // the plan's, not the annotator's own
	StartedAt  time.Time
	EndsAt     time.Time
	Title      string // of the project
	SupportURL string
}
