package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// formatDate returns the UTC date as "4 Mar 2026".
func formatDate(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// formatCount returns n with thousands separators: "1,033".
func formatCount(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func pluralize(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return formatCount(n) + " " + noun
}

// formatValues returns the values of a scale: "1–5", or with labels "0 = No, 1 = Yes".
func formatValues(scale protocol.Scale) string {
	hasLabel := slices.ContainsFunc(scale, func(point protocol.Point) bool { return point.Label != "" })
	if first, last := scale[0].Value, scale[len(scale)-1].Value; !hasLabel && last-first == len(scale)-1 {
		return fmt.Sprintf("%d–%d", first, last)
	}
	values := make([]string, len(scale))
	for i, point := range scale {
		values[i] = strconv.Itoa(point.Value)
		if point.Label != "" {
			values[i] += " = " + escapeMarkdown(point.Label)
		}
	}
	return strings.Join(values, ", ")
}

// escapeMarkdown returns text as one line without Markdown markup.
func escapeMarkdown(text string) string {
	var line strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|!~&", r) {
			line.WriteByte('\\')
		}
		line.WriteRune(r)
	}
	return line.String()
}

// quoteMarkdown returns text as a block quote.
func quoteMarkdown(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+escapeMarkdown(line), " ")
	}
	return strings.Join(lines, "\n")
}

// codeFence returns a fence longer than any in text.
func codeFence(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// escapeLines returns text with its lines and without Markdown markup.
func escapeLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = escapeMarkdown(line)
	}
	return strings.Join(lines, "\n")
}
