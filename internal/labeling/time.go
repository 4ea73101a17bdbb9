package labeling

import "time"

// Tabs holds how long an item was worked on in each tab that it was open in,
// in milliseconds, as the page measured it: in sight, with the focus, and with
// something done not longer ago than reading takes.
type Tabs map[string]int64

// With returns t with what a tab says by now; a tab never takes time back.
func (t Tabs) With(tab string, ms int64) Tabs {
	all := Tabs{tab: ms}
	for name, known := range t {
		all[name] = max(all[name], known)
	}
	return all
}

// Worked returns how long the item was worked on: the tabs added up, since only
// one can have the focus, and never longer than the time that passed, so that
// nothing counts twice.
func (t Tabs) Worked(passed time.Duration) int64 {
	sum := int64(0)
	for _, ms := range t {
		sum += ms
	}
	return max(0, min(sum, passed.Milliseconds()))
}

// Program is the tab of what no page measured: a file or a program says how
// long it took, and is believed.
const Program = ""
