package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/protocol"
)

// Form is what stands in a form of questions: for annotators, and for leads who
// enter reference answers or settle a disagreement.
type Form struct {
	Protocol  protocol.Protocol
	Facts     protocol.Facts
	Answers   protocol.Answers         // as given so far
	Problems  protocol.Problems        // shown at their fields
	Summaries map[string]AnswerSummary // by field: what others said, for whoever settles it
}

// A AnswerSummary is what stands beside a question for somebody who settles what
// others differ on.
type AnswerSummary struct {
	Groups    []AnswerGroup // by value, ascending
	Expected  []int         // the values that need no reason
	Consensus *int          // what annotators come to by themselves; nil: they are tied
}

// A AnswerGroup is who gave one answer.
type AnswerGroup struct {
	Value      int
	Annotators string // pseudonyms
}

// QuestionCount returns how many questions the form has for this item.
func (f Form) QuestionCount() int { return len(f.Protocol.ApplicableFields(f.Facts)) }

// AnsweredCount returns how many of them have an answer.
func (f Form) AnsweredCount() (n int) {
	for _, field := range f.Protocol.ApplicableFields(f.Facts) {
		if _, given := f.Answers.Values[field.Key]; given {
			n++
		}
	}
	return n
}

func (f Form) tallyText() string {
	return fmt.Sprintf("%d of %d answered", f.AnsweredCount(), f.QuestionCount())
}

// activeKey returns the key of the field to begin with: the first with a problem,
// else the first without an answer, else the first.
func (f Form) activeKey() string {
	asked := f.Protocol.ApplicableFields(f.Facts)
	for _, field := range asked {
		if len(f.Problems.MessagesFor(field.Key)) > 0 {
			return field.Key
		}
	}
	for _, field := range asked {
		if _, given := f.Answers.Values[field.Key]; !given {
			return field.Key
		}
	}
	if len(asked) == 0 {
		return ""
	}
	return asked[0].Key
}

// describedBy returns the ids of what a question is described by.
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

// chosenAnchor returns the words of the answer given, for the line that stands for a
// field while another is active.
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

func (f Form) isTicked(o protocol.Observation) bool {
	return slices.Contains(f.Answers.Observations, o.Key)
}

// A observationGroup is the observations about one thing, in the protocol's order.
type observationGroup struct {
	About        string
	Observations []protocol.Observation
}

func (f Form) observationGroups() (groups []observationGroup) {
	for _, o := range f.Protocol.Observations {
		i := slices.IndexFunc(groups, func(g observationGroup) bool { return g.About == o.Subject })
		if i < 0 {
			i, groups = len(groups), append(groups, observationGroup{About: o.Subject})
		}
		groups[i].Observations = append(groups[i].Observations, o)
	}
	return groups
}

// tickedTitles returns the titles of what is ticked.
func (f Form) tickedTitles() (titles []string) {
	for _, o := range f.Protocol.Observations {
		if f.isTicked(o) {
			titles = append(titles, o.Title)
		}
	}
	return titles
}

// otherProblems returns the problems at anything but a field or the note: at
// observations, or at keys that the form does not have.
func (f Form) otherProblems() (messages []string) {
	for _, p := range f.Problems {
		_, isField := f.Protocol.Field(p.Key)
		if isField || p.Key == protocol.NoteKey {
			continue
		}
		message := p.Message
		if o, ok := f.Protocol.Observation(p.Key); ok {
			message = o.Title + ": " + message
		}
		if !slices.Contains(messages, message) {
			messages = append(messages, message)
		}
	}
	return messages
}

// edgeCaseSections returns the guide's section on them, if it has one.
func edgeCaseSections(p protocol.Protocol) []protocol.Section {
	return slices.DeleteFunc(slices.Clone(p.Guide), func(s protocol.Section) bool { return s.Key != "edge_cases" })
}

func hasEdgeCases(p protocol.Protocol) bool { return len(p.Observations)+len(edgeCaseSections(p)) > 0 }

func formatInt(n int) string { return strconv.Itoa(n) }

// formatID returns an id or a number as text.
func formatID[T ~int64](id T) string { return strconv.FormatInt(int64(id), 10) }

func ariaInvalid(messages []string) string {
	return strconv.FormatBool(len(messages) > 0)
}
