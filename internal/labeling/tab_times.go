package labeling

import "time"

// TabTimes holds how long an item was worked on in each tab that it was open in,
// in milliseconds, as the page measured it: in sight, with the focus, and with
// something done not longer ago than reading takes.
type TabTimes map[string]int64

// With returns t with what a tab says by now; a tab never takes time back.
func (t TabTimes) With(tab string, ms int64) TabTimes {
	times := TabTimes{tab: ms}
	for name, knownMS := range t {
		times[name] = max(times[name], knownMS)
	}
	return times
}

// ActiveMS returns how long the item was worked on: the tabs added up, since only
// one can have the focus, and never longer than the time that passed, so that
// nothing counts twice.
func (t TabTimes) ActiveMS(elapsed time.Duration) int64 {
	sum := int64(0)
	for _, ms := range t {
		sum += ms
	}
	return max(0, min(sum, elapsed.Milliseconds()))
}

// NoTab is the tab of what no page measured: a file or a program says how
// long it took, and is believed.
const NoTab = ""
