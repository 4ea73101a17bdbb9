//go:build unix

package local

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// journal passes on what a server says, line by line, and remembers the end of it
// for the error that may follow.
type journal struct {
	log   *slog.Logger
	mu    sync.Mutex
	rest  []byte
	lines []string
}

const remembered = 12 // lines

// Write takes any piece of text; a line counts when it is whole.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rest = append(j.rest, p...)
	for {
		line, rest, whole := bytes.Cut(j.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		j.rest = rest
		j.add(string(line))
	}
}

func (j *journal) add(line string) {
	j.log.Debug("postgres", "says", line)
	j.lines = append(j.lines, line)
	if len(j.lines) > remembered {
		j.lines = j.lines[1:]
	}
}

// last returns the last lines.
func (j *journal) last() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, "\n")
}
