package labeling

import "time"

// A Step is what an annotator can do next.
type Step struct {
	Break  bool    // a break is under way
	Shares []Share // of open batches, oldest first
}

// A Share is one annotator's part of an open batch.
type Share struct {
	BatchID    int64
	Project    string // its key
	Title      string
	SupportURL string
	Total      int // about how many items will be this annotator's
	Submitted  int
	Token      string // of the open item; empty: none
	More       bool   // something is left to claim
}

// A Break is a rest under way.
type Break struct {
	Due        bool // the plan's, not the annotator's own
	StartedAt  time.Time
	EndsAt     time.Time
	Title      string // of the project
	SupportURL string
}
