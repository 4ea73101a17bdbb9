package page

import "strings"

// shortTextLength is how many characters of a message a list shows.
const shortTextLength = 120

// shortText returns the start of a message on one line.
func shortText(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= shortTextLength {
		return string(line)
	}
	return string(line[:shortTextLength]) + "…"
}
