package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// missing is shown in place of a value or interval that does not exist.
const missing = "–"

// Text formats the value, such as "0.43".
func (n Number) Text() string { return formatOptional(n.Value, n.format) }

// Signed formats a difference with its sign, such as "+0.43".
func (n Number) Signed() string { return formatOptional(n.Value, formatSigned) }

// Percent formats the value as "43%".
func (n Number) Percent() string { return formatOptional(n.Value, formatPercent) }

// Range formats the interval, such as "0.31–0.55" or "−0.10 to 0.55".
func (n Number) Range() string {
	return n.formatInterval(func(low, high float64) string {
		if low < 0 {
			return n.format(low) + " to " + n.format(high)
		}
		return n.format(low) + "–" + n.format(high)
	})
}

// SignedRange formats the interval of a difference, such as "−0.10 to +0.55".
func (n Number) SignedRange() string {
	return n.formatInterval(func(low, high float64) string { return formatSigned(low) + " to " + formatSigned(high) })
}

// PercentRange formats the interval as "31–55%".
func (n Number) PercentRange() string {
	return n.formatInterval(func(low, high float64) string { return fmt.Sprintf("%.0f–%.0f%%", 100*low, 100*high) })
}

// TieRange formats the range that ties leave, as a share in percent or as a mean; empty
// without ties.
func (r Rate) TieRange(isShare bool) string {
	n := Number{Low: r.Lowest, High: r.Highest}
	switch {
	case r.Ties == 0:
		return ""
	case isShare:
		return n.PercentRange()
	}
	return n.Range()
}

// withInterval formats the value and its interval, such as "0.55 (95% CI 0.31–0.75)".
func (n Number) withInterval() string {
	if n.Low == nil {
		return n.Text()
	}
	return n.Text() + " (95% CI " + n.Range() + ")"
}

func (n Number) formatInterval(format func(low, high float64) string) string {
	if n.Low == nil || n.High == nil {
		return missing
	}
	return format(*n.Low, *n.High)
}

func formatOptional(v *float64, format func(float64) string) string {
	if v == nil {
		return missing
	}
	return format(*v)
}

// formatValue formats v to two places, with a true minus sign and without negative zero.
func formatValue(v float64) string { return formatPlaces(v, 2) }

func formatPlaces(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}

// maxPlaces bounds the places that keep a value on its side of a limit.
const maxPlaces = 6

// format formats v to two places, or more if rounding moved it to the other side of a limit:
// a κ of 0.247 is not 0.25.
func (n Number) format(v float64) string {
	places := 2
	for places < maxPlaces && n.crossesLimit(v, places) {
		places++
	}
	return formatPlaces(v, places)
}

func (n Number) crossesLimit(v float64, places int) bool {
	unit := math.Pow10(places)
	rounded := math.Round(v*unit) / unit
	return slices.ContainsFunc(n.limits[:], func(limit float64) bool { return limit != 0 && (v < limit) != (rounded < limit) })
}

func formatSigned(v float64) string {
	if text := formatValue(v); v > 0 && text != "0.00" {
		return "+" + text
	}
	return formatValue(v)
}

func formatPercent(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }

// formatCount formats n with separators, such as "1,033".
func formatCount(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// pluralize returns "1 item" or "1,033 items".
func pluralize(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return formatCount(n) + " " + pluralOf(noun)
}

func pluralOf(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "ry"); ok {
		return stem + "ries"
	}
	return noun + "s"
}

// sentence makes a sentence of a clause: a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + strings.TrimSuffix(text[size:], ".") + "."
}
