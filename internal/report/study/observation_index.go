package study

import (
	"slices"
	"strings"
)

// An observationIndex is the observations that labels tick. Few sets of them differ.
type observationIndex struct {
	Sets    [][]string
	numbers map[string]uint32 // by the joined observations of a set
	SetOf   []uint32          // label → set; nil if no label ticks any
}

// add adds the observations of a label, which follows the labels so far.
func (x *observationIndex) add(label int, observations []string) {
	if len(observations) == 0 && x.SetOf == nil {
		return
	}
	if x.SetOf == nil {
		x.SetOf, x.Sets, x.numbers = make([]uint32, label), [][]string{nil}, map[string]uint32{"": 0}
	}
	key := strings.Join(observations, "\x00")
	n, seen := x.numbers[key]
	if !seen {
		n = uint32(len(x.Sets))
		x.numbers[key], x.Sets = n, append(x.Sets, observations)
	}
	x.SetOf = append(x.SetOf, n)
}

// SetsWith returns the sets that contain an observation.
func (x observationIndex) SetsWith(key string) []bool {
	has := make([]bool, len(x.Sets))
	for n, set := range x.Sets {
		has[n] = slices.Contains(set, key)
	}
	return has
}
