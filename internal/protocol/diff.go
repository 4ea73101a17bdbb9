package protocol

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A TextChange is one text that differs between two revisions of a version.
type TextChange struct {
	Place  string `json:"place" example:"Question of “Tone”"`
	Before string `json:"before" doc:"Empty: the text is new."`
	After  string `json:"after" doc:"Empty: the text was removed."`
}

// Diff compares two definitions of one protocol version. Fixed lists, as sentences,
// what only a new version may change: keys, order, scales with their labels and
// anchors, rules, notes that hints fill in and numbers of the plan. Texts lists the prose and
// the suggestions that changed, which is all that a revision may change. Texts count only if
// fixed is empty.
func Diff(before, after Protocol) (fixed []string, texts []TextChange) {
	return compareFixed(before, after), compareTexts(before.allTexts(), after.allTexts())
}

// HasSameItems reports whether items that were imported under one definition can be labeled under the other: they have
// the same parts and facts.
func HasSameItems(a, b Protocol) bool {
	return reflect.DeepEqual(a.Unit.withoutProse(), b.Unit.withoutProse()) &&
		reflect.DeepEqual(mapSlice(a.Unit.Parts, Part.withoutProse), mapSlice(b.Unit.Parts, Part.withoutProse)) &&
		reflect.DeepEqual(mapSlice(a.Facts, Fact.withoutProse), mapSlice(b.Facts, Fact.withoutProse))
}

// SharesField reports whether another definition has a field with the same key and points, so that answers to both can
// be compared.
func SharesField(f Field, other Protocol) bool {
	o, isField := other.Field(f.Key)
	return isField && slices.Equal(f.Scale.Values(), o.Scale.Values())
}

func compareFixed(before, after Protocol) []string {
	c := &comparison{}
	if before.Key != after.Key {
		c.addf("The protocol key changed from %s to %s.", before.Key, after.Key)
	}
	if !reflect.DeepEqual(before.Unit.withoutProse(), after.Unit.withoutProse()) {
		c.addf("The unit's id column or kind of import record changed.")
	}
	if before.AllowsBetween != after.AllowsBetween {
		c.addf("Answering between two values is %s.", describeBetween(after.AllowsBetween))
	}
	if before.Plan.withoutProse() != after.Plan.withoutProse() {
		c.addf("The session plan changed.")
	}
	compareByKey(c, "part", before.Unit.Parts, after.Unit.Parts, func(p Part) (string, any) {
		return p.Key, p.withoutProse()
	})
	compareByKey(c, "fact", before.Facts, after.Facts, func(f Fact) (string, any) { return f.Key, f.withoutProse() })
	compareByKey(c, "field", before.Fields, after.Fields, func(f Field) (string, any) {
		return f.Key, f.withoutProse()
	})
	compareByKey(c, "observation", before.Observations, after.Observations, func(o Observation) (string, any) {
		return o.Key, nil
	})
	compareByKey(c, "rule", before.Rules, after.rulesWithTitlesOf(before), func(r Rule) (string, any) {
		return r.ID, r.withoutLine()
	})
	compareByKey(c, "hint", before.hintsWithNote(), after.hintsWithNote(), func(h Hint) (string, any) {
		return h.ID, h.withoutProse()
	})
	compareByKey(c, "verdict", before.Verdicts, after.Verdicts, func(v VerdictRule) (string, any) {
		return v.Key, v.withoutProse()
	})
	compareByKey(c, "section", before.Guide, after.Guide, func(s Section) (string, any) { return s.Key, nil })
	return c.differences
}

type comparison struct{ differences []string }

func (c *comparison) addf(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

func describeBetween(isAllowed bool) string {
	if isAllowed {
		return "now allowed"
	}
	return "no longer allowed"
}

// compareByKey lists added, changed, removed and moved elements. identify returns the
// key of an element and the part of it that is fixed.
func compareByKey[E any](c *comparison, kind string, before, after []E, identify func(E) (string, any)) {
	oldKeys, oldByKey := indexByKey(before, identify)
	newKeys, newByKey := indexByKey(after, identify)
	count := len(c.differences)
	for _, key := range newKeys {
		previous, existed := oldByKey[key]
		switch {
		case !existed:
			c.addf("The %s “%s” was added.", kind, key)
		case !reflect.DeepEqual(previous, newByKey[key]):
			c.addf("The %s “%s” changed.", kind, key)
		}
	}
	for _, key := range oldKeys {
		if _, exists := newByKey[key]; !exists {
			c.addf("The %s “%s” was removed.", kind, key)
		}
	}
	if len(c.differences) == count && !slices.Equal(oldKeys, newKeys) {
		c.addf("The order of the %ss changed.", kind)
	}
}

func indexByKey[E any](list []E, identify func(E) (string, any)) (keys []string, byKey map[string]any) {
	byKey = map[string]any{}
	for _, e := range list {
		key, fixed := identify(e)
		keys, byKey[key] = append(keys, key), fixed
	}
	return keys, byKey
}

// The methods withoutProse return what a revision cannot change. Parts, fields and
// other lists are compared by their own keys.

func (u Unit) withoutProse() Unit {
	u.Noun, u.Parts = "", nil
	return u
}

func (p Part) withoutProse() Part {
	p.Title = ""
	return p
}

func (f Fact) withoutProse() Fact {
	f.Title = ""
	return f
}

func (f Field) withoutProse() Field {
	f.Title, f.Question, f.Reward, f.Penalize, f.Boundaries = "", "", nil, nil, nil
	f.DecisionTree = mapSlice(f.DecisionTree, func(b Branch) Branch { return Branch{Then: b.Then} })
	return f
}

func (h Hint) withoutProse() Hint {
	h.When, h.Suggestions, h.Message = sortConditions(h.When), nil, ""
	return h
}

// hintsWithNote returns the hints that decide whether a note counts as written.
func (p Protocol) hintsWithNote() []Hint {
	return slices.DeleteFunc(slices.Clone(p.Hints), func(h Hint) bool { return h.Note == "" })
}

// describeConditions returns a line such as "tone: 1, 2", in the order of the keys.
func describeConditions(conditions []Condition) string {
	return strings.Join(mapSlice(sortConditions(conditions), func(c Condition) string {
		return c.Key + ": " + joinNumbers(c.Values)
	}), "; ")
}

func (v VerdictRule) withoutProse() VerdictRule {
	v.Title = ""
	return v
}

func (p SessionPlan) withoutProse() SessionPlan {
	p.ContentWarning = ""
	return p
}

// withoutLine returns r without its line number, with its conditions sorted.
func (r Rule) withoutLine() Rule {
	r.When, r.Then, r.Line = sortConditions(r.When), sortConditions(r.Then), 0
	return r
}

// rulesWithTitlesOf returns the rules of p with the messages of before, where they
// differ only in the titles that “for each” put there.
func (p Protocol) rulesWithTitlesOf(before Protocol) []Rule {
	oldTitles, newTitles := before.titleReplacer(), p.titleReplacer()
	oldMessages := map[string]string{}
	for _, r := range before.Rules {
		oldMessages[r.ID] = r.Message
	}
	return mapSlice(p.Rules, func(r Rule) Rule {
		if old, ok := oldMessages[r.ID]; ok && oldTitles.Replace(old) == newTitles.Replace(r.Message) {
			r.Message = old
		}
		return r
	})
}

// titleReplacer replaces the titles of p's fields and observations by their keys.
func (p Protocol) titleReplacer() *strings.Replacer {
	var pairs []string
	for _, f := range p.Fields {
		pairs = append(pairs, f.Title, "{"+f.Key+"}", lowercaseTitle(f.Title), "{"+f.Key+"}")
	}
	for _, o := range p.Observations {
		pairs = append(pairs, o.Title, "{"+o.Key+"}", lowercaseTitle(o.Title), "{"+o.Key+"}")
	}
	return strings.NewReplacer(pairs...)
}

// sortConditions returns conditions ordered by key.
func sortConditions(conditions []Condition) []Condition {
	return slices.SortedFunc(slices.Values(conditions), func(a, b Condition) int { return cmp.Compare(a.Key, b.Key) })
}

// A placedText is one text of a protocol. The place names it within the protocol.
type placedText struct{ id, place, text string }

// allTexts returns the prose of p and of its translations.
func (p Protocol) allTexts() []placedText {
	texts := p.texts()
	for _, language := range sortedKeys(p.Translations) {
		translated := p.Translations[language]
		for _, t := range translated.texts() {
			texts = append(texts, placedText{language + " " + t.id, language + ": " + t.place, t.text})
		}
		for _, f := range translated.Fields {
			texts = append(texts, placedText{language + " scale " + f.Key, language + ": Scale of “" + f.Title + "”",
				fmt.Sprint(f.Scale)})
		}
		for _, r := range translated.Rules {
			texts = append(texts, placedText{language + " rule " + r.ID, language + ": Message of “" + r.ID + "”",
				r.Message})
		}
	}
	return texts
}

// texts returns the prose of p in the order of its pages.
func (p Protocol) texts() (texts []placedText) {
	add := func(id, place string, lines ...string) {
		texts = append(texts, placedText{id, place, strings.Join(lines, "\n")})
	}
	of := func(place, title string) string { return place + " of “" + title + "”" }
	add("title", "Title", p.Title)
	add("summary", "Summary", p.Summary)
	add("language", "Language of the texts", p.Language)
	add("noun", "Name of the unit", p.Unit.Noun)
	for _, part := range p.Unit.Parts {
		add("part "+part.Key, "Title of the part “"+part.Key+"”", part.Title)
	}
	for _, f := range p.Facts {
		add("fact "+f.Key, "Title of the fact “"+f.Key+"”", f.Title)
	}
	for _, f := range p.Fields {
		add("field "+f.Key, "Title of the field “"+f.Key+"”", f.Title)
		add("question "+f.Key, of("Question", f.Title), f.Question)
		add("reward "+f.Key, of("Reward", f.Title), f.Reward...)
		add("penalize "+f.Key, of("Penalize", f.Title), f.Penalize...)
		add("tree "+f.Key, of("Decision tree", f.Title), mapSlice(f.DecisionTree, func(b Branch) string {
			return b.If
		})...)
		add("boundaries "+f.Key, of("Boundaries", f.Title), f.Boundaries...)
	}
	for _, o := range p.Observations {
		add("observation "+o.Key, "Title of the observation “"+o.Key+"”", o.Title)
		add("subject "+o.Key, of("Subject", o.Title), o.Subject)
		add("guidance "+o.Key, of("Guidance", o.Title), o.Guidance)
	}
	for _, h := range p.Hints {
		add("hint "+h.ID, "Message of the hint “"+h.ID+"”", h.Message)
		if len(h.Suggestions) > 0 {
			add("suggestions "+h.ID, "Suggestions of the hint “"+h.ID+"”",
				describeConditions(h.When)+" → "+describeConditions(h.Suggestions))
		}
	}
	for _, v := range p.Verdicts {
		add("verdict "+v.Key, "Title of the verdict “"+v.Key+"”", v.Title)
	}
	for _, s := range p.Guide {
		add("section "+s.Key, "Title of the guide section “"+s.Key+"”", s.Title)
		add("paragraphs "+s.Key, of("Guide", s.Title), s.Paragraphs...)
		add("points "+s.Key, of("Points of the guide", s.Title), s.Points...)
	}
	for _, e := range p.Examples {
		add("example "+e.Key, "Example “"+e.Title+"”", e.lines(p)...)
	}
	add("warning", "Content warning", p.Plan.ContentWarning)
	return texts
}

// lines returns all of e as text.
func (e Example) lines(p Protocol) (lines []string) {
	lines = append(lines, e.Title)
	for _, part := range e.Item {
		lines = append(lines, part.Key+":", part.Text)
		for _, t := range part.Turns {
			lines = append(lines, t.Role+": "+t.Text)
		}
		for _, c := range part.Chunks {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s", c.Rank, c.Source, c.Text)))
		}
	}
	for _, f := range p.Fields {
		if value, ok := e.Answers.Values[f.Key]; ok {
			reason, _ := e.Reason(f.Key)
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %d. %s (%d or %d?)", f.Key, value, reason.Text,
				reason.Low, reason.High)))
		}
	}
	lines = append(lines, strings.Join(slices.Concat(e.Answers.Observations, mapSlice(e.Answers.Unsure, UnsureKey)),
		", "), e.Answers.Note)
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// compareTexts lists the texts that differ: in the order of after, then those removed.
func compareTexts(before, after []placedText) (changes []TextChange) {
	oldByID := map[string]string{}
	for _, t := range before {
		oldByID[t.id] = t.text
	}
	for _, t := range after {
		if old := oldByID[t.id]; old != t.text {
			changes = append(changes, TextChange{t.place, old, t.text})
		}
		delete(oldByID, t.id)
	}
	for _, t := range before { // examples and suggestions can be removed
		if old := oldByID[t.id]; old != "" {
			changes = append(changes, TextChange{t.place, old, ""})
		}
	}
	return changes
}
