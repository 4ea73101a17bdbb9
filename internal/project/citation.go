package project

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
)

// A CitationPattern is how the answers of a project cite chunks, such as [{n}]: {n} stands for
// the number of a chunk, {source} for its source. An empty pattern links nothing.
type CitationPattern string

// The parts of a pattern that stand for a chunk.
const (
	citedNumber = "{n}"
	citedSource = "{source}"
)

// maxCitationPattern is the number of characters of a pattern.
const maxCitationPattern = 40

// Check returns an error if p does not stand for exactly one chunk, or has no sign around it.
func (p CitationPattern) Check() error {
	if p == "" {
		return nil
	}
	before, after, _ := p.cut()
	switch {
	case strings.Count(string(p), citedNumber)+strings.Count(string(p), citedSource) != 1,
		strings.TrimSpace(before) == "" || strings.TrimSpace(after) == "":
		return fault.Invalid.Errorf(
			"“%s” is no citation format. Write {n} or {source} once, with a sign on both sides, such as [{n}].",
			string(p))
	case utf8.RuneCountInString(string(p)) > maxCitationPattern:
		return fault.Invalid.Errorf("The citation format is longer than %d characters. Shorten it.", maxCitationPattern)
	}
	return nil
}

// cut returns what is around the chunk in p, and whether the chunk has its number there.
func (p CitationPattern) cut() (before, after string, isNumber bool) {
	if before, after, isNumber = strings.Cut(string(p), citedNumber); isNumber {
		return before, after, true
	}
	before, after, _ = strings.Cut(string(p), citedSource)
	return before, after, false
}

// Marker returns the citation of the chunk with that number; empty if p has no numbers.
func (p CitationPattern) Marker(number int) string {
	if before, after, isNumber := p.cut(); isNumber {
		return before + strconv.Itoa(number) + after
	}
	return ""
}

// Regexp returns an expression that finds citations in the text of HTML; nil for an empty pattern.
// Its group is what is cited: a source, or numbers, such as 1, 3.
func (p CitationPattern) Regexp() *regexp.Regexp {
	if p == "" {
		return nil
	}
	before, after, isNumber := p.cut()
	cited := `([^\s<>\[\](){}]{1,80})`
	if isNumber {
		cited = `(\d{1,3}(?: ?[,;–-] ?\d{1,3})*)`
	}
	return regexp.MustCompile(regexp.QuoteMeta(html.EscapeString(before)) + cited +
		regexp.QuoteMeta(html.EscapeString(after)))
}
