package protocol

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// termWords holds the values that are words, by kind of term.
var termWords = map[string]map[string]int{
	"observation": {"ticked": 1, "not ticked": 0},
	"fact":        {"yes": 1, "no": 0, "true": 1, "false": 0},
	"note":        {"written": 1, "blank": 0},
}

const everyField = "every field"

// readRules reads one rule, or one per key under "for each". There, "each" in
// conditions and {each} in the id and message mean the key, and {title} in the
// message its title.
func (r *reader) readRules(n *yaml.Node, p Protocol) (rules []Rule) {
	m := r.readMapping(n, "rule")
	for _, key := range r.readForEach(m, p) {
		title := r.terms[key].title
		replacer := strings.NewReplacer("{each}", key, "{title}", lowercaseTitle(title), "{Title}", title)
		rules = append(rules, Rule{
			ID:      m.readRuleID(replacer),
			When:    r.readConditions(m.nodes["when"], key, p),
			Then:    r.readConditions(m.nodes["then"], key, p),
			Message: replacer.Replace(m.readText("message", maxSentence)),
			Line:    n.Line,
		})
	}
	for _, rule := range rules {
		r.checkRule(rule)
	}
	return rules
}

// readForEach returns the keys that a rule is repeated for, or one empty key
// without "for each".
func (r *reader) readForEach(m mapping, p Protocol) (keys []string) {
	n := m.nodes["for each"]
	if n == nil {
		return []string{""}
	}
	if n.Kind == yaml.ScalarNode && n.Value == everyField {
		return mapSlice(p.Fields, func(f Field) string { return f.Key })
	}
	m.readList("for each", maxFields+maxObservations, func(n *yaml.Node) {
		if _, ok := r.lookUpTerm(n); ok {
			keys = append(keys, n.Value)
		}
	})
	return keys
}

// readRuleID reads the unique id of a rule or a hint.
func (m mapping) readRuleID(replacer *strings.Replacer) string {
	n := m.nodes["id"]
	if n == nil || n.Kind != yaml.ScalarNode {
		return m.readKey("id", ruleIDPattern)
	}
	id := replacer.Replace(n.Value)
	firstLine, isTaken := m.lines["rule "+id]
	switch {
	case !ruleIDPattern.MatchString(id):
		m.errorf(n.Line, "%s is not a valid id. %s", quote(id), describeKeyPattern(ruleIDPattern))
	case isGenerated(id) || isPartitionConstraint(id):
		m.errorf(n.Line, "“%s” is a check that every protocol has. Choose another id.", id)
	case isTaken && firstLine == n.Line && m.nodes["for each"] != nil:
		m.errorf(n.Line, "Each of these rules needs its own id. Add {each} to the id.")
	case isTaken:
		m.errorf(n.Line, "“%s” is already used on line %d. Choose another id.", id, firstLine)
	}
	m.lines["rule "+id] = n.Line
	return id
}

// isPartitionConstraint reports whether id is a constraint of every partition of
// annotations or adjudications.
func isPartitionConstraint(id string) bool {
	return id == "note_length" || id == "protocol_version_fixed" || strings.HasPrefix(id, "annotation") ||
		strings.HasPrefix(id, "adjudication")
}

// readConditions reads "key: values" pairs. "each" means key, and "every field"
// means all fields.
func (r *reader) readConditions(n *yaml.Node, key string, p Protocol) (conditions []Condition) {
	if n == nil {
		return nil
	}
	r.readPairs(n, "conditions")
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.errorf(n.Line, "No conditions. Write at least one “key: value”.")
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		name, values := n.Content[i], n.Content[i+1]
		for _, name := range expandName(name, key, p) {
			if t, ok := r.lookUpTerm(name); ok {
				conditions = append(conditions, Condition{name.Value, r.readTermValues(values, t)})
			}
		}
	}
	r.rejectDuplicateKeys(n, conditions)
	return conditions
}

// expandName returns the names that name means: usually itself.
func expandName(name *yaml.Node, key string, p Protocol) (names []*yaml.Node) {
	newNode := func(key string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: name.Line}
	}
	switch {
	case name.Value == "each" && key != "":
		return []*yaml.Node{newNode(key)}
	case name.Value == everyField:
		return mapSlice(p.Fields, func(f Field) *yaml.Node { return newNode(f.Key) })
	}
	return []*yaml.Node{name}
}

// lookUpTerm returns the term that n names, or adds an error.
func (r *reader) lookUpTerm(n *yaml.Node) (term, bool) {
	t, ok := r.terms[n.Value]
	if !ok && n.Kind == yaml.ScalarNode && !r.hasUnreadTerms {
		r.errorf(n.Line, "%s is not a field, observation or fact of this protocol. %s", quote(n.Value),
			suggestName(n.Value, sortedKeys(r.terms)))
	}
	return t, ok && n.Kind == yaml.ScalarNode
}

func (r *reader) rejectDuplicateKeys(n *yaml.Node, conditions []Condition) {
	for i, c := range conditions {
		if slices.ContainsFunc(conditions[:i], func(earlier Condition) bool { return earlier.Key == c.Key }) {
			r.errorf(n.Line, "“%s” appears twice in these conditions. Keep one.", c.Key)
		}
	}
}

func (r *reader) readTermValues(n *yaml.Node, t term) []int {
	if t.kind == "field" {
		return r.parseValues(n, t.values)
	}
	value, ok := termWords[t.kind][n.Value]
	if n.Kind != yaml.ScalarNode || !ok {
		r.addTypeError(n, expectedWords[t.kind])
	}
	return []int{value}
}

var expectedWords = map[string]string{
	"observation": "“ticked” or “not ticked”, because this is an observation",
	"fact":        "“yes” or “no”, because this is a fact",
	"note":        "“written” or “blank”, because this is the note",
}

// readValues reads the values under key; nil without the key.
func (m mapping) readValues(key string, allowed []int) []int {
	if n := m.nodes[key]; n != nil {
		return m.parseValues(n, allowed)
	}
	return nil
}

// parseValues reads one value, a list of them or a range "1..3", ascending.
func (r *reader) parseValues(n *yaml.Node, allowed []int) (values []int) {
	if from, to, ok := parseRange(n); ok {
		r.rejectOffScale(n, allowed, from, to)
		return slices.DeleteFunc(slices.Clone(allowed), func(v int) bool { return v < from || v > to })
	}
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		elements = n.Content
	}
	for _, element := range elements {
		value, ok := parseInt(element)
		switch {
		case !ok:
			r.addTypeError(element, "a value such as 1, a list such as [1, 5] or a range such as 1..2")
		case slices.Contains(values, value):
			r.errorf(element.Line, "%d appears twice in this list. Keep one.", value)
		default:
			r.rejectOffScale(element, allowed, value)
			values = append(values, value)
		}
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.errorf(n.Line, "The list of values is empty. Add at least one.")
	}
	slices.Sort(values)
	return values
}

func (r *reader) rejectOffScale(n *yaml.Node, allowed []int, values ...int) {
	for _, v := range values {
		if len(allowed) > 0 && !slices.Contains(allowed, v) {
			r.errorf(n.Line, "%d is not on the scale. Its values are %s.", v, joinNumbers(allowed))
		}
	}
}

// checkRule reports errors of a rule by itself.
func (r *reader) checkRule(rule Rule) {
	if i := strings.IndexAny(rule.Message, "{}"); i >= 0 {
		r.errorf(rule.Line, "The message of “%s” contains a brace. Only {each}, {title} and {Title} are replaced, and only with “for each”.", rule.ID)
	}
	for _, c := range rule.Then {
		if r.terms[c.Key].kind == "fact" {
			r.errorf(rule.Line, "Rule “%s” requires “%s”, which is a fact of the item. Annotators cannot change it: move it to “when”.", rule.ID, c.Key)
		}
	}
}

func (r *reader) readHint(n *yaml.Node, p Protocol) Hint {
	m := r.readMapping(n, "hint")
	h := Hint{
		ID:          m.readRuleID(strings.NewReplacer()),
		When:        r.readConditions(m.nodes["when"], "", p),
		Suggestions: r.readConditions(m.nodes["suggest"], "", p),
		Note:        m.readText("note", maxSentence),
		Explains:    m.readBool("explains"),
		Message:     m.readText("message", maxSentence),
	}
	for _, c := range h.Suggestions {
		if r.terms[c.Key].kind != "field" {
			r.errorf(n.Line, "“%s” is not a field. A hint suggests values of fields; use “note” for a note and “message” for advice.", c.Key)
		}
	}
	if h.Explains && m.nodes["note"] == nil {
		r.errorf(n.Line, "This hint explains answers, but has no note. Add “note”, or remove “explains”.")
	}
	if m.nodes["suggest"] == nil && m.nodes["note"] == nil && m.nodes["message"] == nil && n.Kind == yaml.MappingNode {
		r.errorf(n.Line, "This hint is empty. Add “suggest”, “note” or “message”.")
	}
	return h
}

// lowercaseTitle returns title for use inside a sentence: "Emotion recognition"
// loses its capital, "A · Resolution" and "FAQ" keep theirs.
func lowercaseTitle(title string) string {
	letters := []rune(title)
	if len(letters) > 1 && unicode.IsLower(letters[1]) {
		letters[0] = unicode.ToLower(letters[0])
	}
	return string(letters)
}
