package itemtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstLetterIsRightToLeft reports whether the first letter of text is of a script written from
// right to left.
func firstLetterIsRightToLeft(text string) bool {
	first := strings.IndexFunc(text, unicode.IsLetter)
	if first < 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[first:])
	return isRightToLeft(r)
}

// isRightToLeft reports whether r belongs to a script written from right to left.
func isRightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 &&
		r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}
