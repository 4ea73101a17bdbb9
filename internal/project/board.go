package project

import (
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/stats"
)

// A BoardState is what an annotator does in a batch.
type BoardState string

// The states.
const (
	BoardRemoved     BoardState = "removed"
	BoardPaused      BoardState = "paused"
	BoardWaiting     BoardState = "waiting" // for the decision of a lead on the calibration
	BoardCalibrating BoardState = "calibrating"
	BoardOnBreak     BoardState = "on_break"
	BoardWorking     BoardState = "working" // an item is open, and was used in the last minutes
	BoardDone        BoardState = "done"
	BoardNotStarted  BoardState = "not_started"
	BoardIdle        BoardState = "idle"
)

// A BoardRow is one annotator of a batch.
type BoardRow struct {
	AccountID      account.ID
	Pseudonym      string
	Name           string // as leads know it
	IsOwn          bool   // the reader: the figures are those that annotators see of themselves
	State          BoardState
	Since          *time.Time // of the state, where it is known
	BreakEndsAt    *time.Time
	Done           int
	Total          int   // 0: not known, in a pool
	MedianActiveMS int64 // 0: none yet
	Skipped        int
	Corrections    int
	PausedByGold   bool
	Gold           stats.Proportion // of right answers to gold items
}

// A KappaSoFar is the agreement on one field so far.
type KappaSoFar struct {
	Key   string   `json:"key"`
	Kappa *float64 `json:"kappa"` // null: not defined yet, or of too few items, as in the report
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`

	Verdict string `json:"verdict"` // an agreement.Verdict
	Advice  string `json:"advice"`  // an agreement.Advice; empty unless the verdict is below_target
}

// A BatchState is what a background job computes of a batch.
type BatchState struct {
	SharedItems int          // with two labels or more
	UsedItems   int          // of them, from which Agreement is computed
	Agreement   []KappaSoFar // empty: not computed yet, or hidden
	IsHidden    bool         // the reader labels in the batch
	ComputedAt  *time.Time
}
