package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// protocolTerms says what a protocol is about, and its plan for a session.
func protocolTerms(p protocol.Protocol) []ui.Term {
	var shown []string
	for _, part := range p.Unit.Parts {
		title := part.Title
		if part.Supporting {
			title += " (folded)"
		}
		shown = append(shown, title)
	}
	terms := []ui.Term{
		{Name: "Version", Detail: p.Name()},
		{Name: "One item is", Detail: p.Unit.Noun + ": " + strings.Join(shown, ", ")},
	}
	return append(terms, planOfProtocol(p.Plan)...)
}

func planOfProtocol(p protocol.Plan) []ui.Term {
	rest := "none"
	if p.BreakEvery > 0 {
		rest = fmt.Sprintf("%d minutes after every %d items", p.BreakMinutes, p.BreakEvery)
	}
	terms := []ui.Term{
		{Name: "Usual pace", Detail: fmt.Sprintf("%d to %d seconds an item", p.PaceFrom, p.PaceTo)},
		{Name: "Breaks", Detail: rest},
		{Name: "Target", Detail: "linear-weighted κ of " + strconv.FormatFloat(p.Target, 'g', -1, 64)},
	}
	if p.Warning != "" {
		terms = append(terms, ui.Term{Name: "Content warning", Detail: p.Warning})
	}
	return terms
}

// condsSay returns conditions as a person says them, begun with a capital.
func condsSay(p protocol.Protocol, conds []protocol.Cond) string {
	var says []string
	for _, c := range conds {
		says = append(says, condSays(p, c))
	}
	joined := strings.Join(says, " and ")
	if len(says) > 2 {
		joined = strings.Join(says, "; ")
	}
	return capital(joined)
}

func condSays(p protocol.Protocol, c protocol.Cond) string {
	yes := slices.Equal(c.In, []int{1})
	if c.Key == protocol.Note {
		return either(yes, "a note is written", "the note is blank")
	}
	if o, ok := p.Observation(c.Key); ok {
		return "“" + o.Title + "” is " + either(yes, "ticked", "not ticked")
	}
	if f, ok := p.Field(c.Key); ok {
		return "“" + f.Title + "” is " + values(c.In)
	}
	for _, f := range p.Facts {
		if f.Key == c.Key {
			return either(yes, f.Title, "not: "+f.Title)
		}
	}
	return c.Key
}

func either(yes bool, one, other string) string {
	if yes {
		return one
	}
	return other
}

// values returns "1", "1 or 5" or "2 to 4".
func values(in []int) string {
	var texts []string
	for _, v := range in {
		texts = append(texts, strconv.Itoa(v))
	}
	last := len(in) - 1
	switch {
	case last < 1:
		return strings.Join(texts, "")
	case last > 1 && in[last]-in[0] == last:
		return texts[0] + " to " + texts[last]
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// hintSays returns a hint in one sentence.
func hintSays(p protocol.Protocol, h protocol.Hint) string {
	offers := []string{}
	if len(h.Suggest) > 0 {
		offers = append(offers, condsSay(p, h.Suggest))
	}
	if h.Note != "" {
		offers = append(offers, "the note “"+h.Note+"”")
	}
	says := "When " + lower(condsSay(p, h.When)) + ": " + lower(strings.Join(offers, ", and ")) + "."
	if len(offers) == 0 {
		return strings.TrimSuffix(says, ".") + strings.TrimSpace(h.Says)
	}
	return strings.TrimSpace(says + " " + h.Says)
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func lower(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// A sourceLine is a line of a definition, with what is wrong there.
type sourceLine struct {
	Number int
	Text   string
	Faults []string
}

// sourceLines puts faults beside the lines they are about. Signs that are not
// text are shown as what they are.
func sourceLines(source string, faults protocol.Faults) (lines []sourceLine) {
	for i, text := range strings.Split(readable(source), "\n") {
		line := sourceLine{Number: i + 1, Text: text}
		for _, f := range faults {
			if f.Line == line.Number {
				line.Faults = append(line.Faults, f.Says)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// readable replaces what a page cannot hold.
func readable(source string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(source, string(unicode.ReplacementChar)))
}

func protocolFaultsLead(faults protocol.Faults) string {
	if len(faults) == 1 {
		return "Nothing was published. One thing has to change first."
	}
	return fmt.Sprintf("Nothing was published. %d things have to change first.", len(faults))
}
