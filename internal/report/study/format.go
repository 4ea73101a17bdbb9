package study

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Missing is shown in place of a value or interval that does not exist.
const Missing = "–"

// Text formats the value, such as "0.43".
func (n Number) Text() string { return FormatOptional(n.Value, n.FormatBound) }

// Signed formats a difference with its sign, such as "+0.43".
func (n Number) Signed() string { return FormatOptional(n.Value, FormatSigned) }

// Percent formats the value as "43%".
func (n Number) Percent() string { return FormatOptional(n.Value, FormatPercent) }

// Range formats the interval, such as "0.31–0.55" or "−0.10 to 0.55".
func (n Number) Range() string {
	return n.formatInterval(func(low, high float64) string {
		if low < 0 {
			return n.FormatBound(low) + " to " + n.FormatBound(high)
		}
		return n.FormatBound(low) + "–" + n.FormatBound(high)
	})
}

// SignedRange formats the interval of a difference, such as "−0.10 to +0.55".
func (n Number) SignedRange() string {
	return n.formatInterval(func(low, high float64) string { return FormatSigned(low) + " to " + FormatSigned(high) })
}

// PercentRange formats the interval as "31–55%". Different ends have different texts.
func (n Number) PercentRange() string {
	return n.formatInterval(func(low, high float64) string {
		places := 0
		for places < maxPlaces && low < high && percentOf(low, places) == percentOf(high, places) {
			places++
		}
		return percentOf(low, places) + "–" + percentOf(high, places) + "%"
	})
}

// SignedPercent formats a difference of shares with its sign, such as "+4.0%".
func (n Number) SignedPercent() string {
	return FormatOptional(n.Value, func(v float64) string { return formatSignedPercent(v, n.signedPlaces()) })
}

// SignedPercentRange formats the interval of a difference of shares, such as "−1.2% to +9.0%".
func (n Number) SignedPercentRange() string {
	return n.formatInterval(func(low, high float64) string {
		return formatSignedPercent(low, n.signedPlaces()) + " to " + formatSignedPercent(high, n.signedPlaces())
	})
}

// signedPlaces returns the places that the value and both ends have as signed percentages: one, or more if
// one of them would look like 0.
func (n Number) signedPlaces() int {
	return countPlaces(1, func(places int) bool {
		return !slices.ContainsFunc([]*float64{n.Value, n.Low, n.High}, func(v *float64) bool {
			return v != nil && math.Abs(*v) > Negligible && roundTo(100**v, places) == 0
		})
	})
}

// Negligible is the largest error of arithmetic, which looks like 0.
const Negligible = 1e-9

func (n Number) formatInterval(format func(low, high float64) string) string {
	if n.Low == nil || n.High == nil {
		return Missing
	}
	return format(*n.Low, *n.High)
}

// FormatOptional formats *v, or returns the sign of a missing value.
func FormatOptional(v *float64, format func(float64) string) string {
	if v == nil {
		return Missing
	}
	return format(*v)
}

// FormatPlaces formats v to a number of places, with a true minus sign and without negative zero.
func FormatPlaces(v float64, places int) string {
	text := strconv.FormatFloat(roundTo(v, places), 'f', places, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}

// maxPlaces bounds the places that keep a value on its side of a limit.
const maxPlaces = 6

// FormatBound formats v to two places, or more if rounding moved it to the other side of a limit:
// a κ of 0.247 is not 0.25.
func (n Number) FormatBound(v float64) string { return FormatPlaces(v, n.Places(v)) }

// Places returns the decimal places of v: two, or as many as keep it on its side of the limits.
func (n Number) Places(v float64) int {
	places := 2
	for places < maxPlaces && n.crossesLimit(v, places) {
		places++
	}
	return places
}

func (n Number) crossesLimit(v float64, places int) bool {
	rounded := roundTo(v, places)
	return slices.ContainsFunc(n.Limits[:], func(limit float64) bool {
		return limit != 0 && IsBelow(v, limit) != IsBelow(rounded, limit)
	})
}

// IsBelow reports whether v is below a limit by more than a rounding error.
func IsBelow(v, limit float64) bool { return v < limit-1e-9 }

// FormatSigned formats v with its sign, to two places, or more if it would look like 0.
func FormatSigned(v float64) string {
	text := FormatPlaces(v, countPlaces(2, func(places int) bool { return roundTo(v, places) != 0 }))
	if strings.Trim(text, "0.") != "" && v > 0 {
		return "+" + text
	}
	return text
}

// formatSignedPercent formats v as a percentage with its sign, to so many places.
func formatSignedPercent(v float64, places int) string {
	text := FormatPlaces(100*v, places) + "%"
	if v > 0 && strings.Trim(text, "0.%") != "" {
		return "+" + text
	}
	return text
}

// FormatPercent formats v as a whole percentage, with more places if it would look like none or all.
func FormatPercent(v float64) string { return percentOf(v, 0) + "%" }

// percentOf formats v as a percentage to so many places, or more if it would look like none or all.
func percentOf(v float64, places int) string {
	percent := 100 * v
	isPartial := func(places int) bool { return roundTo(percent, places) != 0 && roundTo(percent, places) != 100 }
	return FormatPlaces(percent, countPlaces(places, isPartial))
}

// countPlaces returns the smallest number of places, from a first one on, that is good; the first one
// if none is.
func countPlaces(first int, isGood func(places int) bool) int {
	for places := first; places <= maxPlaces; places++ {
		if isGood(places) {
			return places
		}
	}
	return first
}

// roundTo rounds v as it is shown to so many places, halves away from zero: 12.5 is 13, and so is 12.4999…
// where that is 12.5 with an error of arithmetic.
func roundTo(v float64, places int) float64 {
	unit := math.Pow10(places)
	return math.Round(v*unit+math.Copysign(Negligible, v)) / unit
}
