package stats

import (
	"encoding/binary"
	"slices"
)

// kinds are the distinct items of a table: what a resample needs to know of an
// item is only how often its kind was drawn. Two items are of one kind where
// they hold the same answers or, if by is set, the same answers by the same people.
type kinds struct {
	of     []int32 // item → kind
	start  []int32 // kind k has the ratings start[k] to start[k+1]
	cat    []uint8 // rating → category, ascending unless by annotator
	who    []int32 // rating → annotator; nil unless by annotator
	weight []float64

	// The answers by category, counted once: every resample adds them up.
	first   []int32 // kind k has the places first[k] to first[k+1] of the next two
	present []uint8 // a category that was chosen
	times   []float64
}

// kindsOf sorts the items of t into kinds.
func kindsOf(t Table, byAnnotator bool) kinds {
	k := kinds{of: make([]int32, t.Items()), start: []int32{0}, first: []int32{0}}
	number := map[string]int32{}
	var key []byte
	var answers []uint8
	for i := range t.items {
		who, cat := t.row(i)
		answers = append(answers[:0], cat...)
		key = key[:0]
		if byAnnotator {
			for _, g := range who {
				key = binary.AppendUvarint(key, uint64(g))
			}
		} else {
			slices.Sort(answers)
		}
		key = append(key, answers...)
		n, seen := number[string(key)]
		if !seen {
			n = int32(len(number))
			number[string(key)] = n
			k.take(who, answers, byAnnotator)
		}
		k.of[i] = n
		k.weight[n]++
	}
	return k
}

func (k *kinds) take(who []int32, answers []uint8, byAnnotator bool) {
	k.cat = append(k.cat, answers...)
	if byAnnotator {
		k.who = append(k.who, who...)
	}
	k.start = append(k.start, int32(len(k.cat)))
	k.weight = append(k.weight, 0)
	k.count(answers)
}

// count adds the answers of a new kind, by category.
func (k *kinds) count(answers []uint8) {
	from := len(k.present)
	for _, c := range answers {
		at := slices.Index(k.present[from:], c)
		if at < 0 {
			at = len(k.present) - from
			k.present, k.times = append(k.present, c), append(k.times, 0)
		}
		k.times[from+at]++
	}
	k.first = append(k.first, int32(len(k.present)))
}

// counted returns the categories of kind n, and how often each was chosen.
func (k kinds) counted(n int32) ([]uint8, []float64) {
	from, to := k.first[n], k.first[n+1]
	return k.present[from:to], k.times[from:to]
}

// row returns the answers of kind n, and who gave them if that is known.
func (k kinds) row(n int32) ([]int32, []uint8) {
	from, to := k.start[n], k.start[n+1]
	if k.who == nil {
		return nil, k.cat[from:to]
	}
	return k.who[from:to], k.cat[from:to]
}
