package main

import (
	"fmt"
	"io"
	"time"
)

// progressInterval is the time between two lines of progress, and before the first.
const progressInterval = 2 * time.Second

// printProgress returns a function that prints how far a long job is, such as
// "Opening the batch: 1,200,000 of 3,000,000 rows (40%)". Short jobs print nothing.
func printProgress(w io.Writer, job, unit string) func(done, total int) {
	return newProgress(w, job, unit, progressInterval)
}

func newProgress(w io.Writer, job, unit string, interval time.Duration) func(done, total int) {
	last := time.Now()
	return func(done, total int) {
		if total == 0 || time.Since(last) < interval {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "%s: %s of %s %s (%d%%)\n", job, formatCount(done), formatCount(total), unit, 100*done/total)
	}
}
