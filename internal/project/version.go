package project

import (
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// Versions are the protocol versions of a project.
type Versions struct {
	Used []UsedVersion // latest first; the first is the current one
	Next *NextVersion  // nil: no later version is published
}

// A UsedVersion is a protocol version that a project has or had.
type UsedVersion struct {
	Version     int
	TakenAt     time.Time
	Labels      int // given under it, without hidden ones
	OpenBatches int
}

// A NextVersion is the latest published version of a project's protocol, and what it changes.
type NextVersion struct {
	Version      int
	Differences  []string // in fields, scales and rules, as sentences
	Texts        []protocol.TextChange
	NewFields    []string // keys of fields that the project has not, or has with other points
	HasSameItems bool     // false: it needs a project of its own
	Undecided    int      // items whose labels differ, which are left as they are
	References   int      // items with reference answers, which have none to new fields
}

// A VersionTaking has a project use the latest version of its protocol.
type VersionTaking struct {
	Version      int
	CloseBatches bool // that are open; otherwise they end under their version
}
