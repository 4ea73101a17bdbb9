package web

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// sampleNotes are realistic notes.
var sampleNotes = []string{
	"Names the dread, not the relief behind it.",
	"“Quoted”, <b>not bold</b> & 100 % – done",
	"first line\nsecond line",
	"لا أوافق على هذا",
	"只说了一半 🙂",
	"- [1] = @x; --",
}

// sampleTexts are items in scripts and shapes that would break a page designed
// for short English texts.
var sampleTexts = []string{
	"I got the job, and all I felt on the way home was dread.",
	"حصلت على الترقية التي عملت من أجلها أربع سنوات، ولم أشعر إلا بالخوف. قال مديري: “Well done!” ثم انصرف.",
	"我得到了努力四年的升职，可回家的路上只感到恐惧。伴侣做了晚餐庆祝，我却坐在那里假装开心。",
	strings.Repeat("https://example.org/aVeryLongAddressWithoutAnySpace", 12),
	strings.TrimSpace(strings.Repeat(
		"Some days weigh more than others and no one can say why. It is not the work, and it is not the people.\n\n",
		60)),
	"One line.\nAnother right below it.\n\nA paragraph of its own, with a list:\n- first\n- second\n\tindented",
	"<script>alert(1)</script> is how it began, and &amp; how it went on. {{7*7}}",
	"שלום, my order #4411 לא הגיעה, and no one answers. תודה!",
	"Pay \u202e001$ ot\u202c me\u200b now",
	"👩\u200d🚀 می\u200cخواهم. Ça ira? Да. ありがとう。",
	"It depends [1]. Rice keeps one day [2]; some say four [9].",
}

// newContent returns the i-th item of a protocol, with content for each of its
// parts.
func newContent(p protocol.Protocol, i int) project.Content {
	content := project.Content{}
	for k, part := range p.Unit.Parts {
		content[part.Key] = newPartContent(part.Kind, i, k)
	}
	return content
}

func newPartContent(kind protocol.PartKind, i, k int) project.PartContent {
	text := func(n int) string { return sampleTexts[(i+3*k+n)%len(sampleTexts)] }
	switch kind {
	case protocol.PartConversation:
		var turns []project.Turn
		for n := range 1 + i%3 {
			turns = append(turns, project.Turn{Role: "user", Text: text(2 * n)}, project.Turn{Role: "assistant",
				Text: text(2*n + 1)})
		}
		return project.PartContent{Turns: turns}
	case protocol.PartChunk, protocol.PartChunks:
		var passages []project.Chunk
		for n := range 1 + i%4 {
			passages = append(passages, project.Chunk{ID: fmt.Sprintf("c-%d", n), Source: "https://example.org/" +
				string([]rune(text(n))[:4]), Rank: n + 1, Text: text(n)})
		}
		if kind == protocol.PartChunk {
			passages = passages[:1]
		}
		return project.PartContent{Chunks: passages}
	}
	return project.PartContent{Text: text(0)}
}

// A ruleViolation is answers that break exactly one rule, and the change that
// repairs them.
type ruleViolation struct {
	rule    protocol.Rule
	keys    []string // the keys at which its message must appear
	answers protocol.Answers
	fixed   protocol.Answers
}

var violationCache sync.Map // results of earlier searches

// findViolations returns a violation of each rule that an item with these
// facts can break.
func findViolations(p protocol.Protocol, facts protocol.Facts) []ruleViolation {
	key := fmt.Sprint(p.Key, facts)
	if list, ok := violationCache.Load(key); ok {
		return list.([]ruleViolation)
	}
	list := searchViolations(p, facts)
	violationCache.Store(key, list)
	return list
}

func searchViolations(p protocol.Protocol, facts protocol.Facts) (list []ruleViolation) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, r := range p.AllRules() {
		for range 500 {
			if b, ok := drawViolation(rng, p, facts, r); ok {
				list = append(list, b)
				break
			}
		}
	}
	return list
}

func drawViolation(rng *rand.Rand, p protocol.Protocol, facts protocol.Facts, r protocol.Rule) (ruleViolation, bool) {
	a := drawAnswers(rng, p, facts)
	for _, c := range r.When {
		a = setAnswer(p, a, c.Key, c.Values[rng.IntN(len(c.Values))])
	}
	condition := r.Then[rng.IntN(len(r.Then))]
	if invalid := slices.DeleteFunc([]int{0, 1, 2, 3, 4, 5}, func(v int) bool {
		return slices.Contains(condition.Values, v)
	}); len(invalid) > 0 {
		a = setAnswer(p, a, condition.Key, invalid[rng.IntN(len(invalid))])
	}
	a = repairAnswers(rng, p, facts, a, r.ID)
	b := ruleViolation{rule: r, answers: a, fixed: repairAnswers(rng, p, facts, a, "")}
	for _, problem := range p.Check(facts, a) {
		if problem.Rule != r.ID {
			return ruleViolation{}, false
		}
		b.keys = append(b.keys, problem.Key)
	}
	return b, b.keys != nil && p.Check(facts, b.fixed) == nil
}

// drawValidAnswers draws random answers that break no rule.
func drawValidAnswers(rng *rand.Rand, p protocol.Protocol, facts protocol.Facts) protocol.Answers {
	for {
		if a := repairAnswers(rng, p, facts, drawAnswers(rng, p, facts), ""); p.Check(facts, a) == nil {
			return a
		}
	}
}

func drawAnswers(rng *rand.Rand, p protocol.Protocol, facts protocol.Facts) protocol.Answers {
	a := protocol.Answers{Values: map[string]int{}}
	for _, f := range p.ApplicableFields(facts) {
		a.Values[f.Key] = f.Scale[rng.IntN(len(f.Scale))].Value
		if p.AllowsBetween && rng.IntN(6) == 0 {
			a = setAnswer(p, a, protocol.UnsureKey(f.Key), 1)
		}
	}
	for _, o := range p.Observations {
		a = setAnswer(p, a, o.Key, 1-min(rng.IntN(12), 1))
	}
	return setAnswer(p, a, protocol.NoteKey, rng.IntN(len(sampleNotes)+2)-1)
}

// repairAnswers randomly changes the invalid answers of a, except those that
// break rule, until they are valid or the attempts run out.
func repairAnswers(rng *rand.Rand, p protocol.Protocol, facts protocol.Facts, a protocol.Answers,
	rule string) protocol.Answers {
	for range 100 {
		problems := slices.DeleteFunc(p.Check(facts, a), func(q protocol.Problem) bool { return q.Rule == rule })
		if len(problems) == 0 {
			return a
		}
		key, value := problems[rng.IntN(len(problems))].Key, rng.IntN(6)
		if f, ok := p.Field(key); ok {
			value = f.Scale[rng.IntN(len(f.Scale))].Value
		}
		a = setAnswer(p, a, key, value)
	}
	return a
}

// setAnswer returns a with another answer for a key of a rule. Observations,
// “unsure” marks and the note are set for values above 0.
func setAnswer(p protocol.Protocol, a protocol.Answers, key string, value int) protocol.Answers {
	switch field, unsure := strings.CutPrefix(key, "unsure_"); {
	case unsure:
		a.Unsure = setIncluded(a.Unsure, field, value > 0)
	case key == protocol.NoteKey && value <= 0:
		a.Note = ""
	case key == protocol.NoteKey:
		a.Note = sampleNotes[value%len(sampleNotes)]
	default:
		if _, ok := p.Observation(key); ok {
			a.Observations = setIncluded(a.Observations, key, value > 0)
			break
		}
		if _, ok := p.Field(key); ok {
			a.Values = maps.Clone(a.Values)
			a.Values[key] = value
		}
	}
	return a
}

func setIncluded(keys []string, key string, isIncluded bool) []string {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == key })
	if isIncluded {
		keys = append(keys, key)
	}
	return keys
}

func TestRules_Each_CanBreakAlone(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		broken := map[string]bool{}
		for i := range 3 { // as many turns as the items have
			for _, b := range findViolations(p, project.DeriveFacts(p, newContent(p, i))) {
				broken[b.rule.ID] = true
			}
		}
		for _, r := range p.AllRules() {
			if !broken[r.ID] {
				t.Errorf("%s: no answers break only %s", p.Key, r.ID)
			}
		}
	}
}
