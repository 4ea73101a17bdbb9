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
	Protocol protocol.Protocol
	Facts    protocol.Facts
	Answers  protocol.Answers  // as given so far
	Problems protocol.Problems // shown at their fields
	Beside   map[string]Beside // by field: what others said, for whoever settles it
}

// A Beside is what stands beside a question for somebody who settles what
// others differ on.
type Beside struct {
	Said     []Told // by value, ascending
	Expected []int  // the values that need no reason
	Most     *int   // what annotators come to by themselves; nil: they are tied
}

// A Told is who gave one answer.
type Told struct {
	Value int
	By    string // pseudonyms
}

// Asked returns how many questions the form has for this item.
func (f Form) Asked() int { return len(f.Protocol.Asked(f.Facts)) }

// Answered returns how many of them have an answer.
func (f Form) Answered() (n int) {
	for _, field := range f.Protocol.Asked(f.Facts) {
		if _, given := f.Answers.Values[field.Key]; given {
			n++
		}
	}
	return n
}

func (f Form) tally() string { return fmt.Sprintf("%d of %d answered", f.Answered(), f.Asked()) }

// active returns the key of the field to begin with: the first with a problem,
// else the first without an answer, else the first.
func (f Form) active() string {
	asked := f.Protocol.Asked(f.Facts)
	for _, field := range asked {
		if len(f.Problems.At(field.Key)) > 0 {
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

// describes returns the ids of what a question is described by.
func (f Form) describes(field protocol.Field) string {
	ids := "ask-" + field.Key
	if _, settles := f.Beside[field.Key]; settles {
		ids += " said-" + field.Key
	}
	return ids + " problem-" + field.Key
}

func (f Form) has(field protocol.Field, value int) bool {
	given, ok := f.Answers.Values[field.Key]
	return ok && given == value
}

// chosen returns the words of the answer given, for the line that stands for a
// field while another is active.
func (f Form) chosen(field protocol.Field) string {
	value, given := f.Answers.Values[field.Key]
	if !given {
		return ""
	}
	return field.Scale.Anchor(value)
}

func (f Form) unsure(field protocol.Field) bool { return slices.Contains(f.Answers.Unsure, field.Key) }

func (f Form) ticked(o protocol.Observation) bool {
	return slices.Contains(f.Answers.Observations, o.Key)
}

// A group is the observations about one thing, in the protocol's order.
type group struct {
	About        string
	Observations []protocol.Observation
}

func (f Form) groups() (groups []group) {
	for _, o := range f.Protocol.Observations {
		i := slices.IndexFunc(groups, func(g group) bool { return g.About == o.About })
		if i < 0 {
			i, groups = len(groups), append(groups, group{About: o.About})
		}
		groups[i].Observations = append(groups[i].Observations, o)
	}
	return groups
}

// observed returns the titles of what is ticked.
func (f Form) observed() (titles []string) {
	for _, o := range f.Protocol.Observations {
		if f.ticked(o) {
			titles = append(titles, o.Title)
		}
	}
	return titles
}

// apart returns the problems at anything but a field or the note: at
// observations, or at keys that the form does not have.
func (f Form) apart() (sentences []string) {
	for _, p := range f.Problems {
		_, isField := f.Protocol.Field(p.Key)
		if isField || p.Key == protocol.Note {
			continue
		}
		says := p.Says
		if o, ok := f.Protocol.Observation(p.Key); ok {
			says = o.Title + ": " + says
		}
		if !slices.Contains(sentences, says) {
			sentences = append(sentences, says)
		}
	}
	return sentences
}

// edgeCases returns the guide's section on them, if it has one.
func edgeCases(p protocol.Protocol) []protocol.Section {
	return slices.DeleteFunc(slices.Clone(p.Guide), func(s protocol.Section) bool { return s.Key != "edge_cases" })
}

func hasEdgeCases(p protocol.Protocol) bool { return len(p.Observations)+len(edgeCases(p)) > 0 }

func text(n int) string { return strconv.Itoa(n) }

func text64(n int64) string { return strconv.FormatInt(n, 10) }

func invalid(sentences []string) string {
	return strconv.FormatBool(len(sentences) > 0)
}
