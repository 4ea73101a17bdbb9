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
	languagePattern    = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$`)
	protocolKeyPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,47}$`)
	answerKeyPattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	ruleIDPattern      = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`)
)

// readKey reads a key that must match pattern.
func (m mapping) readKey(key string, pattern *regexp.Regexp) string {
	n := m.nodes[key]
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		m.addTypeError(n, "a word under “"+key+"”")
		return ""
	}
	if !pattern.MatchString(n.Value) {
		m.errorf(n.Line, "%s is not a valid key. %s", quote(n.Value), describeKeyPattern(pattern))
		return ""
	}
	return n.Value
}

func describeKeyPattern(pattern *regexp.Regexp) string {
	switch pattern {
	case languagePattern:
		return "Use a language tag such as “en” or “de-AT”."
	case protocolKeyPattern:
		return "Use at most 48 characters: a–z, 0–9 and hyphens, starting with a letter."
	case answerKeyPattern:
		return "Use at most 48 characters: a–z, 0–9 and underscores, starting with a letter."
	}
	return "Use at most 60 characters: a–z, 0–9 and underscores, starting with a letter."
}

// readNewKey reads a key that must be unique in its namespace. Keys of parts,
// facts, fields and observations share the namespace "", because they may be
// columns of one file.
func (m mapping) readNewKey(namespace string) string {
	name := m.readKey("key", answerKeyPattern)
	n := m.nodes["key"]
	if name == "" {
		return ""
	}
	if firstLine, ok := m.lines[namespace+name]; ok {
		m.errorf(n.Line, "“%s” is already used on line %d. Choose another key.", name, firstLine)
		return name
	}
	if namespace == "" && (slices.Contains(columnNames, name) || isGenerated(name)) {
		m.errorf(n.Line, "“%s” is reserved. Choose another key.", name)
	}
	m.lines[namespace+name] = n.Line
	return name
}

// declareTerm lets rules refer to t by the key of m, even if that key is invalid, so
// that the error is reported once.
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

// isGenerated reports whether name is a name of a check that every protocol has.
func isGenerated(name string) bool {
	return strings.HasPrefix(name, "unsure_") || strings.HasPrefix(name, "known_")
}

// reserveCheckNames reserves the names of the checks of the fields, so that no rule
// or key can use them, and declares the note as a term.
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
		Question:   m.readText("question", maxSentence),
		OnlyWhen:   m.readText("only when", maxTitle),
		Reward:     m.readTexts("reward", maxSentence),
		Penalize:   m.readTexts("penalize", maxSentence),
		Boundaries: m.readTexts("boundaries", maxSentence),
	}
	if slices.Contains(ReservedKeys(), f.Key) && !slices.Contains(columnNames, f.Key) {
		r.errorf(m.nodes["key"].Line, "“%s” is reserved: the form uses it. Choose another key.", f.Key)
	}
	if scale := m.nodes["scale"]; scale != nil {
		f.Scale = r.readScale(scale, f.Key)
	}
	if tree := m.nodes["tree"]; tree != nil {
		r.lines["tree "+f.Key] = tree.Line
	}
	m.readList("tree", maxTexts, func(n *yaml.Node) {
		f.DecisionTree = append(f.DecisionTree,
			r.readBranch(n, f.Scale))
	})
	m.declareTerm(term{"field", f.Title, f.Scale.Values()})
	if factKeys := mapSlice(p.Facts, func(f Fact) string { return f.Key }); f.OnlyWhen != "" &&
		!slices.Contains(factKeys, f.OnlyWhen) {
		r.errorf(m.nodes["only when"].Line,
			"%s is not a fact of this protocol. Add it to “facts”, or remove “only when”.", quote(f.OnlyWhen))
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
		r.errorf(n.Line, "A scale has 2 to %d points; this one has %d.", maxPoints, len(s))
	}
	slices.SortFunc(s, func(a, b Point) int { return cmp.Compare(a.Value, b.Value) })
	return s
}

// readPoint reads an anchor alone, or a label and an anchor.
func (r *reader) readPoint(line int, key string, n *yaml.Node) Point {
	value, ok := parseDigits(key)
	if !ok || value >= maxPoints {
		r.errorf(line, "%s is not a valid point. Use whole numbers from 0 to %d.", quote(key), maxPoints-1)
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
			r.errorf(then.Line, "A branch must lead to a point of the scale: %s.", joinNumbers(s.Values()))
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
		r.errorf(n.Line, "A verdict needs “any”, “none” or “all” with values.")
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
		r.errorf(n.Line, "This section is empty. Add “text” or “points”.")
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
		ContentWarning:   m.readText("content warning", maxParagraph),
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
		r.addTypeError(n, "a range of seconds per item under “pace”, such as 60..90")
	}
	return from, to
}

func (r *reader) readTargetKappa(n *yaml.Node) float64 {
	value, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!str" || err != nil || !(value > 0 && value <= 1) {
		r.addTypeError(n, "a number above 0 and up to 1 under “target”, such as 0.4")
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
