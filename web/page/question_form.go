package page

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Form is a form of questions: for labels, reference answers and adjudication.
type Form struct {
	Protocol  protocol.Protocol
	Facts     protocol.Facts
	Answers   protocol.Answers         // so far
	Problems  protocol.Problems        // each shown at its field
	Filled    []protocol.Filled        // answers that the server filled in, of a rejected form
	Summaries map[string]AnswerSummary // by field: the annotators' answers, for adjudication
}

// openHeights are the heights of screens, in rem, from which a class opens all questions.
var openHeights = []int{46, 54, 62, 72, 80, 88}

// openClass returns the class of a form that opens all its questions on screens that are high
// enough for them, or "".
func (f Form) openClass() string {
	height := 16.0 // of all else
	if slices.ContainsFunc(f.Protocol.Fields, func(field protocol.Field) bool {
		return len(field.Reward)+len(field.Penalize) > 0
	}) {
		height += 7 // of the active question
	}
	for _, field := range f.Protocol.ApplicableFields(f.Facts) {
		height += 2.6 + 1.2*textLines(field.Question, 62)
		for _, point := range field.Scale {
			height += .5 + 1.2*textLines(point.Anchor, 52)
		}
		if len(f.Summaries) > 0 {
			height += 1.3
		}
	}
	for _, step := range openHeights {
		if height <= float64(step) {
			return "open-from-" + strconv.Itoa(step)
		}
	}
	return ""
}

// textLines returns how many lines of that many characters a text takes.
func textLines(text string, width int) float64 {
	return math.Ceil(float64(utf8.RuneCountInString(text)) / float64(width))
}

// An AnswerSummary is the annotators' answers to one question.
type AnswerSummary struct {
	Groups    []AnswerGroup // by value, ascending
	Expected  []int         // values that can be chosen without a reason
	Consensus *int          // nil: a tie
	Majority  *int          // nil: none
	Given     []int         // every answer of an annotator
}

// An AnswerGroup is the annotators who gave the same answer.
type AnswerGroup struct {
	Value      int
	Annotators string // pseudonyms
}

// AnsweredCount returns the number of answered questions.
func (f Form) AnsweredCount() (n int) {
	for _, field := range f.Protocol.ApplicableFields(f.Facts) {
		if _, given := f.Answers.Values[field.Key]; given {
			n++
		}
	}
	return n
}

func (f Form) tallyText(l *locale.Locale) string {
	return l.T("%d of %d answered", f.AnsweredCount(), len(f.Protocol.ApplicableFields(f.Facts)))
}

// activeKey returns the key of the field to open: the first with a problem, else the
// first without an answer, else the first.
func (f Form) activeKey() string {
	fields := f.Protocol.ApplicableFields(f.Facts)
	for _, field := range fields {
		if len(f.Problems.MessagesFor(field.Key)) > 0 {
			return field.Key
		}
	}
	for _, field := range fields {
		if _, given := f.Answers.Values[field.Key]; !given {
			return field.Key
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return fields[0].Key
}

// describedBy returns the ids of the elements that describe a question.
func (f Form) describedBy(field protocol.Field) string {
	ids := "question-" + field.Key
	if _, hasSummary := f.Summaries[field.Key]; hasSummary {
		ids += " annotations-" + field.Key
	}
	return ids + " problem-" + field.Key
}

func (f Form) hasValue(field protocol.Field, value int) bool {
	given, ok := f.Answers.Values[field.Key]
	return ok && given == value
}

// chosenAnchor returns the anchor of the answer, shown while the question is closed.
func (f Form) chosenAnchor(field protocol.Field) string {
	value, given := f.Answers.Values[field.Key]
	if !given {
		return ""
	}
	return field.Scale.Anchor(value)
}

func (f Form) isUnsure(field protocol.Field) bool {
	return slices.Contains(f.Answers.Unsure, field.Key)
}

// filledIn returns what ticked edge cases did to the answer of field, if anything.
func (f Form) filledIn(field protocol.Field) (protocol.Filled, bool) {
	i := slices.IndexFunc(f.Filled, func(filled protocol.Filled) bool { return filled.Field == field.Key })
	if i < 0 {
		return protocol.Filled{}, false
	}
	return f.Filled[i], true
}

func filledText(l *locale.Locale, filled protocol.Filled) string {
	if filled.Before == nil {
		return l.T("Filled in")
	}
	return l.T("Changed from %d", *filled.Before)
}

func (f Form) filledSource(filled protocol.Filled) string {
	if o, ok := f.Protocol.Observation(filled.Observation); ok {
		return ": " + o.Title
	}
	return ""
}

// filledAttributes are what the script needs to take back an answer that was filled in.
func filledAttributes(filled protocol.Filled) templ.Attributes {
	attributes := templ.Attributes{"data-source": filled.Observation, "data-was-unsure": filled.WasUnsure}
	if filled.Before != nil {
		attributes["data-before"] = formatInt(*filled.Before)
	}
	return attributes
}

func (f Form) isTicked(o protocol.Observation) bool {
	return slices.Contains(f.Answers.Observations, o.Key)
}

// An observationGroup is the observations about one subject, in the protocol's order.
type observationGroup struct {
	Subject      string
	Observations []protocol.Observation
}

func observationGroups(p protocol.Protocol) (groups []observationGroup) {
	for _, o := range p.Observations {
		i := slices.IndexFunc(groups, func(g observationGroup) bool { return g.Subject == o.Subject })
		if i < 0 {
			i, groups = len(groups), append(groups, observationGroup{Subject: o.Subject})
		}
		groups[i].Observations = append(groups[i].Observations, o)
	}
	return groups
}

func (f Form) tickedTitles() (titles []string) {
	for _, o := range f.Protocol.Observations {
		if f.isTicked(o) {
			titles = append(titles, o.Title)
		}
	}
	return titles
}

// noteProblems returns the answers that several rules want explained in the note, which is one sentence,
// and the messages of the other problems at the note.
func (f Form) noteProblems() (answers, messages []string) {
	for _, p := range f.Problems {
		if p.Key != protocol.NoteKey {
			continue
		}
		if answer, isExplained := f.explainedAnswer(p.Rule); isExplained {
			answers = append(answers, answer)
		} else {
			messages = append(messages, p.Message)
		}
	}
	if len(answers) < 2 {
		return nil, f.Problems.MessagesFor(protocol.NoteKey)
	}
	return answers, messages
}

// explainedAnswer returns the answer that a rule wants explained, such as "Safety 1", if it is one.
func (f Form) explainedAnswer(ruleID string) (answer string, isAnswer bool) {
	for _, r := range f.Protocol.Rules {
		if r.ID != ruleID || len(r.When) != 1 {
			continue
		}
		if field, isField := f.Protocol.Field(r.When[0].Key); isField {
			return field.Title + " " + formatInt(f.Answers.Values[field.Key]), true
		}
	}
	return "", false
}

// otherProblems returns the problems at observations or unknown keys.
func (f Form) otherProblems() (messages []string) {
	for _, p := range f.Problems {
		_, isField := f.Protocol.Field(p.Key)
		if isField || p.Key == protocol.NoteKey {
			continue
		}
		message := p.Message
		if o, ok := f.Protocol.Observation(p.Key); ok && !isOwnMessage(message) {
			message = o.Title + ": " + message
		}
		if !slices.Contains(messages, message) {
			messages = append(messages, message)
		}
	}
	return messages
}

// FilledMessage is the problem of a form that is shown again with what its ticks force.
const FilledMessage = "The ticked edge cases changed some answers. Check them, then submit again."

// isOwnMessage reports whether a message of a problem is not of the protocol.
func isOwnMessage(message string) bool {
	_, _, isFilled := protocol.SplitCommonMessage(message)
	return isFilled || message == FilledMessage || protocol.IsCommonMessage(message)
}

// problemText returns the message of a problem; a rule has its message in the language of the
// protocol.
func problemText(l *locale.Locale, message string) string {
	if format, argument, ok := protocol.SplitCommonMessage(message); ok {
		return l.FieldMessage(fault.FieldProblem{Format: format, Args: []any{argument}})
	}
	if isOwnMessage(message) {
		return l.Translate(locale.Text(message))
	}
	return message
}

// localRulebook returns the rulebook of p with the messages of all protocols in the language
// of the page.
func localRulebook(l *locale.Locale, p protocol.Protocol) protocol.Rulebook {
	book := p.Rulebook()
	for _, message := range []*string{&book.Messages.Missing, &book.Messages.NotApplicable, &book.Messages.OffScale,
		&book.Messages.UnknownKey, &book.Messages.NoteTooLong} {
		*message = problemText(l, *message)
	}
	for i := range book.Rules {
		book.Rules[i].Message = problemText(l, book.Rules[i].Message)
	}
	return book
}

// edgeCaseSections returns the guide's section on edge cases, if any.
func edgeCaseSections(p protocol.Protocol) []protocol.Section {
	return slices.DeleteFunc(slices.Clone(p.Guide), func(s protocol.Section) bool { return s.Key != guideEdgeCases })
}

func hasEdgeCases(p protocol.Protocol) bool { return len(p.Observations)+len(edgeCaseSections(p)) > 0 }

// allFacts returns facts with which every question applies.
func allFacts(p protocol.Protocol) protocol.Facts {
	facts := protocol.Facts{}
	for _, f := range p.Facts {
		facts[f.Key] = true
	}
	return facts
}

// formatKeys returns the keys that a user changed as the script reads them.
func formatKeys(keys account.Keys) string {
	text, _ := json.Marshal(keys) // of strings, so it cannot fail
	if keys == nil {
		return "{}"
	}
	return string(text)
}

func ariaInvalid(messages []string) string {
	return strconv.FormatBool(len(messages) > 0)
}
