package protocol

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Read reads a protocol from source, a YAML definition as described by
// protocol.schema.json. The name appears in errors only.
//
// The error is of type DefinitionErrors and holds all errors found. Consistency of
// the whole definition (impossible answers, dead ends) is checked once everything
// in it can be read.
func Read(name string, source []byte) (Protocol, error) {
	return read(name, source, (*reader).checkConsistency)
}

// ReadDraft reads a definition that is not published yet: as Read, and its guidance must
// agree with its scales and rules. Definitions that were published before stay readable by Read.
func ReadDraft(name string, source []byte) (Protocol, error) {
	return read(name, source, (*reader).checkConsistency, (*reader).checkGuidance)
}

// read reads a definition. Each check takes place if everything before it is in order.
func read(name string, source []byte, checks ...func(*reader, Protocol)) (Protocol, error) {
	r := &reader{file: name, terms: map[string]term{}, lines: map[string]int{}}
	var p Protocol
	if root := r.readDocument(source); root != nil {
		if p = r.readProtocol(root); len(r.errs) == 0 {
			p.Translations = r.readTranslations(root, p)
		}
	}
	for _, check := range checks {
		if len(r.errs) == 0 {
			check(r, p)
		}
	}
	if len(r.errs) > 0 {
		return Protocol{}, r.errs.sortUnique()
	}
	p.Source = string(source)
	return p, nil
}

// readDocument returns the root node of source, or nil after adding an error.
func (r *reader) readDocument(source []byte) *yaml.Node {
	if len(source) > maxBytes {
		r.errorf(1, "The file is larger than %d KB. Shorten its texts.", maxBytes>>10)
		return nil
	}
	if line, ok := findNonText(source); ok {
		r.errorf(line, "This line is not valid UTF-8 text. Save the file as UTF-8 without NUL bytes.")
		return nil
	}
	root, err := parseYAML(source)
	if errors.Is(err, io.EOF) {
		r.errorf(1, "The file is empty. Start from an existing protocol.")
		return nil
	}
	if err != nil {
		r.errorf(describeSyntaxError(err))
		return nil
	}
	r.rejectUnsupportedYAML(root)
	return root
}

// findNonText returns the first line of source that is not valid text.
func findNonText(source []byte) (line int, found bool) {
	for i, content := range bytes.Split(source, []byte("\n")) {
		if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
			return i + 1, true
		}
	}
	return 0, false
}

var errMultipleDocuments = errors.New("several documents")

// parseYAML returns the root node of the only document in source. The YAML package
// panics on some invalid input, which is reported as a syntax error.
func parseYAML(source []byte) (root *yaml.Node, err error) {
	defer func() {
		if recover() != nil {
			root, err = nil, errors.New("yaml: not well-formed")
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	var document, next yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read YAML: line %d: %w", max(next.Line, 1), errMultipleDocuments)
	}
	return document.Content[0], nil
}

var linePattern = regexp.MustCompile(`line (\d+): (.*)`)

// describeSyntaxError converts an error of the YAML package to a line and a message.
func describeSyntaxError(err error) (line int, format string, detail string) {
	line, detail = 1, strings.TrimPrefix(err.Error(), "read YAML: yaml: ")
	if match := linePattern.FindStringSubmatch(err.Error()); match != nil {
		line, _ = strconv.Atoi(match[1])
		detail = match[2]
	}
	if errors.Is(err, errMultipleDocuments) {
		return line, "A file contains one protocol. Move the text %s to its own file.", "after ---"
	}
	return line, "Invalid YAML near this line (%s). Check indentation, colons and quotation marks.", detail
}

func (r *reader) readProtocol(root *yaml.Node) Protocol {
	m := r.readMapping(root, "protocol")
	p := Protocol{
		Key:           m.readKey("protocol", protocolKeyPattern),
		Version:       m.readInt("version", 1, 9999),
		Revision:      m.readInt("revision", 0, 9999),
		Title:         m.readText("title", maxTitle),
		Summary:       m.readText("summary", maxSentence),
		Language:      cmp.Or(m.readKey("language", languagePattern), "en"),
		AllowsBetween: m.readBool("between"),
	}
	if n := m.nodes["unit"]; n != nil {
		p.Unit = r.readUnit(n)
	}
	m.readList("facts", maxFacts, func(n *yaml.Node) { p.Facts = append(p.Facts, r.readFact(n, p.Unit)) })
	m.readList("fields", maxFields, func(n *yaml.Node) { p.Fields = append(p.Fields, r.readField(n, p)) })
	m.readList("observations", maxObservations, func(n *yaml.Node) {
		p.Observations = append(p.Observations,
			r.readObservation(n))
	})
	r.hasUnreadTerms = m.isUnreadable("facts", maxFacts) || m.isUnreadable("fields", maxFields) ||
		m.isUnreadable("observations", maxObservations)
	r.reserveCheckNames(p)
	m.readList("rules", maxRules, func(n *yaml.Node) { p.Rules = append(p.Rules, r.readRules(n, p)...) })
	m.readList("hints", maxHints, func(n *yaml.Node) { p.Hints = append(p.Hints, r.readHint(n, p)) })
	m.readList("verdicts", maxVerdicts, func(n *yaml.Node) { p.Verdicts = append(p.Verdicts, r.readVerdictRule(n, p)) })
	m.readList("guide", maxSections, func(n *yaml.Node) { p.Guide = append(p.Guide, r.readSection(n)) })
	m.readList("examples", maxExamples, func(n *yaml.Node) { p.Examples = append(p.Examples, r.readExample(n, p)) })
	if n := m.nodes["plan"]; n != nil {
		p.Plan = r.readSessionPlan(n)
	}
	if len(p.Rules) > maxRules {
		r.errorf(m.nodes["rules"].Line, "These expand to %d rules; the limit is %d. Remove some.",
			len(p.Rules), maxRules)
	}
	return p
}

func (r *reader) readUnit(n *yaml.Node) Unit {
	m := r.readMapping(n, "unit")
	u := Unit{
		Noun:       m.readText("noun", maxTitle),
		RecordKind: RecordKind(m.readChoice("record", string(RecordNone), string(RecordRAG), string(RecordRAGByChunk))),
	}
	if m.nodes["id"] != nil {
		u.IDColumn = m.readKey("id", answerKeyPattern)
		r.lines[u.IDColumn] = m.nodes["id"].Line
	}
	m.readList("parts", maxParts, func(n *yaml.Node) { u.Parts = append(u.Parts, r.readPart(n)) })
	r.checkParts(u, n.Line)
	return u
}

func (r *reader) readPart(n *yaml.Node) Part {
	m := r.readMapping(n, "part")
	p := Part{
		Key:   m.readNewKey(""),
		Title: m.readText("title", maxTitle),
		Kind: PartKind(m.readChoice("kind", string(PartText), string(PartConversation), string(PartChunk),
			string(PartChunks))),
		Supporting: m.readBool("supporting"),
		Judged:     m.readBool("judged"),
		Format: TextFormat(m.readChoice("format", "", string(FormatText), string(FormatMarkdown),
			string(FormatCode))),
	}
	if p.Supporting && p.Judged {
		r.errorf(n.Line, "“%s” is both judged and supporting, but supporting parts are collapsed. Keep one of the two.",
			p.Key)
	}
	return p
}

// recordPartKinds lists the parts of each kind of record.
var recordPartKinds = map[RecordKind]map[string]PartKind{
	RecordRAG:        {"query": PartText, "answer": PartText, "context_set": PartChunks},
	RecordRAGByChunk: {"query": PartText, "answer": PartText, "chunk": PartChunk},
}

func (r *reader) checkParts(u Unit, line int) {
	hasJudged := false
	for _, p := range u.Parts {
		hasJudged = hasJudged || p.Judged
		line := r.lines[p.Key]
		if kind, ok := recordPartKinds[u.RecordKind][p.Key]; u.RecordKind != RecordNone && !ok {
			r.errorf(line, "A record of kind %s has no “%s”. %s", u.RecordKind, p.Key,
				suggestName(p.Key, sortedKeys(recordPartKinds[u.RecordKind])))
		} else if u.RecordKind != RecordNone && kind != p.Kind {
			r.errorf(line, "In a record of kind %s, “%s” has kind %s. Write “kind: %s”.", u.RecordKind, p.Key,
				kind, kind)
		}
	}
	if len(u.Parts) > 0 && !hasJudged {
		r.errorf(line, "No part of the unit is judged. Add “judged: yes” to the part that the questions are about.")
	}
}

func (r *reader) readFact(n *yaml.Node, u Unit) Fact {
	m := r.readMapping(n, "fact")
	f := Fact{
		Key:      m.readNewKey(""),
		Title:    m.readText("title", maxTitle),
		Part:     m.readText("part", maxTitle),
		Role:     m.readText("role", maxTitle),
		MinTurns: m.readInt("at least", 1, 100),
	}
	m.declareTerm(term{"fact", f.Title, []int{0, 1}})
	for _, p := range u.Parts {
		if p.Key == f.Part && p.Kind == PartConversation {
			return f
		}
	}
	r.errorf(n.Line, "“%s” counts turns, but part “%s” is not a conversation. Choose another part.", f.Key, f.Part)
	return f
}

func (r *reader) readObservation(n *yaml.Node) Observation {
	m := r.readMapping(n, "observation")
	o := Observation{
		Key:      m.readNewKey(""),
		Title:    m.readText("title", maxTitle),
		Subject:  m.readText("subject", maxTitle),
		Guidance: m.readText("guidance", maxSentence),
	}
	m.declareTerm(term{"observation", o.Title, []int{0, 1}})
	return o
}
