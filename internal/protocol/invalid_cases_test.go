package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// A invalidCase is a definition with one kind of fault, made by one change to
// testdata/small.yaml. What it is told stands in testdata/faults.golden.
type invalidCase struct {
	name        string
	source      string
	failsSchema bool // the JSON Schema refuses it too
}

func invalidCases(t testing.TB) (cases []invalidCase) {
	t.Helper()
	valid := readSmall(t)
	for _, c := range invalidChanges {
		if c.from != "" && !strings.Contains(valid, c.from) {
			t.Fatalf("%s: testdata/small.yaml has no %q", c.name, c.from)
		}
		source := strings.Replace(valid, c.from, c.to, 1)
		if c.from == "" {
			source = c.to
		}
		cases = append(cases, invalidCase{c.name, source, c.failsSchema})
	}
	return cases
}

// appendRules returns a change that adds rules at the end of the rules.
func appendRules(rules ...string) string {
	return "  - {" + strings.Join(rules, "}\n  - {") + "}\nhints:\n"
}

func repeatLine(count int, line string) string {
	var lines strings.Builder
	for i := range count {
		fmt.Fprintf(&lines, line+"\n", i)
	}
	return lines.String()
}

var invalidChanges = []struct {
	name        string
	from, to    string
	failsSchema bool
}{
	// The file.
	{"an empty file", "", "", false},
	{"nothing but a comment", "", "# later\n", false},
	{"a list in place of a protocol", "", "- protocol\n", true},
	{"a file that is too long", "", strings.Repeat("# long\n", maxBytes/7+1), false},
	{"a NUL byte", "title: A small protocol", "title: A \x00 protocol", false},
	{"bytes that are not UTF-8", "title: A small protocol", "title: A \xff protocol", false},
	{"a bracket left open", "reward: [Patience]", "reward: [Patience", false},
	{"a crooked indentation", "    title: Tone", "   title: Tone", false},
	{"two documents", "plan:\n", "---\nplan:\n", false},
	{"an anchor, an alias and a merge key", "    title: Tone\n    ask: How does it sound?", "    title: &t Tone\n    ask: *t\n    <<: {ask: How}", false},
	{"a tag", "title: Tone", "title: !!str Tone", false},

	// Keys.
	{"an unknown key of the protocol", "summary:", "sumary:", true},
	{"an unknown key of the unit", "  noun:", "  nouns:", true},
	{"an unknown key of a part", "kind: conversation", "type: conversation", true},
	{"an unknown key of a fact", "at least: 2", "at_least: 2", true},
	{"an unknown key of a field", "    boundaries:", "    boundry:", true},
	{"an unknown key of a point", "label: Good", "lable: Good", true},
	{"an unknown key of a branch", "{if: It snaps,", "{when: It snaps,", true},
	{"an unknown key of an observation", "about: the reply, says: Tone is 1.", "about: the reply, said: Tone is 1.", true},
	{"an unknown key of a rule", "    says: What is rude is harsh.", "    because: What is rude is harsh.", true},
	{"an unknown key of a hint", "note: rude", "notes: rude", true},
	{"an unknown key of a verdict", "none: [1]", "non: [1]", true},
	{"an unknown key of a section", "text: Read it twice.", "texts: Read it twice.", true},
	{"an unknown key of the plan", "break every", "break_every", true},
	{"a key that stands twice", "    ask: How does it sound?", "    ask: How does it sound?\n    ask: Again?", false},
	{"a missing key", "    ask: How does it sound?\n", "", true},

	// Types and limits.
	{"a list where a text should be", "title: Tone", "title: [Tone]", true},
	{"a number where a text should be", "title: Tone", "title: 12", true},
	{"a text where a list should be", "observations:\n", "observations: none\nx:\n", true},
	{"a text where a mapping should be", "plan:\n", "plan: later\nx:\n", true},
	{"an empty text", "title: Tone", "title:", true},
	{"an empty list", "reward: [Patience]", "reward: []", true},
	{"a control character", "title: Tone", `title: "T\ane"`, false},
	{"a text that is too long", "title: Tone", "title: T" + strings.Repeat("o", maxTitle) + "ne", true},
	{"a version that is a word", "version: 2", "version: two", true},
	{"a version in hexadecimal", "version: 2", "version: 0x2", false},
	{"neither yes nor no", "judged: yes", "judged: maybe", true},
	{"a kind that is not known", "kind: conversation", "kind: dialogue", true},
	{"a pace that is no range", "pace: 20..40", "pace: 40..20", false},
	{"a target above one", "target: 0.4", "target: 40", true},
	{"too many observations", "observations:\n", "observations:\n" + repeatLine(maxObservations, "  - {key: o%d, title: O, about: it, says: O.}"), true},
	{"too many rules once written out", "hints:\n", repeatLine(maxRules/2, "  - {id: 'r%d_{each}', for each: every field, when: {each: 1}, then: {note: written}, says: R.}") + "hints:\n", false},
	{"a scale of one point", "scale: {1: Nowhere, 2: Half way, 3: All the way}", "scale: {1: Nowhere}", true},
	{"a point that is no number", "2: Half way", "half: Half way", true},
	{"a point that is too high", "2: Half way", "11: Half way", true},

	// Names.
	{"a protocol key with a capital", "protocol: small", "protocol: Small", true},
	{"a field key with a hyphen", "key: tone", "key: to-ne", true},
	{"a key that is taken", "key: funny", "key: tone", false},
	{"a key that is reserved", "key: funny", "key: annotator", false},
	{"a key that begins like a doubt", "key: funny", "key: unsure_tone", false},
	{"a key that is a hidden control of the form", "key: funny", "key: active_ms", false},
	{"a key that is the name of a check", "key: funny", "key: tone_given", false},
	{"a rule id that is taken", "id: funny_is_kind", "id: rude_is_harsh", false},
	{"a rule id that is the name of a field's check", "id: funny_is_kind", "id: depth_applies", false},
	{"a rule id that is the name of a check of all", "id: funny_is_kind", "id: known_answers", false},
	{"a rule id that is the name of a check of every annotation", "id: funny_is_kind", "id: annotation_active", false},
	{"a rule id that is too long", "id: funny_is_kind", "id: f" + strings.Repeat("u", 60), true},
	{"one id for each", "id: note_on_{each}", "id: note_on_all", false},

	// The unit.
	{"a part that is judged and folded", "supporting: yes}", "supporting: yes, judged: yes}", false},
	{"no part that is judged", ", judged: yes}", "}", false},
	{"a part that the record does not hold", "  id: reply_id", "  record: rag", false},
	{"a fact about a part that is no conversation", "part: turns", "part: source", false},
	{"a fact that no field has heard of", "only when: long", "only when: lengthy", false},

	// Rules and hints by themselves.
	{"a rule on an unknown field", "then: {tone: 1}", "then: {tome: 1}", false},
	{"a hint on an unknown observation", "when: {rude: ticked}, suggest", "when: {rued: ticked}, suggest", false},
	{"a rule for each of unknown keys", "for each: every field", "for each: [tone, dept]", false},
	{"a value outside the scale", "then: {tone: 1}", "then: {tone: 4}", false},
	{"a range outside the scale", "then: {tone: 2..3}", "then: {tone: 2..5}", false},
	{"a hint outside the scale", "suggest: {tone: 1}", "suggest: {tone: 0}", false},
	{"a verdict outside every scale", "any: [3]", "any: [9]", false},
	{"a branch outside the scale", "then: 1}", "then: 7}", false},
	{"an observation with a number", "when: {rude: ticked}\n", "when: {rude: 1}\n", false},
	{"a note with a number", "then: {note: written}", "then: {note: 1}", false},
	{"a fact with a word of its own", "hints:\n", appendRules("id: x, when: {long: maybe}, then: {rude: not ticked}, says: X."), true},
	{"a value twice", "when: {each: [3, 1]}", "when: {each: [1, 1]}", true},
	{"no values", "when: {each: [3, 1]}", "when: {each: []}", true},
	{"no condition", "when: {rude: ticked}\n", "when: {}\n", true},
	{"a field named twice", "then: {tone: 1}", "then: {every field: 1, tone: 1}", false},
	{"a brace that nothing fills", "why {title} is", "why {titel} is", false},
	{"a demand on a fact", "then: {tone: 1}", "then: {long: yes}", false},
	{"a hint that offers nothing", ", suggest: {tone: 1}, note: rude, says: Quote it.}", "}", true},
	{"a hint that suggests a tick", "suggest: {tone: 1}", "suggest: {funny: ticked}", false},
	{"a verdict that asks for nothing", ", any: [3], none: [1], all: 2..3", "", true},
	{"a section that says nothing", ", text: Read it twice., points: [Then judge.]", "", true},

	// The definition as a whole.
	{"a rule that contradicts itself", "hints:\n", appendRules("id: x, when: {tone: 1, rude: not ticked}, then: {tone: 2..3}, says: X."), false},
	{"a rule that asks for nothing", "hints:\n", appendRules("id: x, when: {rude: ticked}, then: {tone: 1..3}, says: X."), false},
	{"a rule that can never start", "hints:\n", appendRules("id: x, when: {rude: ticked, tone: 3}, then: {note: written}, says: X."), false},
	{"a rule that starts where its field is not asked", "hints:\n", appendRules("id: x, when: {long: no, depth: 1}, then: {note: written}, says: X."), false},
	{"a rule that can never be kept", "hints:\n", appendRules("id: x, when: {tone: 3}, then: {note: blank}, says: X."), false},
	{"rules that leave nothing", "hints:\n", appendRules(
		"id: x, when: {tone: 1..3}, then: {rude: ticked}, says: X.",
		"id: y, when: {tone: 1..3}, then: {rude: not ticked}, says: Y."), false},
	{"rules that leave nothing for some items", "hints:\n", appendRules(
		"id: x, when: {long: yes, rude: ticked}, then: {funny: not ticked}, says: X.",
		"id: y, when: {long: yes, rude: ticked, funny: not ticked}, then: {tone: 2}, says: Y.",
		"id: z, when: {long: yes, tone: 1..3}, then: {rude: ticked}, says: Z."), false},
	{"a point that nobody can choose", "hints:\n", appendRules("id: x, when: {long: yes}, then: {depth: 1..2}, says: X."), false},
	{"an observation that nobody can tick", "when: {funny: ticked, rude: not ticked}\n    then: {tone: 2..3}",
		"when: {tone: 1..3}\n    then: {funny: not ticked}", false},
	{"a hint that can never show", "when: {rude: ticked}, suggest", "when: {rude: ticked, tone: 3}, suggest", false},
	{"a hint that the rules forbid", "suggest: {tone: 1}", "suggest: {tone: 2}", false},
	{"a dead end of two ticks", "when: {funny: ticked, rude: not ticked}", "when: {funny: ticked}", false},
	{"a dead end for some items", "hints:\n", appendRules(
		"id: x, when: {long: yes, funny: ticked}, then: {depth: 1}, says: X.",
		"id: y, when: {rude: ticked}, then: {depth: 2..3}, says: Y."), false},
	{"a dead end with nothing ticked", "hints:\n", appendRules(
		"id: x, when: {tone: 1..3, funny: not ticked}, then: {rude: ticked}, says: X."), false},
}
