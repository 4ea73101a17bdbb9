package importer

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/protocol"
)

// checkText returns why text cannot be stored as it stands, or "". All but broken
// UTF-8 and NUL is content: other control characters (real texts hold a stray
// bell), bidi and joining marks, U+2028, texts that are not normalised.
func checkText(text string) string {
	count := 0
	for i, r := range text {
		count++
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return fmt.Sprintf("Character %s is not UTF-8 (byte 0x%02X). Save the file as UTF-8.", formatCount(count), text[i])
		}
		if r == 0 {
			return fmt.Sprintf("Character %s is the control character U+0000 (NUL). Take it out.", formatCount(count))
		}
	}
	return ""
}

// checkName returns why text cannot be a name, or "": names are matched and
// printed, so they hold no control characters and have no blanks around.
func checkName(text string, limit int) string {
	n := utf8.RuneCountInString(text)
	switch i := strings.IndexFunc(text, unicode.IsControl); {
	case i >= 0:
		r, _ := utf8.DecodeRuneInString(text[i:])
		return fmt.Sprintf("Character %s is the control character U+%04X, which names cannot have. Take it out.",
			formatCount(utf8.RuneCountInString(text[:i])+1), r)
	case strings.Trim(text, protocol.BlankChars) != text:
		return "There are blanks around this name. Take them out."
	case n > limit:
		return fmt.Sprintf("This name has %s characters; %s is the most.", formatCount(n), formatCount(limit))
	}
	return ""
}

// findLoneSurrogate returns the first escape in a valid JSON string that is half of
// a character, or "".
func findLoneSurrogate(raw []byte) string {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch unit := parseCodeUnit(raw[i+1:]); {
		case unit < 0xd800 || unit > 0xdfff:
			i += 4
		case unit < 0xdc00 && startsLowSurrogate(raw[i+5:]):
			i += 10
		default:
			return string(raw[i-1 : i+5])
		}
	}
	return ""
}

func startsLowSurrogate(raw []byte) bool {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return false
	}
	unit := parseCodeUnit(raw[2:])
	return unit >= 0xdc00 && unit <= 0xdfff
}

func parseCodeUnit(raw []byte) uint64 {
	unit, _ := strconv.ParseUint(string(raw[:4]), 16, 32)
	return unit
}

// checkNumber returns why a JSON number would not survive being read as a float64,
// as most readers do, or "".
func checkNumber(number string) string {
	const maxSafeInteger, maxDigits = 1 << 53, 17
	if !strings.ContainsAny(number, ".eE") {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n > maxSafeInteger || n < -maxSafeInteger {
			return "This whole number has more digits than programs keep. Write it as a text, in quotes."
		}
		return ""
	}
	x, err := strconv.ParseFloat(number, 64)
	if digitsUsed := significantDigits(number); err != nil || len(digitsUsed) > maxDigits || x == 0 && digitsUsed != "" {
		return "This number is larger, smaller or finer than programs keep. Write it as a text, in quotes."
	}
	return ""
}

// significantDigits returns the digits of number without exponent, point and the
// zeros around.
func significantDigits(number string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(number, "-")), "e")
	return strings.Trim(strings.Replace(mantissa, ".", "", 1), "0")
}
