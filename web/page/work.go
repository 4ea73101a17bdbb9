package page

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// formatClock returns what is left as minutes and seconds, never below 0:00.
func formatClock(remaining time.Duration) string {
	s := int(max(remaining, 0).Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// joinSentence joins what is known into one line with a capital and a stop.
func joinSentence(parts ...string) string {
	var present []string
	for _, p := range parts {
		if p != "" {
			present = append(present, p)
		}
	}
	joined := strings.Join(present, "; ")
	first, size := utf8.DecodeRuneInString(joined)
	return string(unicode.ToUpper(first)) + joined[size:] + "."
}
