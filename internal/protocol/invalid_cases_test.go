package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// An invalidCase is a definition with one kind of error, made by one change to
// testdata/small.yaml. The expected errors are in testdata/errors.golden.
type invalidCase struct {
	name        string
	source      string
	failsSchema bool // the JSON Schema rejects it too
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
	{"empty file", "", "", false},
	{"only a comment", "", "# later\n", false},
	{"list instead of a protocol", "", "- protocol\n", true},
	{"file too large", "", strings.Repeat("# long\n", maxBytes/7+1), false},
	{"NUL byte", "title: A small protocol", "title: A \x00 protocol", false},
	{"invalid UTF-8", "title: A small protocol", "title: A \xff protocol", false},
	{"unclosed bracket", "reward: [Patience]", "reward: [Patience", false},
	{"wrong indentation", "    title: Tone", "   title: Tone", false},
	{"two documents", "plan:\n", "---\nplan:\n", false},
	{"anchor, alias and merge key", "    title: Tone\n    question: How does it sound?",
		"    title: &t Tone\n    question: *t\n    <<: {question: How}", false},
	{"tag", "title: Tone", "title: !!str Tone", false},

	// Keys.
	{"unknown key of the protocol", "summary:", "sumary:", true},
	{"unknown key of the unit", "  noun:", "  nouns:", true},
	{"unknown key of a part", "kind: conversation", "type: conversation", true},
	{"unknown key of a fact", "at least: 2", "at_least: 2", true},
	{"unknown key of a field", "    boundaries:", "    boundry:", true},
	{"unknown key of a point", "label: Good", "lable: Good", true},
	{"unknown key of a branch", "{if: It snaps,", "{when: It snaps,", true},
	{"unknown key of an observation", "subject: the reply, guidance: Tone is 1.",
		"subject: the reply, guide: Tone is 1.", true},
	{"unknown key of a rule", "    message: What is rude is harsh.", "    because: What is rude is harsh.", true},
	{"unknown key of a hint", "note: rude", "notes: rude", true},
	{"unknown key of a verdict", "none: [1]", "non: [1]", true},
	{"unknown key of a section", "text: Read it twice.", "texts: Read it twice.", true},
	{"unknown key of the plan", "break every", "break_every", true},
	{"repeated key", "    question: How does it sound?", "    question: How does it sound?\n    question: Again?",
		false},
	{"missing key", "    question: How does it sound?\n", "", true},

	// Types and limits.
	{"list instead of text", "title: Tone", "title: [Tone]", true},
	{"number instead of text", "title: Tone", "title: 12", true},
	{"text instead of list", "observations:\n", "observations: none\nx:\n", true},
	{"text instead of mapping", "plan:\n", "plan: later\nx:\n", true},
	{"empty text", "title: Tone", "title:", true},
	{"empty list", "reward: [Patience]", "reward: []", true},
	{"control character", "title: Tone", `title: "T\ane"`, false},
	{"text too long", "title: Tone", "title: T" + strings.Repeat("o", maxTitle) + "ne", true},
	{"version as a word", "version: 2", "version: two", true},
	{"version in hexadecimal", "version: 2", "version: 0x2", false},
	{"neither yes nor no", "judged: yes", "judged: maybe", true},
	{"unknown kind", "kind: conversation", "kind: dialogue", true},
	{"pace not a range", "pace: 20..40", "pace: 40..20", false},
	{"target above 1", "target: 0.4", "target: 40", true},
	{"too many observations", "observations:\n", "observations:\n" + repeatLine(maxObservations,
		"  - {key: o%d, title: O, subject: it, guidance: O.}"), true},
	{"too many expanded rules", "hints:\n", repeatLine(maxRules/2,
		"  - {id: 'r%d_{each}', for each: every field, when: {each: 1}, then: {note: written}, message: R.}") +
		"hints:\n", false},
	{"scale with one point", "scale: {1: Nowhere, 2: Half way, 3: All the way}", "scale: {1: Nowhere}", true},
	{"point not a number", "2: Half way", "half: Half way", true},
	{"point too high", "2: Half way", "11: Half way", true},

	// Names.
	{"protocol key with a capital", "protocol: small", "protocol: Small", true},
	{"field key with a hyphen", "key: tone", "key: to-ne", true},
	{"key in use", "key: funny", "key: tone", false},
	{"reserved key", "key: funny", "key: annotator", false},
	{"key with a reserved prefix", "key: funny", "key: unsure_tone", false},
	{"key of a hidden form control", "key: funny", "key: active_ms", false},
	{"key equal to a check", "key: funny", "key: tone_given", false},
	{"rule id in use", "id: funny_is_kind", "id: rude_is_harsh", false},
	{"rule id equal to a field's check", "id: funny_is_kind", "id: depth_applies", false},
	{"rule id equal to a common check", "id: funny_is_kind", "id: known_answers", false},
	{"rule id equal to an annotation check", "id: funny_is_kind", "id: annotation_active", false},
	{"rule id too long", "id: funny_is_kind", "id: f" + strings.Repeat("u", 60), true},
	{"same id for each", "id: note_on_{each}", "id: note_on_all", false},

	// The unit.
	{"part both judged and supporting", "supporting: yes}", "supporting: yes, judged: yes}", false},
	{"no judged part", ", judged: yes}", "}", false},
	{"part not in the record", "  id: reply_id", "  record: rag", false},
	{"fact about a part that is not a conversation", "part: turns", "part: source", false},
	{"field with an unknown fact", "only when: long", "only when: lengthy", false},

	// Examples.
	{"unknown key of an example", "    observations: [rude]", "    ticks: [rude]", true},
	{"unknown key of a turn", "{role: assistant, text: No.}", "{rule: assistant, text: No.}", true},
	{"unknown key of a reason", "{boundary: 1..2, text: A", "{bound: 1..2, text: A", true},
	{"example without its item", "item: {turns:", "item: {turn:", false},
	{"example with an empty turn", "text: No.}", "text: ''}", true},
	{"example off the scale", "answers: {tone: 1", "answers: {tone: 4", false},
	{"example that breaks a rule", "answers: {tone: 1", "answers: {tone: 2", false},
	{"example with an unknown tick", "observations: [rude]", "observations: [blunt]", false},
	{"boundary of distant points", "boundary: 1..2", "boundary: 1..3", false},
	{"boundary without the answer", "boundary: 1..2", "boundary: 2..3", false},
	{"reason for an unknown field", "reasons: {tone:", "reasons: {tune:", false},
	{"answer of an example is a letter", "answers: {tone: 1, depth: 2}", "answers: {tone: 1, depth: O}", true},
	{"two examples with one key", "plan:\n",
		"  - {key: snap, title: S, item: {turns: [{role: user, text: A}]}, answers: {tone: 2}, reasons: {tone: {boundary: 1..2, text: T}}}\nplan:\n", false},

	// Rules and hints by themselves.
	{"rule with an unknown field", "then: {tone: 1}", "then: {tome: 1}", false},
	{"hint with an unknown observation", "when: {rude: ticked}, suggest", "when: {rued: ticked}, suggest", false},
	{"for each with an unknown key", "for each: every field", "for each: [tone, dept]", false},
	{"value off the scale", "then: {tone: 1}", "then: {tone: 4}", false},
	{"range off the scale", "then: {tone: 2..3}", "then: {tone: 2..5}", false},
	{"hint off the scale", "suggest: {tone: 1}", "suggest: {tone: 0}", false},
	{"verdict off every scale", "any: [3]", "any: [9]", false},
	{"branch off the scale", "then: 1}", "then: 7}", false},
	{"observation with a number", "when: {rude: ticked}\n", "when: {rude: 1}\n", false},
	{"note with a number", "then: {note: written}", "then: {note: 1}", false},
	{"fact with an unknown word", "hints:\n", appendRules(
		"id: x, when: {long: maybe}, then: {rude: not ticked}, message: X."), true},
	{"repeated value", "when: {each: [3, 1]}", "when: {each: [1, 1]}", true},
	{"no values", "when: {each: [3, 1]}", "when: {each: []}", true},
	{"no condition", "when: {rude: ticked}\n", "when: {}\n", true},
	{"field named twice", "then: {tone: 1}", "then: {every field: 1, tone: 1}", false},
	{"unknown placeholder", "why {title} is", "why {titel} is", false},
	{"fact in then", "then: {tone: 1}", "then: {long: yes}", false},
	{"empty hint", ", suggest: {tone: 1}, note: rude, message: Quote it.}", "}", true},
	{"hint that explains without a note", "note: rude, message", "explains: yes, message", false},
	{"hint that suggests a tick", "suggest: {tone: 1}", "suggest: {funny: ticked}", false},
	{"empty verdict", ", any: [3], none: [1], all: 2..3", "", true},
	{"empty section", ", text: Read it twice., points: [Then judge.]", "", true},

	// The definition as a whole.
	{"rule that contradicts itself", "hints:\n", appendRules(
		"id: x, when: {tone: 1, rude: not ticked}, then: {tone: 2..3}, message: X."), false},
	{"rule without effect", "hints:\n", appendRules("id: x, when: {rude: ticked}, then: {tone: 1..3}, message: X."),
		false},
	{"rule that never applies", "hints:\n", appendRules(
		"id: x, when: {rude: ticked, tone: 3}, then: {note: written}, message: X."), false},
	{"rule on a field that does not apply", "hints:\n",
		appendRules("id: x, when: {long: no, depth: 1}, then: {note: written}, message: X."), false},
	{"rule that cannot be satisfied", "hints:\n", appendRules(
		"id: x, when: {tone: 3}, then: {note: blank}, message: X."), false},
	{"rules without any answer", "hints:\n", appendRules(
		"id: x, when: {tone: 1..3}, then: {rude: ticked}, message: X.",
		"id: y, when: {tone: 1..3}, then: {rude: not ticked}, message: Y."), false},
	{"rules without an answer for some items", "hints:\n", appendRules(
		"id: x, when: {long: yes, rude: ticked}, then: {funny: not ticked}, message: X.",
		"id: y, when: {long: yes, rude: ticked, funny: not ticked}, then: {tone: 2}, message: Y.",
		"id: z, when: {long: yes, tone: 1..3}, then: {rude: ticked}, message: Z."), false},
	{"point that cannot be chosen", "hints:\n", appendRules(
		"id: x, when: {long: yes}, then: {depth: 1..2}, message: X."), false},
	{"observation that cannot be ticked", "when: {funny: ticked, rude: not ticked}\n    then: {tone: 2..3}",
		"when: {tone: 1..3}\n    then: {funny: not ticked}", false},
	{"hint that never appears", "when: {rude: ticked}, suggest", "when: {rude: ticked, tone: 3}, suggest", false},
	{"hint that the rules forbid", "suggest: {tone: 1}", "suggest: {tone: 2}", false},
	{"dead end with two ticks", "when: {funny: ticked, rude: not ticked}", "when: {funny: ticked}", false},
	{"dead end for some items", "hints:\n", appendRules(
		"id: x, when: {long: yes, funny: ticked}, then: {depth: 1}, message: X.",
		"id: y, when: {rude: ticked}, then: {depth: 2..3}, message: Y."), false},
	{"dead end without ticks", "hints:\n", appendRules(
		"id: x, when: {tone: 1..3, funny: not ticked}, then: {rude: ticked}, message: X."), false},
}
