package project

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/protocol"
)

// Limits of what a search knows of an item.
const (
	maxSearchTokens    = 20_000
	usualTokens        = 64 // for which memory is allocated at once
	maxTokenLength     = 64 // characters
	maxConditionLength = 100
	maxSummaryLength   = 200
	minPrefixLength    = 2 // shorter words match whole words only
	trigramLength      = 3
)

// SearchTokens returns the distinct tokens by which an item is found: the words of its
// texts, its ids and its metadata, and a token for each condition. metaTexts are those of i.
func (i Item) SearchTokens(metaTexts map[string]string) []string {
	found := make(map[string]bool, usualTokens)
	for _, text := range append(i.texts(), i.SourceID, i.RecordID) {
		addWords(found, text)
	}
	for name, value := range metaTexts {
		addWords(found, value)
		if IsCondition(value) {
			found[ConditionToken(name+"="+value)] = true
		}
	}
	if i.RecordID != "" {
		found[RecordToken(i.RecordID)] = true
	}
	tokens := slices.AppendSeq(make([]string, 0, len(found)), maps.Keys(found))
	slices.Sort(tokens)
	return tokens
}

// ConditionToken returns the token of the items with a condition, "COLUMN=VALUE".
func ConditionToken(condition string) string { return "meta:" + condition }

// IsCondition reports whether a metadata value is short enough to filter by.
func IsCondition(value string) bool { return utf8.RuneCountInString(value) <= maxConditionLength }

// RecordToken returns the token of the items of a record.
func RecordToken(recordID string) string { return "record:" + recordID }

// texts returns the texts of all parts, by the key of the part.
func (i Item) texts() (texts []string) {
	for _, key := range slices.Sorted(maps.Keys(i.Content)) {
		texts = append(texts, i.Content[key].texts()...)
	}
	return texts
}

// MetaTexts returns the metadata of i as texts: strings as they are, numbers and truth
// values as JSON. Lists and objects are left out.
func (i Item) MetaTexts() map[string]string {
	texts := make(map[string]string, len(i.Meta))
	for name, raw := range i.Meta {
		var value any
		if json.Unmarshal(raw, &value) != nil {
			continue
		}
		switch v := value.(type) {
		case string:
			texts[name] = v
		case float64, bool:
			texts[name] = string(raw)
		}
	}
	return texts
}

// addWords adds the tokens of a text to found, up to a limit.
func addWords(found map[string]bool, text string) {
	var word []byte // reused, because most words of a project are known
	for run := range splitWords(text) {
		if len(found) >= maxSearchTokens {
			return
		}
		if isSpaceless(run[0]) {
			for _, token := range wordTokens(run) {
				found[token] = true
			}
			continue
		}
		word = word[:0]
		for _, r := range run[:min(len(run), maxTokenLength)] {
			word = utf8.AppendRune(word, r)
		}
		if !found[string(word)] {
			found[string(word)] = true
		}
	}
}

// splitWords yields the runs of letters and digits of a text, in lower case. A script
// without spaces begins a run of its own.
func splitWords(text string) func(yield func([]rune) bool) {
	return func(yield func([]rune) bool) {
		var run []rune
		for _, r := range text {
			isWord := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
			if len(run) > 0 && (!isWord || isSpaceless(r) != isSpaceless(run[0])) {
				if !yield(run) {
					return
				}
				run = run[:0]
			}
			if isWord {
				run = append(run, unicode.ToLower(r))
			}
		}
		if len(run) > 0 {
			yield(run)
		}
	}
}

// wordTokens returns a word, or the pairs of characters and the last character of a run
// without spaces: every part of the run is then a sequence of pairs.
func wordTokens(run []rune) (tokens []string) {
	if !isSpaceless(run[0]) {
		return []string{string(run[:min(len(run), maxTokenLength)])}
	}
	for i := range len(run) - 1 {
		tokens = append(tokens, string(run[i:i+2]))
	}
	return append(tokens, string(run[len(run)-1:]))
}

// A SearchTerm is one token of a query.
type SearchTerm struct {
	Token    string
	IsPrefix bool // longer words that start with it match, too
}

// ParseSearch returns the terms of what a user typed. An item matches if it has all.
func ParseSearch(query string) (terms []SearchTerm) {
	for run := range splitWords(query) {
		switch tokens := wordTokens(run); {
		case !isSpaceless(run[0]):
			terms = append(terms, SearchTerm{tokens[0], len(run) >= minPrefixLength})
		case len(run) == 1:
			terms = append(terms, SearchTerm{tokens[0], true})
		default:
			for _, pair := range tokens[:len(tokens)-1] {
				terms = append(terms, SearchTerm{pair, false})
			}
		}
	}
	return terms
}

// HasTrigrams reports whether a word is found by its parts: it has three characters or more, no
// digits, as ids have more often than not, and no script without spaces.
func HasTrigrams(word string) bool {
	return utf8.RuneCountInString(word) >= trigramLength && !isSpaceless(firstRune(word)) &&
		!strings.ContainsFunc(word, unicode.IsNumber)
}

// Trigrams returns the distinct groups of three characters in a word, or nil if it has none.
func Trigrams(word string) (trigrams []string) {
	if !HasTrigrams(word) {
		return nil
	}
	runes := []rune(word)
	for i := range len(runes) - trigramLength + 1 {
		trigrams = append(trigrams, string(runes[i:i+trigramLength]))
	}
	slices.Sort(trigrams)
	return slices.Compact(trigrams)
}

// ItemLines is what a list shows of an item: two lines.
type ItemLines struct{ Title, Preview string }

// Summarize returns the first lines of the primary parts: of the first part, and of the
// next part or the next turn with a text.
func Summarize(p protocol.Protocol, c Content) ItemLines {
	var lines []string
	for _, supporting := range []bool{false, true} {
		for _, part := range p.Unit.Parts {
			if part.Supporting == supporting {
				lines = append(lines, summaryLines(part, c[part.Key])...)
			}
		}
	}
	switch len(lines) {
	case 0:
		return ItemLines{}
	case 1:
		return splitLine(lines[0])
	}
	return ItemLines{Truncate(lines[0], maxSummaryLength), Truncate(lines[1], maxSummaryLength)}
}

// emptyResponse is the line of a response without a text.
const emptyResponse = "The response is empty."

// summaryLines returns the first texts of a part that are not empty, each on one line: of a
// conversation those that somebody says.
func summaryLines(part protocol.Part, c PartContent) (lines []string) {
	texts := []string{c.Text}
	isEmpty := len(c.Turns)+len(c.Chunks) == 0 && part.Kind == protocol.PartText
	for _, t := range c.Turns {
		if t.Kind == TurnMessage {
			texts = append(texts, t.Text)
			isEmpty = t.Role == "assistant"
		}
	}
	for _, chunk := range c.Chunks {
		texts = append(texts, chunk.Text)
	}
	for _, text := range texts {
		if line := oneLine(text); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == 2 {
			break
		}
	}
	if isEmpty && part.Judged && len(lines) < 2 && oneLine(texts[len(texts)-1]) == "" {
		lines = append(lines, emptyResponse)
	}
	return lines
}

// oneLine returns the start of a text with every space and control character as one space.
func oneLine(text string) string {
	if cut := 8 * maxSummaryLength; len(text) > cut {
		text = strings.ToValidUTF8(text[:cut], "")
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// splitLine continues a long first line on the second one.
func splitLine(line string) ItemLines {
	runes := []rune(line)
	if len(runes) <= maxSummaryLength {
		return ItemLines{Title: line}
	}
	return ItemLines{string(runes[:maxSummaryLength]), Truncate(string(runes[maxSummaryLength:]), maxSummaryLength)}
}

// Truncate returns the first characters of a text, with an ellipsis if there are more.
func Truncate(text string, length int) string {
	if len(text) <= length {
		return text
	}
	runes := []rune(text)
	if len(runes) <= length {
		return text
	}
	return strings.TrimRight(string(runes[:length-1]), " ") + "…"
}
