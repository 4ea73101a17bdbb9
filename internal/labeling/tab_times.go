package labeling

import "time"

// TabTimes holds the active milliseconds of an item by browser tab. A page counts time while
// it is visible and focused, and the annotator was recently active.
type TabTimes map[string]int64

// With returns t with the time that a tab reports. The time of a tab never decreases.
func (t TabTimes) With(tab string, ms int64) TabTimes {
	times := TabTimes{tab: ms}
	for name, knownMS := range t {
		times[name] = max(times[name], knownMS)
	}
	return times
}

// ActiveMS returns the active time of the item: the sum over its tabs, because only one tab
// has the focus at a time, but at most the elapsed time.
func (t TabTimes) ActiveMS(elapsed time.Duration) int64 {
	sum := int64(0)
	for _, ms := range t {
		sum += ms
	}
	return max(0, min(sum, elapsed.Milliseconds()))
}

// NoTab is the tab of a submission that no page measured, such as one by a program. Its
// active time is stored as given.
const NoTab = ""
