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
	protocolKey = regexp.MustCompile(`^[a-z][a-z0-9-]{0,47}$`)
	answerKey   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	ruleKey     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`)
)

// reserved are keys that have a meaning in forms, sheets, exports or rules.
var reserved = []string{
	"note", "notes", "note_length", "observation", "observations", "unsure",
	"id", "item", "item_id", "record_id", "annotator", "annotator_id",
	"annotation", "batch", "project", "each",
	"active_ms", "idle_ms", "draft_version", "keys_off",
}

// named reads a key of the form that pattern demands.
func (e entries) named(key string, pattern *regexp.Regexp) string {
	n := e.of[key]
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		e.mistyped(n, "a plain word under “"+key+"”")
		return ""
	}
	if !pattern.MatchString(n.Value) {
		e.fault(n.Line, "%s cannot be a key. %s", quoted(n.Value), keyManners(pattern))
		return ""
	}
	return n.Value
}

func keyManners(pattern *regexp.Regexp) string {
	switch pattern {
	case protocolKey:
		return "Use a to z, 0 to 9 and hyphens, beginning with a letter: at most 48."
	case answerKey:
		return "Use a to z, 0 to 9 and underscores, beginning with a letter: at most 48."
	}
	return "Use a to z, 0 to 9 and underscores, beginning with a letter: at most 60."
}

// declared reads a new key. Keys of parts, facts, fields and observations share
// one space, named "", because they may be columns of one file; others have
// their own.
func (e entries) declared(space string) string {
	name := e.named("key", answerKey)
	n := e.of["key"]
	if name == "" {
		return ""
	}
	if first, ok := e.lines[space+name]; ok {
		e.fault(n.Line, "“%s” is taken already, on line %d. Choose another key.", name, first)
		return name
	}
	if space == "" && (slices.Contains(reserved, name) || generated(name)) {
		e.fault(n.Line, "“%s” has a meaning of its own here. Choose another key.", name)
	}
	e.lines[space+name] = n.Line
	return name
}

// offer lets rules speak of t under the key of e, even where that key has a
// fault, so that the fault is told once.
func (e entries) offer(t term) {
	n := e.of["key"]
	if n == nil || n.Kind != yaml.ScalarNode {
		e.vague = true
		return
	}
	if _, taken := e.terms[n.Value]; !taken {
		e.terms[n.Value] = t
	}
}

// unread reports whether the list under key could not be read.
func (e entries) unread(key string, most int) bool {
	n := e.of[key]
	return e.vague || n != nil && (n.Kind != yaml.SequenceNode || len(n.Content) > most)
}

// generated reports whether name is of a kind that checks of every protocol
// give themselves.
func generated(name string) bool {
	return strings.HasPrefix(name, "unsure_") || strings.HasPrefix(name, "known_")
}

// nameRules takes the names of the checks that follow from the fields, so that
// no rule and no key can bear them, and lets rules speak of the note.
func (r *reader) nameRules(p Protocol) {
	r.terms[Note] = term{"note", "the note", []int{0, 1}}
	for _, f := range p.Fields {
		for _, q := range []Problem{f.missing(), f.misplaced(), f.unoffered()} {
			r.lines["rule "+q.Rule] = r.lines[f.Key]
			if line, ok := r.lines[q.Rule]; ok {
				r.fault(line, "“%s” is the name of a check of “%s”. Choose another key.", q.Rule, f.Key)
			}
		}
	}
}

func (r *reader) field(n *yaml.Node, p Protocol) Field {
	m := r.mapping(n, "field")
	f := Field{
		Key:        m.declared(""),
		Title:      m.text("title", maxTitle),
		Ask:        m.text("ask", maxSentence),
		OnlyWhen:   m.text("only when", maxTitle),
		Reward:     m.texts("reward", maxSentence),
		Penalise:   m.texts("penalise", maxSentence),
		Boundaries: m.texts("boundaries", maxSentence),
	}
	if scale := m.of["scale"]; scale != nil {
		f.Scale = r.scale(scale, f.Key)
	}
	m.list("tree", maxLines, func(n *yaml.Node) { f.Tree = append(f.Tree, r.branch(n, f.Scale)) })
	m.offer(term{"field", f.Title, f.Scale.Values()})
	if facts := each(p.Facts, func(f Fact) string { return f.Key }); f.OnlyWhen != "" && !slices.Contains(facts, f.OnlyWhen) {
		r.fault(m.of["only when"].Line, "%s is not a fact of this protocol. List it under “facts”, or leave “only when” out.", quoted(f.OnlyWhen))
	}
	return f
}

// scale reads "value: anchor" lines, in any order.
func (r *reader) scale(n *yaml.Node, field string) (s Scale) {
	points, lines := r.pairs(n, "a scale")
	for _, key := range sortedKeys(points) {
		s = append(s, r.point(lines[key], key, points[key]))
		r.lines[field+"="+key] = lines[key]
	}
	if n.Kind == yaml.MappingNode && (len(s) < 2 || len(s) > maxPoints) {
		r.fault(n.Line, "A scale has from 2 to %d points, and this one has %d.", maxPoints, len(s))
	}
	slices.SortFunc(s, func(a, b Point) int { return cmp.Compare(a.Value, b.Value) })
	return s
}

// point reads an anchor alone, or a label and an anchor.
func (r *reader) point(line int, key string, n *yaml.Node) Point {
	value, ok := digits(key)
	if !ok || value >= maxPoints {
		r.fault(line, "%s cannot be a point of a scale. Use whole numbers from 0 to %d.", quoted(key), maxPoints-1)
	}
	if n.Kind == yaml.ScalarNode {
		return Point{Value: value, Anchor: r.prose(n, key, maxSentence)}
	}
	m := r.mapping(n, "point")
	return Point{Value: value, Label: m.text("label", maxTitle), Anchor: m.text("anchor", maxSentence)}
}

func (r *reader) branch(n *yaml.Node, s Scale) Branch {
	m := r.mapping(n, "branch")
	b := Branch{If: m.text("if", maxSentence)}
	if then := m.of["then"]; then != nil {
		value, ok := whole(then)
		if !ok || !slices.Contains(s.Values(), value) {
			r.fault(then.Line, "A branch leads to a point of its scale: %s. Choose one of them.", numbers(s.Values()))
		}
		b.Then = strconv.Itoa(value)
	}
	return b
}

func (r *reader) verdict(n *yaml.Node, p Protocol) Verdict {
	m := r.mapping(n, "verdict")
	v := Verdict{
		Key:   m.declared("verdict "),
		Title: m.text("title", maxTitle),
		Any:   m.values("any", p.points()),
		None:  m.values("none", p.points()),
		All:   m.values("all", p.points()),
	}
	if m.of["any"] == nil && m.of["none"] == nil && m.of["all"] == nil && n.Kind == yaml.MappingNode {
		r.fault(n.Line, "A verdict asks for “any”, “none” or “all” of some values. Please add one.")
	}
	return v
}

// points returns every value that a field of p may have, ascending.
func (p Protocol) points() []int {
	var all []int
	for _, f := range p.Fields {
		all = append(all, f.Scale.Values()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (r *reader) section(n *yaml.Node) Section {
	m := r.mapping(n, "section")
	s := Section{
		Key:    m.declared("section "),
		Title:  m.text("title", maxTitle),
		Text:   m.texts("text", maxParagraph),
		Points: m.texts("points", maxSentence),
	}
	if m.of["text"] == nil && m.of["points"] == nil && n.Kind == yaml.MappingNode {
		r.fault(n.Line, "This section says nothing yet. Add “text” or “points”.")
	}
	return s
}

func (r *reader) plan(n *yaml.Node) Plan {
	m := r.mapping(n, "plan")
	p := Plan{
		Calibration:  m.number("calibration", 0, 1000),
		Duplicates:   m.number("duplicates", 0, 1000),
		BreakEvery:   m.number("break every", 0, 1000),
		BreakMinutes: m.number("break minutes", 0, 120),
		Warning:      m.text("warning", maxParagraph),
	}
	if pace := m.of["pace"]; pace != nil {
		p.PaceFrom, p.PaceTo = r.pace(pace)
	}
	if target := m.of["target"]; target != nil {
		p.Target = r.target(target)
	}
	return p
}

func (r *reader) pace(n *yaml.Node) (from, to int) {
	const hour = 3600
	from, to, ok := span(n)
	if !ok || from < 1 || to > hour {
		r.mistyped(n, "the seconds an item should take under “pace”, such as 60..90")
	}
	return from, to
}

func (r *reader) target(n *yaml.Node) float64 {
	value, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!str" || err != nil || !(value > 0 && value <= 1) {
		r.mistyped(n, "a coefficient above 0 and up to 1 under “target”, such as 0.4")
		return 0
	}
	return value
}

// span reads "from..to".
func span(n *yaml.Node) (from, to int, ok bool) {
	first, last, found := strings.Cut(n.Value, "..")
	from, okFrom := digits(first)
	to, okTo := digits(last)
	return from, to, n.Kind == yaml.ScalarNode && found && okFrom && okTo && from <= to
}

func numbers(values []int) string {
	return listed(each(values, func(v int) string { return fmt.Sprint(v) }))
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
