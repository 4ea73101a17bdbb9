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

// protocolSummary describes a protocol's unit and session plan.
func protocolSummary(p protocol.Protocol) []ui.SummaryRow {
	var titles []string
	for _, part := range p.Unit.Parts {
		title := part.Title
		if part.Supporting {
			title += " (collapsed)"
		}
		titles = append(titles, title)
	}
	rows := []ui.SummaryRow{
		{Label: "Version", Value: p.Name()},
		{Label: "Unit", Value: p.Unit.Noun + ": " + strings.Join(titles, ", ")},
	}
	return append(rows, sessionPlanSummary(p.Plan)...)
}

func sessionPlanSummary(p protocol.SessionPlan) []ui.SummaryRow {
	breaks := "none"
	if p.BreakEveryItems > 0 {
		breaks = fmt.Sprintf("%d min every %s", p.BreakMinutes, Pluralize(p.BreakEveryItems, "item"))
	}
	rows := []ui.SummaryRow{
		{Label: "Target pace", Value: fmt.Sprintf("%d–%d s per item", p.MinSecondsPerItem, p.MaxSecondsPerItem)},
		{Label: "Breaks", Value: breaks},
		{Label: "Target agreement", Value: "linear-weighted κ of at least " + strconv.FormatFloat(p.TargetKappa,
			'g', -1, 64)},
	}
	if p.ContentWarning != "" {
		rows = append(rows, ui.SummaryRow{Label: "Content warning", Value: p.ContentWarning})
	}
	return rows
}

// conditionsText describes conditions; conditions on the same values are joined.
func conditionsText(p protocol.Protocol, conditions []protocol.Condition) string {
	var parts []string
	for len(conditions) > 0 {
		first, sameTitles, others := conditions[0], []string(nil), []protocol.Condition(nil)
		for _, c := range conditions {
			if slices.Equal(c.Values, first.Values) && findConditionKind(p, c.Key) == findConditionKind(p, first.Key) {
				sameTitles = append(sameTitles, conditionTitle(p, c.Key))
			} else {
				others = append(others, c)
			}
		}
		parts = append(parts, conditionText(p, first, sameTitles))
		conditions = others
	}
	return strings.Join(parts, " and ")
}

// A conditionKind is what a condition is about.
type conditionKind int

const (
	noteCondition conditionKind = iota
	observationCondition
	fieldCondition
	factCondition
)

func findConditionKind(p protocol.Protocol, key string) conditionKind {
	if key == protocol.NoteKey {
		return noteCondition
	}
	if _, ok := p.Observation(key); ok {
		return observationCondition
	}
	if _, ok := p.Field(key); ok {
		return fieldCondition
	}
	return factCondition
}

func conditionTitle(p protocol.Protocol, key string) string {
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

// conditionText states condition c for all of titles.
func conditionText(p protocol.Protocol, c protocol.Condition, titles []string) string {
	isPositive, verb := slices.Equal(c.Values, []int{1}), " is "
	if len(titles) > 1 {
		verb = " are "
	}
	switch findConditionKind(p, c.Key) {
	case noteCondition:
		return choose(isPositive, "there is a note", "there is no note")
	case observationCondition:
		if !isPositive && len(titles) > 1 {
			return "none of " + joinList(titles, "or") + " is ticked"
		}
		return joinList(titles, "and") + verb + choose(isPositive, "ticked", "not ticked")
	case fieldCondition:
		if len(titles) == len(p.Fields) && len(titles) > 1 {
			return "every question is " + formatValues(c.Values)
		}
		return joinList(titles, "and") + verb + formatValues(c.Values)
	}
	return choose(isPositive, "", "not ") + joinList(titles, "and")
}

func choose(condition bool, ifTrue, ifFalse string) string {
	if condition {
		return ifTrue
	}
	return ifFalse
}

// formatValues returns "1", "1 or 5" or "2 to 4".
func formatValues(in []int) string {
	var texts []string
	for _, v := range in {
		texts = append(texts, strconv.Itoa(v))
	}
	if last := len(in) - 1; last > 1 && in[last]-in[0] == last {
		return texts[0] + " to " + texts[last]
	}
	return joinList(texts, "or")
}

// hintText describes a hint.
func hintText(p protocol.Protocol, h protocol.Hint) string {
	var suggestions []string
	if len(h.Suggestions) > 0 {
		suggestions = append(suggestions, conditionsText(p, h.Suggestions))
	}
	if h.Note != "" {
		suggestions = append(suggestions, "the note “"+h.Note+"”")
	}
	when := "When " + conditionsText(p, h.When) + ": "
	if len(suggestions) == 0 {
		return when + h.Message
	}
	return strings.TrimSpace(when + strings.Join(suggestions, ", and ") + ". " + h.Message)
}

// A sourceLine is a line of a definition with its errors.
type sourceLine struct {
	Number int
	Text   string
	Errors []string
}

// sourceLines splits a definition into lines with their errors.
func sourceLines(source string, sourceErrors protocol.DefinitionErrors) (lines []sourceLine) {
	for i, content := range strings.Split(replaceControlChars(source), "\n") {
		line := sourceLine{Number: i + 1, Text: content}
		for _, f := range sourceErrors {
			if f.Line == line.Number {
				line.Errors = append(line.Errors, f.Message)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// replaceControlChars replaces characters that a page cannot show.
func replaceControlChars(source string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(source, string(unicode.ReplacementChar)))
}

func sourceErrorsIntro(sourceErrors protocol.DefinitionErrors) string {
	if len(sourceErrors) == 1 {
		return "Protocol not published. Fix one error:"
	}
	return fmt.Sprintf("Protocol not published. Fix %s:", Pluralize(len(sourceErrors), "error"))
}
