package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// The look of a progress bar.
const (
	progressInterval = 200 * time.Millisecond // between two drawings, and before the first
	progressWidth    = 24
	clearLine        = "\r\x1b[K"
)

// A progressBar shows on a terminal how far a long job is, such as
// "Opening the batch [=====>    ] 40%, 1,200,000 of 3,000,000 rows". Without a terminal it
// shows nothing.
type progressBar struct {
	mu        sync.Mutex
	terminal  io.Writer // nil: none
	interval  time.Duration
	lastDrawn time.Time
	isVisible bool
}

// newProgressBar returns a bar on w if it is a terminal that can clear a line.
func newProgressBar(w io.Writer) *progressBar {
	b := &progressBar{interval: progressInterval}
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return b
	}
	if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		b.terminal = w
	}
	return b
}

// track returns a function that reports how far a job is.
func (b *progressBar) track(job, unit string) func(done, total int) {
	b.lastDrawn = time.Now()
	return func(done, total int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.terminal == nil || total <= 0 || time.Since(b.lastDrawn) < b.interval {
			return
		}
		b.lastDrawn, b.isVisible = time.Now(), true
		filled := progressWidth * min(done, total) / total
		fmt.Fprintf(b.terminal, "%s%s [%s%s] %d%%, %s of %s %s", clearLine, job, strings.Repeat("=", filled),
			strings.Repeat(" ", progressWidth-filled),
			100*done/total, formatCount(done), formatCount(total), unit)
	}
}

// clear removes the bar from the terminal.
func (b *progressBar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isVisible {
		fmt.Fprint(b.terminal, clearLine)
		b.isVisible = false
	}
}

// A barWriter removes the bar before it writes to the same terminal.
type barWriter struct {
	io.Writer
	bar *progressBar
}

// Write writes text.
func (w barWriter) Write(text []byte) (int, error) {
	w.bar.clear()
	return w.Writer.Write(text)
}
