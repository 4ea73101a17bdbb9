package page

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// protocolSummary describes a protocol's unit and session plan.
func protocolSummary(l *locale.Locale, p protocol.Protocol) []ui.SummaryRow {
	var titles []string
	for _, part := range p.Unit.Parts {
		title := part.Title
		if part.Supporting {
			title = l.T("%s (collapsed)", title)
		}
		titles = append(titles, title)
	}
	rows := []ui.SummaryRow{
		{Label: l.T("Version"), Value: p.Name()},
		{Label: l.T("Unit"), Value: p.Unit.Noun + ": " + strings.Join(titles, ", ")},
	}
	return append(rows, sessionPlanSummary(l, p.Plan)...)
}

func sessionPlanSummary(l *locale.Locale, p protocol.SessionPlan) []ui.SummaryRow {
	breaks := l.T("none")
	if p.BreakEveryItems > 0 {
		breaks = l.T("%d min every %d items", p.BreakMinutes, p.BreakEveryItems)
	}
	rows := []ui.SummaryRow{
		{Label: l.T("Target pace"), Value: l.T("%d–%d s per item", p.MinSecondsPerItem, p.MaxSecondsPerItem)},
		{Label: l.T("Breaks"), Value: breaks},
		{Label: l.T("Target agreement"), Value: l.T("linear-weighted κ of at least %s", l.Decimal(p.TargetKappa, 1))},
	}
	if p.ContentWarning != "" {
		rows = append(rows, ui.SummaryRow{Label: l.T("Content warning"), Value: p.ContentWarning})
	}
	return rows
}

// conditionsText describes conditions; conditions on the same values are joined.
func conditionsText(l *locale.Locale, p protocol.Protocol, conditions []protocol.Condition) string {
	var parts []string
	for len(conditions) > 0 {
		first, sameTitles, others := conditions[0], []string(nil), []protocol.Condition(nil)
		for _, c := range conditions {
			if slices.Equal(c.Values, first.Values) && findConditionKind(p, c.Key) == findConditionKind(p, first.Key) {
				sameTitles = append(sameTitles, conditionTitle(l, p, c.Key))
			} else {
				others = append(others, c)
			}
		}
		parts = append(parts, conditionText(l, p, first, sameTitles))
		conditions = others
	}
	return strings.Join(parts, " "+l.T("and")+" ")
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

func conditionTitle(l *locale.Locale, p protocol.Protocol, key string) string {
	if o, ok := p.Observation(key); ok {
		return l.T("“%s”", o.Title)
	}
	if f, ok := p.Field(key); ok {
		return l.T("“%s”", f.Title)
	}
	for _, f := range p.Facts {
		if f.Key == key {
			return f.Title
		}
	}
	return key
}

// conditionText states condition c for all of titles.
func conditionText(l *locale.Locale, p protocol.Protocol, c protocol.Condition, titles []string) string {
	isPositive, all := slices.Equal(c.Values, []int{1}), joinList(titles, l.T("and"))
	switch findConditionKind(p, c.Key) {
	case noteCondition:
		return choose(isPositive, l.T("there is a note"), l.T("there is no note"))
	case observationCondition:
		switch {
		case !isPositive && len(titles) > 1:
			return l.T("none of %s is ticked", joinList(titles, l.T("or")))
		case !isPositive:
			return l.T("%s is not ticked", all)
		case len(titles) > 1:
			return l.T("%s are ticked", all)
		}
		return l.T("%s is ticked", all)
	case fieldCondition:
		switch {
		case len(titles) == 1:
			return l.T("%s is %s", all, formatValues(l, c.Values))
		case len(titles) == len(p.Fields):
			return l.T("every question is %s", formatValues(l, c.Values))
		}
		return l.T("%s are %s", all, formatValues(l, c.Values))
	}
	return choose(isPositive, all, l.T("not %s", all))
}

func choose(condition bool, ifTrue, ifFalse string) string {
	if condition {
		return ifTrue
	}
	return ifFalse
}

// formatValues returns "1", "1 or 5" or "2 to 4".
func formatValues(l *locale.Locale, in []int) string {
	var texts []string
	for _, v := range in {
		texts = append(texts, strconv.Itoa(v))
	}
	if last := len(in) - 1; last > 1 && in[last]-in[0] == last {
		return l.T("%d to %d", in[0], in[last])
	}
	return joinList(texts, l.T("or"))
}

func hintText(l *locale.Locale, p protocol.Protocol, h protocol.Hint) string {
	var suggestions []string
	if len(h.Suggestions) > 0 {
		suggestions = append(suggestions, conditionsText(l, p, h.Suggestions))
	}
	if h.Note != "" {
		suggestions = append(suggestions, l.T("the note “%s”", h.Note))
	}
	when := conditionsText(l, p, h.When)
	if len(suggestions) == 0 {
		return l.T("When %s: %s", when, h.Message)
	}
	return strings.TrimSpace(l.T("When %s: %s. %s", when, joinList(suggestions, l.T("and")), h.Message))
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
