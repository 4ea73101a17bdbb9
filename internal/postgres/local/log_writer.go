//go:build unix

package local

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// logWriter logs the output of a server line by line. It keeps the last lines for an
// error message.
type logWriter struct {
	log     *slog.Logger
	mu      sync.Mutex
	partial []byte
	lines   []string
}

// tailLines is the number of lines that tail returns.
const tailLines = 12

// Write implements io.Writer. It logs complete lines only.
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
	w.log.Debug("postgres", "line", line)
	w.lines = append(w.lines, line)
	if len(w.lines) > tailLines {
		w.lines = w.lines[1:]
	}
}

// tail returns the last lines of output.
func (w *logWriter) tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}
