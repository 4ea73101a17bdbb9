package protocol

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// words are the answers that are no numbers, by kind of term.
var words = map[string]map[string]int{
	"observation": {"ticked": 1, "not ticked": 0},
	"fact":        {"yes": 1, "no": 0, "true": 1, "false": 0},
	"note":        {"written": 1, "blank": 0},
}

const everyField = "every field"

// rule reads one rule, or one for each of the keys under "for each". There,
// "each" stands for the key in conditions, {each} in the id and the sentence,
// and {title} for its title in the sentence.
func (r *reader) rule(n *yaml.Node, p Protocol) (rules []Rule) {
	m := r.mapping(n, "rule")
	for _, key := range r.forEach(m, p) {
		in := r.terms[key].title
		fill := strings.NewReplacer("{each}", key, "{title}", inSentence(in), "{Title}", in)
		rules = append(rules, Rule{
			ID:   m.ruleID(fill),
			When: r.conds(m.of["when"], key, p),
			Then: r.conds(m.of["then"], key, p),
			Says: fill.Replace(m.text("says", maxSentence)),
			Line: n.Line,
		})
	}
	for _, rule := range rules {
		r.checkRule(rule)
	}
	return rules
}

// forEach returns the keys that a rule is made for: one empty key where it
// does not say "for each".
func (r *reader) forEach(m entries, p Protocol) (keys []string) {
	n := m.of["for each"]
	if n == nil {
		return []string{""}
	}
	if n.Kind == yaml.ScalarNode && n.Value == everyField {
		return each(p.Fields, func(f Field) string { return f.Key })
	}
	m.list("for each", maxFields+maxObservations, func(n *yaml.Node) {
		if _, ok := r.known(n); ok {
			keys = append(keys, n.Value)
		}
	})
	return keys
}

// ruleID reads the id of a rule or a hint, which no other may bear.
func (e entries) ruleID(fill *strings.Replacer) string {
	n := e.of["id"]
	if n == nil || n.Kind != yaml.ScalarNode {
		return e.named("id", ruleKey)
	}
	id := fill.Replace(n.Value)
	first, taken := e.lines["rule "+id]
	switch {
	case !ruleKey.MatchString(id):
		e.fault(n.Line, "%s cannot be an id. %s", quoted(id), keyManners(ruleKey))
	case generated(id) || id == "note_length" || strings.HasPrefix(id, "annotation"): // the constraints of every partition
		e.fault(n.Line, "“%s” is the name of a check that every protocol has. Choose another id.", id)
	case taken && first == n.Line && e.of["for each"] != nil:
		e.fault(n.Line, "Each of these rules needs an id of its own. Put {each} into the id.")
	case taken:
		e.fault(n.Line, "“%s” is taken already, on line %d. Choose another id.", id, first)
	}
	e.lines["rule "+id] = n.Line
	return id
}

// conds reads "key: values" pairs. The key each stands for the key given, and
// "every field" for all fields.
func (r *reader) conds(n *yaml.Node, key string, p Protocol) (conds []Cond) {
	if n == nil {
		return nil
	}
	r.pairs(n, "conditions")
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.fault(n.Line, "There is no condition here. Write at least one “key: value”.")
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		name, values := n.Content[i], n.Content[i+1]
		for _, name := range standsFor(name, key, p) {
			if t, ok := r.known(name); ok {
				conds = append(conds, Cond{name.Value, r.answers(values, t)})
			}
		}
	}
	r.refuseTwice(n, conds)
	return conds
}

// standsFor returns the names that name stands for: mostly itself.
func standsFor(name *yaml.Node, key string, p Protocol) (names []*yaml.Node) {
	at := func(key string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: name.Line}
	}
	switch {
	case name.Value == "each" && key != "":
		return []*yaml.Node{at(key)}
	case name.Value == everyField:
		return each(p.Fields, func(f Field) *yaml.Node { return at(f.Key) })
	}
	return []*yaml.Node{name}
}

// known returns the term that n names, or notes that there is none.
func (r *reader) known(n *yaml.Node) (term, bool) {
	t, ok := r.terms[n.Value]
	if !ok && n.Kind == yaml.ScalarNode && !r.vague {
		r.fault(n.Line, "%s is neither a field, an observation nor a fact of this protocol. %s", quoted(n.Value), didYouMean(n.Value, sortedKeys(r.terms)))
	}
	return t, ok && n.Kind == yaml.ScalarNode
}

func (r *reader) refuseTwice(n *yaml.Node, conds []Cond) {
	for i, c := range conds {
		if slices.ContainsFunc(conds[:i], func(before Cond) bool { return before.Key == c.Key }) {
			r.fault(n.Line, "“%s” is named twice in these conditions. Keep one.", c.Key)
		}
	}
}

// answers reads the values of t that n allows.
func (r *reader) answers(n *yaml.Node, t term) []int {
	if t.kind == "field" {
		return r.valuesOf(n, t.values)
	}
	value, ok := words[t.kind][n.Value]
	if n.Kind != yaml.ScalarNode || !ok {
		r.mistyped(n, wanted[t.kind])
	}
	return []int{value}
}

var wanted = map[string]string{
	"observation": "“ticked” or “not ticked”, because this is an observation",
	"fact":        "“yes” or “no”, because this is a fact",
	"note":        "“written” or “blank”, because this is the note",
}

// values reads a set of values under key; nil where the key is not there.
func (e entries) values(key string, offered []int) []int {
	if n := e.of[key]; n != nil {
		return e.valuesOf(n, offered)
	}
	return nil
}

// valuesOf reads one value, a list of them or a range "1..3", ascending.
func (r *reader) valuesOf(n *yaml.Node, offered []int) (values []int) {
	if from, to, ok := span(n); ok {
		r.refuseUnoffered(n, offered, from, to)
		return slices.DeleteFunc(slices.Clone(offered), func(v int) bool { return v < from || v > to })
	}
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		elements = n.Content
	}
	for _, element := range elements {
		value, ok := whole(element)
		switch {
		case !ok:
			r.mistyped(element, "a value such as 1, a list such as [1, 5] or a range such as 1..2")
		case slices.Contains(values, value):
			r.fault(element.Line, "%d stands in this list twice. Keep one.", value)
		default:
			r.refuseUnoffered(element, offered, value)
			values = append(values, value)
		}
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.fault(n.Line, "This list of values is empty. Write at least one.")
	}
	slices.Sort(values)
	return values
}

func (r *reader) refuseUnoffered(n *yaml.Node, offered []int, values ...int) {
	for _, v := range values {
		if len(offered) > 0 && !slices.Contains(offered, v) {
			r.fault(n.Line, "%d is not on the scale. Its points are %s.", v, numbers(offered))
		}
	}
}

// checkRule notes what is wrong with a rule by itself.
func (r *reader) checkRule(rule Rule) {
	if i := strings.IndexAny(rule.Says, "{}"); i >= 0 {
		r.fault(rule.Line, "The sentence of “%s” holds a brace. Only {each}, {title} and {Title} are filled in, and only under “for each”.", rule.ID)
	}
	for _, c := range rule.Then {
		if r.terms[c.Key].kind == "fact" {
			r.fault(rule.Line, "Rule “%s” demands something of “%s”, which is a fact about the item that no annotator can change. Move it to “when”.", rule.ID, c.Key)
		}
	}
}

func (r *reader) hint(n *yaml.Node, p Protocol) Hint {
	m := r.mapping(n, "hint")
	h := Hint{
		ID:      m.ruleID(strings.NewReplacer()),
		When:    r.conds(m.of["when"], "", p),
		Suggest: r.conds(m.of["suggest"], "", p),
		Note:    m.text("note", maxSentence),
		Says:    m.text("says", maxSentence),
	}
	for _, c := range h.Suggest {
		if r.terms[c.Key].kind != "field" {
			r.fault(n.Line, "A hint suggests values of fields, and “%s” is none. Use “note” for a note, “says” for advice.", c.Key)
		}
	}
	if m.of["suggest"] == nil && m.of["note"] == nil && m.of["says"] == nil && n.Kind == yaml.MappingNode {
		r.fault(n.Line, "This hint offers nothing yet. Add “suggest”, “note” or “says”.")
	}
	return h
}

// inSentence returns title as it stands in the middle of a sentence: "Emotion
// recognition" loses its capital, "A · Resolution" and "FAQ" keep theirs.
func inSentence(title string) string {
	letters := []rune(title)
	if len(letters) > 1 && unicode.IsLower(letters[1]) {
		letters[0] = unicode.ToLower(letters[0])
	}
	return string(letters)
}
