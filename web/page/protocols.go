package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
		rest = fmt.Sprintf("%s after every %s", count(p.BreakMinutes, "minute"), count(p.BreakEvery, "item"))
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

// condsSay returns conditions as a person says them, those that ask the same
// in one.
func condsSay(p protocol.Protocol, conds []protocol.Cond) string {
	var says []string
	for len(conds) > 0 {
		first, alike, others := conds[0], []string(nil), []protocol.Cond(nil)
		for _, c := range conds {
			if slices.Equal(c.In, first.In) && kindOf(p, c.Key) == kindOf(p, first.Key) {
				alike = append(alike, titleOf(p, c.Key))
			} else {
				others = append(others, c)
			}
		}
		says = append(says, condSays(p, first, alike))
		conds = others
	}
	return strings.Join(says, " and ")
}

// A condKind says what a condition is about.
type condKind int

const (
	aboutNote condKind = iota
	aboutObservation
	aboutField
	aboutFact
)

func kindOf(p protocol.Protocol, key string) condKind {
	if key == protocol.Note {
		return aboutNote
	}
	if _, ok := p.Observation(key); ok {
		return aboutObservation
	}
	if _, ok := p.Field(key); ok {
		return aboutField
	}
	return aboutFact
}

func titleOf(p protocol.Protocol, key string) string {
	if o, ok := p.Observation(key); ok {
		return "“" + o.Title + "”"
	}
	if f, ok := p.Field(key); ok {
		return "“" + f.Title + "”"
	}
	for _, f := range p.Facts {
		if f.Key == key {
			return f.Title
		}
	}
	return key
}

// condSays says that all of titles are as c asks.
func condSays(p protocol.Protocol, c protocol.Cond, titles []string) string {
	yes, are := slices.Equal(c.In, []int{1}), " is "
	if len(titles) > 1 {
		are = " are "
	}
	switch kindOf(p, c.Key) {
	case aboutNote:
		return either(yes, "a note is written", "the note is blank")
	case aboutObservation:
		if !yes && len(titles) > 1 {
			return "none of " + enumerated(titles, "or") + " is ticked"
		}
		return enumerated(titles, "and") + are + either(yes, "ticked", "not ticked")
	case aboutField:
		if len(titles) == len(p.Fields) && len(titles) > 1 {
			return "every question is " + values(c.In)
		}
		return enumerated(titles, "and") + are + values(c.In)
	}
	return either(yes, "", "not: ") + enumerated(titles, "and")
}

// enumerated returns "a", "a or b" or "a, b or c".
func enumerated(list []string, last string) string {
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " " + last + " " + list[n]
	}
	return strings.Join(list, "")
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
	if last := len(in) - 1; last > 1 && in[last]-in[0] == last {
		return texts[0] + " to " + texts[last]
	}
	return enumerated(texts, "or")
}

// hintSays returns a hint in a sentence or two.
func hintSays(p protocol.Protocol, h protocol.Hint) string {
	var offers []string
	if len(h.Suggest) > 0 {
		offers = append(offers, condsSay(p, h.Suggest))
	}
	if h.Note != "" {
		offers = append(offers, "the note “"+h.Note+"”")
	}
	when := "When " + condsSay(p, h.When) + ": "
	if len(offers) == 0 {
		return when + h.Says
	}
	return strings.TrimSpace(when + strings.Join(offers, ", and ") + ". " + h.Says)
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
