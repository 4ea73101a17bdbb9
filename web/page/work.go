package page

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// clock returns what is left as minutes and seconds, never below 0:00.
func clock(left time.Duration) string {
	s := int(max(left, 0).Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// sentence joins what is known into one line with a capital and a stop.
func sentence(parts ...string) string {
	var known []string
	for _, p := range parts {
		if p != "" {
			known = append(known, p)
		}
	}
	joined := strings.Join(known, "; ")
	first, size := utf8.DecodeRuneInString(joined)
	return string(unicode.ToUpper(first)) + joined[size:] + "."
}
