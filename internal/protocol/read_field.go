package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	protocolKeyPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,47}$`)
	answerKeyPattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	ruleIDPattern      = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`)
)

// reservedKeys are keys that have a meaning in forms, sheets, exports or rules.
var reservedKeys = []string{
	"note", "notes", "note_length", "observation", "observations", "unsure",
	"id", "item", "item_id", "record_id", "annotator", "annotator_id",
	"annotation", "batch", "project", "each",
	"active_ms", "idle_ms", "draft_version", "base_version", "tab", "shortcuts_off",
}

// readKey reads a key of the form that pattern demands.
func (m mapping) readKey(key string, pattern *regexp.Regexp) string {
	n := m.nodes[key]
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		m.addTypeError(n, "a plain word under “"+key+"”")
		return ""
	}
	if !pattern.MatchString(n.Value) {
		m.errorf(n.Line, "%s cannot be a key. %s", quote(n.Value), describeKeyPattern(pattern))
		return ""
	}
	return n.Value
}

func describeKeyPattern(pattern *regexp.Regexp) string {
	switch pattern {
	case protocolKeyPattern:
		return "Use a to z, 0 to 9 and hyphens, beginning with a letter: at most 48."
	case answerKeyPattern:
		return "Use a to z, 0 to 9 and underscores, beginning with a letter: at most 48."
	}
	return "Use a to z, 0 to 9 and underscores, beginning with a letter: at most 60."
}

// readNewKey reads a new key. Keys of parts, facts, fields and observations share
// one space, named "", because they may be columns of one file; others have
// their own.
func (m mapping) readNewKey(namespace string) string {
	name := m.readKey("key", answerKeyPattern)
	n := m.nodes["key"]
	if name == "" {
		return ""
	}
	if firstLine, ok := m.lines[namespace+name]; ok {
		m.errorf(n.Line, "“%s” is taken already, on line %d. Choose another key.", name, firstLine)
		return name
	}
	if namespace == "" && (slices.Contains(reservedKeys, name) || isGenerated(name)) {
		m.errorf(n.Line, "“%s” has a meaning of its own here. Choose another key.", name)
	}
	m.lines[namespace+name] = n.Line
	return name
}

// declareTerm lets rules speak of t under the key of e, even where that key has a
// fault, so that the fault is told once.
func (m mapping) declareTerm(t term) {
	n := m.nodes["key"]
	if n == nil || n.Kind != yaml.ScalarNode {
		m.hasUnreadTerms = true
		return
	}
	if _, isDeclared := m.terms[n.Value]; !isDeclared {
		m.terms[n.Value] = t
	}
}

// isUnreadable reports whether the list under key could not be read.
func (m mapping) isUnreadable(key string, maxItems int) bool {
	n := m.nodes[key]
	return m.hasUnreadTerms || n != nil && (n.Kind != yaml.SequenceNode || len(n.Content) > maxItems)
}

// isGenerated reports whether name is of a kind that checks of every protocol
// give themselves.
func isGenerated(name string) bool {
	return strings.HasPrefix(name, "unsure_") || strings.HasPrefix(name, "known_")
}

// reserveCheckNames takes the names of the checks that follow from the fields, so that
// no rule and no key can bear them, and lets rules speak of the note.
func (r *reader) reserveCheckNames(p Protocol) {
	r.terms[NoteKey] = term{"note", "the note", []int{0, 1}}
	for _, f := range p.Fields {
		for _, problem := range []Problem{f.missingProblem(), f.notApplicableProblem(), f.offScaleProblem()} {
			r.lines["rule "+problem.Rule] = r.lines[f.Key]
			if line, ok := r.lines[problem.Rule]; ok {
				r.errorf(line, "“%s” is the name of a check of “%s”. Choose another key.", problem.Rule, f.Key)
			}
		}
	}
}

func (r *reader) readField(n *yaml.Node, p Protocol) Field {
	m := r.readMapping(n, "field")
	f := Field{
		Key:        m.readNewKey(""),
		Title:      m.readText("title", maxTitle),
		Question:   m.readText("ask", maxSentence),
		OnlyWhen:   m.readText("only when", maxTitle),
		Reward:     m.readTexts("reward", maxSentence),
		Penalize:   m.readTexts("penalise", maxSentence),
		Boundaries: m.readTexts("boundaries", maxSentence),
	}
	if scale := m.nodes["scale"]; scale != nil {
		f.Scale = r.readScale(scale, f.Key)
	}
	m.readList("tree", maxTexts, func(n *yaml.Node) { f.DecisionTree = append(f.DecisionTree, r.readBranch(n, f.Scale)) })
	m.declareTerm(term{"field", f.Title, f.Scale.Values()})
	if factKeys := mapSlice(p.Facts, func(f Fact) string { return f.Key }); f.OnlyWhen != "" && !slices.Contains(factKeys, f.OnlyWhen) {
		r.errorf(m.nodes["only when"].Line, "%s is not a fact of this protocol. List it under “facts”, or leave “only when” out.", quote(f.OnlyWhen))
	}
	return f
}

// readScale reads "value: anchor" lines, in any order.
func (r *reader) readScale(n *yaml.Node, field string) (s Scale) {
	points, lines := r.readPairs(n, "a scale")
	for _, key := range sortedKeys(points) {
		s = append(s, r.readPoint(lines[key], key, points[key]))
		r.lines[field+"="+key] = lines[key]
	}
	if n.Kind == yaml.MappingNode && (len(s) < 2 || len(s) > maxPoints) {
		r.errorf(n.Line, "A scale has from 2 to %d points, and this one has %d.", maxPoints, len(s))
	}
	slices.SortFunc(s, func(a, b Point) int { return cmp.Compare(a.Value, b.Value) })
	return s
}

// readPoint reads an anchor alone, or a label and an anchor.
func (r *reader) readPoint(line int, key string, n *yaml.Node) Point {
	value, ok := parseDigits(key)
	if !ok || value >= maxPoints {
		r.errorf(line, "%s cannot be a point of a scale. Use whole numbers from 0 to %d.", quote(key), maxPoints-1)
	}
	if n.Kind == yaml.ScalarNode {
		return Point{Value: value, Anchor: r.readParagraph(n, key, maxSentence)}
	}
	m := r.readMapping(n, "point")
	return Point{Value: value, Label: m.readText("label", maxTitle), Anchor: m.readText("anchor", maxSentence)}
}

func (r *reader) readBranch(n *yaml.Node, s Scale) Branch {
	m := r.readMapping(n, "branch")
	b := Branch{If: m.readText("if", maxSentence)}
	if then := m.nodes["then"]; then != nil {
		value, ok := parseInt(then)
		if !ok || !slices.Contains(s.Values(), value) {
			r.errorf(then.Line, "A branch leads to a point of its scale: %s. Choose one of them.", joinNumbers(s.Values()))
		}
		b.Then = strconv.Itoa(value)
	}
	return b
}

func (r *reader) readVerdictRule(n *yaml.Node, p Protocol) VerdictRule {
	m := r.readMapping(n, "verdict")
	v := VerdictRule{
		Key:   m.readNewKey("verdict "),
		Title: m.readText("title", maxTitle),
		Any:   m.readValues("any", p.scaleValues()),
		None:  m.readValues("none", p.scaleValues()),
		All:   m.readValues("all", p.scaleValues()),
	}
	if m.nodes["any"] == nil && m.nodes["none"] == nil && m.nodes["all"] == nil && n.Kind == yaml.MappingNode {
		r.errorf(n.Line, "A verdict asks for “any”, “none” or “all” of some values. Please add one.")
	}
	return v
}

// scaleValues returns every value that a field of p may have, ascending.
func (p Protocol) scaleValues() []int {
	var values []int
	for _, f := range p.Fields {
		values = append(values, f.Scale.Values()...)
	}
	slices.Sort(values)
	return slices.Compact(values)
}

func (r *reader) readSection(n *yaml.Node) Section {
	m := r.readMapping(n, "section")
	s := Section{
		Key:        m.readNewKey("section "),
		Title:      m.readText("title", maxTitle),
		Paragraphs: m.readTexts("text", maxParagraph),
		Points:     m.readTexts("points", maxSentence),
	}
	if m.nodes["text"] == nil && m.nodes["points"] == nil && n.Kind == yaml.MappingNode {
		r.errorf(n.Line, "This section says nothing yet. Add “text” or “points”.")
	}
	return s
}

func (r *reader) readSessionPlan(n *yaml.Node) SessionPlan {
	m := r.readMapping(n, "plan")
	p := SessionPlan{
		CalibrationItems: m.readInt("calibration", 0, 1000),
		HiddenDuplicates: m.readInt("duplicates", 0, 1000),
		BreakEveryItems:  m.readInt("break every", 0, 1000),
		BreakMinutes:     m.readInt("break minutes", 0, 120),
		ContentWarning:   m.readText("warning", maxParagraph),
	}
	if pace := m.nodes["pace"]; pace != nil {
		p.MinSecondsPerItem, p.MaxSecondsPerItem = r.readPace(pace)
	}
	if target := m.nodes["target"]; target != nil {
		p.TargetKappa = r.readTargetKappa(target)
	}
	return p
}

func (r *reader) readPace(n *yaml.Node) (from, to int) {
	const hour = 3600
	from, to, ok := parseRange(n)
	if !ok || from < 1 || to > hour {
		r.addTypeError(n, "the seconds an item should take under “pace”, such as 60..90")
	}
	return from, to
}

func (r *reader) readTargetKappa(n *yaml.Node) float64 {
	value, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!str" || err != nil || !(value > 0 && value <= 1) {
		r.addTypeError(n, "a coefficient above 0 and up to 1 under “target”, such as 0.4")
		return 0
	}
	return value
}

// parseRange reads "from..to".
func parseRange(n *yaml.Node) (from, to int, ok bool) {
	first, last, found := strings.Cut(n.Value, "..")
	from, fromOK := parseDigits(first)
	to, toOK := parseDigits(last)
	return from, to, n.Kind == yaml.ScalarNode && found && fromOK && toOK && from <= to
}

func joinNumbers(values []int) string {
	return joinWithAnd(mapSlice(values, func(v int) string { return fmt.Sprint(v) }))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
