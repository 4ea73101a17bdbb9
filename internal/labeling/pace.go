package labeling

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Pace is how fast an annotator works in a batch, and the target for items of that length.
type Pace struct {
	Seconds              int // median active time per item; 0: none yet
	Words                int // mean length of the items
	TargetMin, TargetMax int // seconds per item; 0: none
}

// The target of a protocol is for items up to a length. A longer item has its reading time on top.
const (
	targetWords    = 200
	wordsPerMinute = 200
)

// NewPace returns the pace of recent items: their active times in ms, and their mean length.
func NewPace(recentMS []int64, words int, plan protocol.SessionPlan) Pace {
	p := Pace{Words: words, TargetMin: plan.MinSecondsPerItem, TargetMax: plan.MaxSecondsPerItem}
	if len(recentMS) > 0 {
		slices.Sort(recentMS)
		p.Seconds = int(time.Duration(recentMS[(len(recentMS)-1)/2]) * time.Millisecond / time.Second)
	}
	if more := max(words-targetWords, 0) * 60 / wordsPerMinute; p.TargetMax > 0 {
		p.TargetMin, p.TargetMax = p.TargetMin+more, p.TargetMax+more
	}
	return p
}
