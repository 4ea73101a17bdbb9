package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Read reads a protocol from source, a YAML definition as protocol.schema.json
// describes it. The name is told in faults and used for nothing else.
//
// The error is of type Faults and holds every fault found. What concerns the
// definition as a whole — answers that nobody could give, dead ends — is
// looked for once everything in it can be read.
func Read(name string, source []byte) (Protocol, error) {
	r := &reader{file: name, terms: map[string]term{}, lines: map[string]int{}}
	var p Protocol
	if root := r.document(source); root != nil {
		p = r.protocol(root)
	}
	if len(r.faults) == 0 {
		r.judge(p)
	}
	if len(r.faults) > 0 {
		return Protocol{}, r.faults.sorted()
	}
	p.Source = string(source)
	return p, nil
}

// document parses source into its one node, or notes why it cannot.
func (r *reader) document(source []byte) *yaml.Node {
	if len(source) > maxBytes {
		r.fault(1, "This file has more than %d KB. Please shorten its texts.", maxBytes>>10)
		return nil
	}
	if line, ok := foreign(source); ok {
		r.fault(line, "This line holds bytes that are not text. Save the file as UTF-8 without NUL bytes.")
		return nil
	}
	root, err := parse(source)
	if errors.Is(err, io.EOF) {
		r.fault(1, "This file is empty. Start from the text of an existing protocol.")
		return nil
	}
	if err != nil {
		r.fault(syntax(err))
		return nil
	}
	r.refuseTricks(root)
	return root
}

// foreign returns the first line of source that is not text.
func foreign(source []byte) (line int, found bool) {
	for i, text := range bytes.Split(source, []byte("\n")) {
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return i + 1, true
		}
	}
	return 0, false
}

var errSeveral = errors.New("several documents")

// parse returns the top node of the one document in source. The YAML package
// panics on some broken input; to the reader that is a syntax error like any.
func parse(source []byte) (root *yaml.Node, err error) {
	defer func() {
		if recover() != nil {
			root, err = nil, errors.New("yaml: this is not well-formed")
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	var document, next yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read YAML: line %d: %w", max(next.Line, 1), errSeveral)
	}
	return document.Content[0], nil
}

var lineOf = regexp.MustCompile(`line (\d+): (.*)`)

// syntax turns an error of the YAML package into a line and a sentence.
func syntax(err error) (line int, says string, because string) {
	line, because = 1, strings.TrimPrefix(err.Error(), "read YAML: yaml: ")
	if found := lineOf.FindStringSubmatch(err.Error()); found != nil {
		line, _ = strconv.Atoi(found[1])
		because = found[2]
	}
	if errors.Is(err, errSeveral) {
		return line, "A file holds one protocol. What begins here (%s) belongs in a file of its own.", "after ---"
	}
	return line, "Near this line the file is not well-formed YAML (%s). Look at the indentation, colons and quotation marks.", because
}

func (r *reader) protocol(root *yaml.Node) Protocol {
	m := r.mapping(root, "protocol")
	p := Protocol{
		Key:      m.named("protocol", protocolKey),
		Version:  m.number("version", 1, 9999),
		Revision: m.number("revision", 0, 9999),
		Title:    m.text("title", maxTitle),
		Summary:  m.text("summary", maxSentence),
		Between:  m.yes("between"),
	}
	if n := m.of["unit"]; n != nil {
		p.Unit = r.unit(n)
	}
	m.list("facts", maxFacts, func(n *yaml.Node) { p.Facts = append(p.Facts, r.fact(n, p.Unit)) })
	m.list("fields", maxFields, func(n *yaml.Node) { p.Fields = append(p.Fields, r.field(n, p)) })
	m.list("observations", maxObservations, func(n *yaml.Node) { p.Observations = append(p.Observations, r.observation(n)) })
	r.vague = m.unread("facts", maxFacts) || m.unread("fields", maxFields) || m.unread("observations", maxObservations)
	r.nameRules(p)
	m.list("rules", maxRules, func(n *yaml.Node) { p.Rules = append(p.Rules, r.rule(n, p)...) })
	m.list("hints", maxHints, func(n *yaml.Node) { p.Hints = append(p.Hints, r.hint(n, p)) })
	m.list("verdicts", maxVerdicts, func(n *yaml.Node) { p.Verdicts = append(p.Verdicts, r.verdict(n, p)) })
	m.list("guide", maxSections, func(n *yaml.Node) { p.Guide = append(p.Guide, r.section(n)) })
	if n := m.of["plan"]; n != nil {
		p.Plan = r.plan(n)
	}
	if len(p.Rules) > maxRules {
		r.fault(m.of["rules"].Line, "These are %d rules once each “for each” is written out, and %d is the most. Please take some out.", len(p.Rules), maxRules)
	}
	return p
}

func (r *reader) unit(n *yaml.Node) Unit {
	m := r.mapping(n, "unit")
	u := Unit{
		Noun:   m.text("noun", maxTitle),
		Record: Record(m.choice("record", string(NoRecord), string(RAG), string(RAGByChunk))),
	}
	if m.of["id"] != nil {
		u.ID = m.named("id", answerKey)
		r.lines[u.ID] = m.of["id"].Line
	}
	m.list("parts", maxParts, func(n *yaml.Node) { u.Parts = append(u.Parts, r.part(n)) })
	r.checkParts(u, n.Line)
	return u
}

func (r *reader) part(n *yaml.Node) Part {
	m := r.mapping(n, "part")
	p := Part{
		Key:        m.declared(""),
		Title:      m.text("title", maxTitle),
		Kind:       Kind(m.choice("kind", string(Text), string(Conversation), string(Passage), string(Passages))),
		Supporting: m.yes("supporting"),
		Judged:     m.yes("judged"),
	}
	if p.Supporting && p.Judged {
		r.fault(n.Line, "“%s” cannot be both judged and supporting: what is judged is never folded. Keep one.", p.Key)
	}
	return p
}

// recordParts lists what a unit may take from each kind of record.
var recordParts = map[Record]map[string]Kind{
	RAG:        {"query": Text, "answer": Text, "context_set": Passages},
	RAGByChunk: {"query": Text, "answer": Text, "chunk": Passage},
}

func (r *reader) checkParts(u Unit, line int) {
	judged := false
	for _, p := range u.Parts {
		judged = judged || p.Judged
		line := r.lines[p.Key]
		if kind, ok := recordParts[u.Record][p.Key]; u.Record != NoRecord && !ok {
			r.fault(line, "A record of kind %s holds no “%s”. %s", u.Record, p.Key, didYouMean(p.Key, sortedKeys(recordParts[u.Record])))
		} else if u.Record != NoRecord && kind != p.Kind {
			r.fault(line, "In a record of kind %s, “%s” is of kind %s. Please write “kind: %s”.", u.Record, p.Key, kind, kind)
		}
	}
	if len(u.Parts) > 0 && !judged {
		r.fault(line, "No part of the unit is judged. Add “judged: yes” to the part that the questions are about.")
	}
}

func (r *reader) fact(n *yaml.Node, u Unit) Fact {
	m := r.mapping(n, "fact")
	f := Fact{
		Key:     m.declared(""),
		Title:   m.text("title", maxTitle),
		Part:    m.text("part", maxTitle),
		Role:    m.text("role", maxTitle),
		AtLeast: m.number("at least", 1, 100),
	}
	m.offer(term{"fact", f.Title, []int{0, 1}})
	for _, p := range u.Parts {
		if p.Key == f.Part && p.Kind == Conversation {
			return f
		}
	}
	r.fault(n.Line, "“%s” counts turns, so its part must be of kind conversation, and “%s” is not. Name another part.", f.Key, f.Part)
	return f
}

func (r *reader) observation(n *yaml.Node) Observation {
	m := r.mapping(n, "observation")
	o := Observation{
		Key:   m.declared(""),
		Title: m.text("title", maxTitle),
		About: m.text("about", maxTitle),
		Says:  m.text("says", maxSentence),
	}
	m.offer(term{"observation", o.Title, []int{0, 1}})
	return o
}
