package backup

import (
	"fmt"
	"slices"
	"time"
)

// How many backups of a schedule are kept: the newest of each of the last days, weeks and months that have one.
const (
	keptDays   = 7
	keptWeeks  = 4
	keptMonths = 12
)

// FilterExpired returns the times of backups that are not kept any more.
func FilterExpired(times []time.Time) (expired []time.Time) {
	times = slices.Clone(times)
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	kept := map[time.Time]bool{}
	keep := func(n int, period func(time.Time) string) {
		seen := map[string]bool{}
		for _, t := range times {
			if p := period(t); !seen[p] && len(seen) < n {
				seen[p], kept[t] = true, true
			}
		}
	}
	keep(keptDays, func(t time.Time) string { return t.UTC().Format(time.DateOnly) })
	keep(keptWeeks, func(t time.Time) string { year, week := t.UTC().ISOWeek(); return fmt.Sprint(year, week) })
	keep(keptMonths, func(t time.Time) string { return t.UTC().Format("2006-01") })
	return slices.DeleteFunc(times, func(t time.Time) bool { return kept[t] })
}
