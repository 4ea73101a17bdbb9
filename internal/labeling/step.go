package labeling

import "time"

// A Step is what an annotator does next: label an item, rest, begin, or
// nothing more for now.
type Step struct {
	Token  string // of the open assignment
	Break  bool   // a break is under way
	Ready  bool   // there is work to begin
	Shares []Share
}

// A Share is one annotator's part of an open batch.
type Share struct {
	Project   string // its key
	Title     string
	Batch     string
	Items     int // in the batch
	Submitted int
	SetAside  int
	More      bool // something is left to claim
}

// A Break is a rest under way.
type Break struct {
	Due       bool // the plan's, not the annotator's own
	StartedAt time.Time
	EndsAt    time.Time
	Title     string // of the project
	Support   string
}
