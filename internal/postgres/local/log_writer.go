//go:build unix

package local

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// logWriter passes on what a server says, line by line, and remembers the end of it
// for the error that may follow.
type logWriter struct {
	log     *slog.Logger
	mu      sync.Mutex
	partial []byte
	lines   []string
}

const tailLines = 12 // lines

// Write takes any piece of text; a line counts when it is whole.
func (w *logWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.partial = append(w.partial, p...)
	for {
		line, rest, isComplete := bytes.Cut(w.partial, []byte("\n"))
		if !isComplete {
			return len(p), nil
		}
		w.partial = rest
		w.add(string(line))
	}
}

func (w *logWriter) add(line string) {
	w.log.Debug("postgres", "says", line)
	w.lines = append(w.lines, line)
	if len(w.lines) > tailLines {
		w.lines = w.lines[1:]
	}
}

// tail returns the last lines.
func (w *logWriter) tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}
