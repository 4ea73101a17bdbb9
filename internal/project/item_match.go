package project

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A TextRun is a part of a line; it may match a search.
type TextRun struct {
	Text    string
	IsMatch bool
}

// MarkMatches splits a line at what matches the terms. With inWords, terms match within
// words, too.
func MarkMatches(line string, terms []SearchTerm) (runs []TextRun) {
	matched := matchedBytes(line, terms)
	start := 0
	for i := 1; i <= len(line); i++ {
		if i == len(line) || matched[i] != matched[start] && utf8.RuneStart(line[i]) {
			runs = append(runs, TextRun{line[start:i], matched[start]})
			start = i
		}
	}
	return runs
}

// matchedBytes reports for each byte of a line whether it belongs to a match. A match that
// starts a word marks the whole word.
func matchedBytes(line string, terms []SearchTerm) []bool {
	matched := make([]bool, len(line))
	lower := strings.Map(unicode.ToLower, line)
	if len(lower) != len(line) { // rare letters change their length; then only equal letters match
		lower = line
	}
	for _, term := range terms {
		for from := 0; from < len(lower); {
			index := strings.Index(lower[from:], term.Token)
			if index < 0 {
				break
			}
			start := from + index
			end := start + len(term.Token)
			if term.IsPrefix && !isSpaceless(firstRune(term.Token)) && startsWord(lower, start) {
				end = wordEnd(lower, end)
			}
			if term.IsPrefix || isSpaceless(firstRune(term.Token)) || startsWord(lower, start) &&
				wordEnd(lower, end) == end {
				for i := start; i < end; i++ {
					matched[i] = true
				}
			}
			from = end
		}
	}
	return matched
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

func startsWord(text string, index int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:index])
	return index == 0 || !isWordRune(before) || isSpaceless(before)
}

func wordEnd(text string, index int) int {
	for index < len(text) {
		r, size := utf8.DecodeRuneInString(text[index:])
		if !isWordRune(r) || isSpaceless(r) {
			break
		}
		index += size
	}
	return index
}

// excerptLead is how many characters an excerpt has before the match.
const excerptLead = 60

// FindExcerpt returns the second line of an item in the results of a search: its own if the
// two lines have a match, else the part of the content that has one.
func FindExcerpt(c Content, item ListedItem, terms []SearchTerm) string {
	isMatch := func(text string) bool { return slices.Contains(matchedBytes(text, terms), true) }
	if isMatch(item.Title) || isMatch(item.Preview) {
		return item.Preview
	}
	for _, key := range slices.Sorted(maps.Keys(c)) {
		for _, text := range c[key].texts() {
			if index := slices.Index(matchedBytes(text, terms), true); index >= 0 {
				return excerptAt(text, index)
			}
		}
	}
	return item.Preview
}

// excerptAt returns one line of text around a byte of it.
func excerptAt(text string, index int) string {
	before := []rune(text[:index])
	lead := ""
	if len(before) > excerptLead {
		before, lead = before[len(before)-excerptLead:], "…"
	}
	return Truncate(lead+oneLine(string(before)+text[index:]), maxSummaryLength)
}
