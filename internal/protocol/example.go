package protocol

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// An Example is an item with its answers, and the reasons for them. Its answers obey the
// rules of the protocol.
type Example struct {
	Key     string
	Title   string
	Item    []ExamplePart // in the order of the unit
	Answers Answers
	Reasons []ExampleReason // in the order of the fields
}

// An ExamplePart is the content of one part of an example's item.
type ExamplePart struct {
	Key    string // of the part
	Text   string
	Turns  []ExampleTurn
	Chunks []ExampleChunk
}

// An ExampleTurn is one turn of a conversation.
type ExampleTurn struct{ Role, Text string }

// An ExampleChunk is one retrieved chunk.
type ExampleChunk struct {
	Rank   int // from 1
	Source string
	Text   string
}

// An ExampleReason explains why the answer to a field is on its side of the boundary
// between two neighboring points.
type ExampleReason struct {
	Field     string
	Low, High int
	Text      string
}

// Reason returns the reason for the answer to a field.
func (e Example) Reason(field string) (ExampleReason, bool) {
	i := slices.IndexFunc(e.Reasons, func(r ExampleReason) bool { return r.Field == field })
	if i < 0 {
		return ExampleReason{}, false
	}
	return e.Reasons[i], true
}

// ExamplesFor returns the examples with a reason for a field, by boundary.
func (p Protocol) ExamplesFor(field string) []Example {
	examples := slices.DeleteFunc(slices.Clone(p.Examples), func(e Example) bool {
		_, ok := e.Reason(field)
		return !ok
	})
	slices.SortStableFunc(examples, func(a, b Example) int {
		first, _ := a.Reason(field)
		second, _ := b.Reason(field)
		return first.Low - second.Low
	})
	return examples
}

// facts returns the facts of the example's item.
func (e Example) facts(p Protocol) Facts {
	facts := Facts{}
	for _, f := range p.Facts {
		turns := 0
		for _, part := range e.Item {
			for _, t := range part.Turns {
				turns += boolToInt(part.Key == f.Part && t.Role == f.Role)
			}
		}
		facts[f.Key] = turns >= f.MinTurns
	}
	return facts
}

func (r *reader) readExample(n *yaml.Node, p Protocol) Example {
	m := r.readMapping(n, "example")
	e := Example{Key: m.readNewKey("example "), Title: m.readText("title", maxTitle), Answers: Answers{
		Values: map[string]int{}, Observations: m.readKeys("observations", maxObservations),
		Unsure: m.readKeys("unsure", maxFields), Note: m.readText("note", maxParagraph)}}
	if item := m.nodes["item"]; item != nil {
		e.Item = r.readExampleItem(item, p.Unit)
	}
	if answers := m.nodes["answers"]; answers != nil {
		for _, c := range r.readConditions(answers, "", p) {
			if len(c.Values) > 0 { // none is a problem that was reported
				e.Answers.Values[c.Key] = c.Values[0]
			}
		}
	}
	if reasons := m.nodes["reasons"]; reasons != nil {
		e.Reasons = r.readReasons(reasons, p, e.Answers.Values)
	}
	r.checkKnownKeys(n, p, e.Answers)
	return e
}

// checkKnownKeys reports ticks and doubts of an example that the protocol does not have.
func (r *reader) checkKnownKeys(n *yaml.Node, p Protocol, a Answers) {
	if r.hasUnreadTerms {
		return
	}
	for _, key := range a.Observations {
		if _, ok := p.Observation(key); !ok {
			r.errorf(n.Line, "%s is not an observation of this protocol. %s", quote(key),
				suggestName(key, mapSlice(p.Observations, func(o Observation) string { return o.Key })))
		}
	}
	for _, key := range a.Unsure {
		if _, ok := p.Field(key); !ok || !p.AllowsBetween {
			r.errorf(n.Line, "%s cannot be answered between two values.", quote(key))
		}
	}
}

// checkExamples reports examples that no annotator could submit.
func (r *reader) checkExamples(p Protocol) {
	for _, e := range p.Examples {
		for _, problem := range p.Check(e.facts(p), e.Answers) {
			r.errorf(r.lines["example "+e.Key], "Example “%s” breaks a rule at “%s”: %s", e.Key, problem.Key,
				problem.Message)
		}
	}
}

// readKeys reads a list of keys.
func (m mapping) readKeys(key string, maxItems int) (keys []string) {
	m.readList(key, maxItems, func(n *yaml.Node) { keys = append(keys, m.readParagraph(n, key, maxTitle)) })
	return keys
}

func (r *reader) readExampleItem(n *yaml.Node, u Unit) (parts []ExamplePart) {
	nodes, lines := r.readPairs(n, "an item")
	for _, part := range u.Parts {
		content, ok := nodes[part.Key]
		switch {
		case ok:
			parts = append(parts, r.readExamplePart(content, part))
		case part.Judged:
			r.errorf(n.Line, "The item of the example needs “%s”.", part.Key)
		}
		delete(nodes, part.Key)
	}
	for _, key := range sortedKeys(nodes) {
		r.errorf(lines[key], "%s is not a part of the unit. %s", quote(key),
			suggestName(key, mapSlice(u.Parts, func(p Part) string { return p.Key })))
	}
	return parts
}

func (r *reader) readExamplePart(n *yaml.Node, part Part) ExamplePart {
	content := ExamplePart{Key: part.Key}
	switch part.Kind {
	case PartConversation:
		r.readElements(n, part.Key, func(n *yaml.Node) {
			m := r.readMapping(n, "turn")
			content.Turns = append(content.Turns, ExampleTurn{m.readText("role", maxTitle),
				m.readItemText("text", false)})
		})
	case PartChunks:
		r.readElements(n, part.Key, func(n *yaml.Node) {
			content.Chunks = append(content.Chunks,
				r.readExampleChunk(n))
		})
	case PartChunk:
		content.Chunks = []ExampleChunk{r.readExampleChunk(n)}
	default:
		content.Text = mapping{r, map[string]*yaml.Node{part.Key: n}}.readItemText(part.Key, part.Judged)
	}
	return content
}

func (r *reader) readExampleChunk(n *yaml.Node) ExampleChunk {
	m := r.readMapping(n, "chunk")
	return ExampleChunk{Rank: m.readInt("rank", 1, maxExampleList), Source: m.readText("source", maxTitle),
		Text: m.readItemText("text", false)}
}

func (r *reader) readElements(n *yaml.Node, key string, readItem func(*yaml.Node)) {
	mapping{r, map[string]*yaml.Node{key: n}}.readList(key, maxExampleList, readItem)
}

// readItemText reads a text of an item with its line breaks. The judged part may be empty.
func (m mapping) readItemText(key string, mayBeEmpty bool) string {
	n := m.nodes[key]
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
		m.addTypeError(n, "a text under “"+key+"”")
	case !mayBeEmpty && !HasText(n.Value):
		m.errorf(n.Line, "“%s” is empty. Write a text.", key)
	case plaintext.HasControl(strings.ReplaceAll(n.Value, "\n", " ")):
		m.errorf(n.Line, "“%s” contains a control character. Remove it.", key)
	case utf8.RuneCountInString(n.Value) > maxExampleText:
		m.errorf(n.Line, "“%s” has %d characters; the limit is %d. Shorten it.", key, utf8.RuneCountInString(n.Value),
			maxExampleText)
	}
	return strings.TrimRight(n.Value, "\n")
}

// readReasons reads the reasons by field, in the order of the fields.
func (r *reader) readReasons(n *yaml.Node, p Protocol, answers map[string]int) (reasons []ExampleReason) {
	nodes, lines := r.readPairs(n, "reasons")
	if n.Kind == yaml.MappingNode && len(nodes) == 0 {
		r.errorf(n.Line, "No reasons. Write at least one “field: {boundary, text}”.")
	}
	for _, f := range p.Fields {
		if node, ok := nodes[f.Key]; ok {
			reasons = append(reasons, r.readReason(node, f, answers))
			delete(nodes, f.Key)
		}
	}
	for _, key := range sortedKeys(nodes) {
		r.errorf(lines[key], "%s is not a field. %s", quote(key),
			suggestName(key, mapSlice(p.Fields, func(f Field) string { return f.Key })))
	}
	return reasons
}

func (r *reader) readReason(n *yaml.Node, f Field, answers map[string]int) ExampleReason {
	m := r.readMapping(n, "reason")
	reason := ExampleReason{Field: f.Key, Text: m.readText("text", maxSentence)}
	boundary := m.nodes["boundary"]
	if boundary == nil {
		return reason
	}
	reason.Low, reason.High, _ = parseRange(boundary)
	answer, isAnswered := answers[f.Key]
	if i := slices.Index(f.Scale.Values(), reason.Low); i < 0 || i+1 == len(f.Scale) ||
		f.Scale[i+1].Value != reason.High {
		r.errorf(boundary.Line, "A boundary is between two neighboring points, such as %s.", exampleBoundary(f.Scale))
	} else if isAnswered && answer != reason.Low && answer != reason.High {
		r.errorf(boundary.Line, "The answer to “%s” is %d, so the boundary has that point on one side.", f.Key, answer)
	}
	return reason
}

func exampleBoundary(s Scale) string {
	if len(s) < 2 {
		return "1..2"
	}
	return fmt.Sprintf("%d..%d", s[0].Value, s[1].Value)
}
