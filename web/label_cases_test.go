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

// notes are what people write when they write freely.
var notes = []string{
	"Names the dread, not the relief behind it.",
	"“Quoted”, <b>not bold</b> & 100 % – done",
	"first line\nsecond line",
	"لا أوافق على هذا",
	"只说了一半 🙂",
	"- [1] = @x; --",
}

// texts are items in the scripts and shapes that a page set for short English
// alone would break.
var texts = []string{
	"I got the job, and all I felt on the way home was dread.",
	"حصلت على الترقية التي عملت من أجلها أربع سنوات، ولم أشعر إلا بالخوف. قال مديري: “Well done!” ثم انصرف.",
	"我得到了努力四年的升职，可回家的路上只感到恐惧。伴侣做了晚餐庆祝，我却坐在那里假装开心。",
	strings.Repeat("https://example.org/aVeryLongAddressWithoutAnySpace", 12),
	strings.TrimSpace(strings.Repeat("Some days weigh more than others and nobody can say why. It is not the work, and it is not the people.\n\n", 60)),
	"One line.\nAnother right below it.\n\nA paragraph of its own, with a list:\n- first\n- second\n\tindented",
	"<script>alert(1)</script> is how it began, and &amp; how it went on. {{7*7}}",
	"שלום, my order #4411 לא הגיעה, and nobody answers. תודה!",
	"Pay \u202e001$ ot\u202c me\u200b now",
	"👩\u200d🚀 می\u200cخواهم. Ça ira? Да. ありがとう。",
	"It depends [1]. Rice keeps one day [2]; some say four [9].",
}

// contentOf is the i-th item of a protocol, with content of each kind that its
// parts ask for.
func contentOf(p protocol.Protocol, i int) project.Content {
	content := project.Content{}
	for k, part := range p.Unit.Parts {
		content[part.Key] = pieceOf(part.Kind, i, k)
	}
	return content
}

func pieceOf(kind protocol.Kind, i, k int) project.Piece {
	text := func(n int) string { return texts[(i+3*k+n)%len(texts)] }
	switch kind {
	case protocol.Conversation:
		var turns []project.Turn
		for n := range 1 + i%3 {
			turns = append(turns, project.Turn{Role: "user", Text: text(2 * n)}, project.Turn{Role: "assistant", Text: text(2*n + 1)})
		}
		return project.Piece{Turns: turns}
	case protocol.Passage, protocol.Passages:
		var passages []project.Passage
		for n := range 1 + i%4 {
			passages = append(passages, project.Passage{ID: fmt.Sprintf("c-%d", n), Source: "https://example.org/" + string([]rune(text(n))[:4]), Rank: n + 1, Text: text(n)})
		}
		if kind == protocol.Passage {
			passages = passages[:1]
		}
		return project.Piece{Passages: passages}
	}
	return project.Piece{Text: text(0)}
}

// A breach is answers that break one rule and are right otherwise, and what
// mends them.
type breach struct {
	rule    protocol.Rule
	at      []string // the keys at which its sentence has to appear
	answers protocol.Answers
	mended  protocol.Answers
}

var found sync.Map // breaches that were looked for before

// breaches returns a breach of each rule that an item with these facts can break.
func breaches(p protocol.Protocol, facts protocol.Facts) []breach {
	key := fmt.Sprint(p.Key, facts)
	if list, ok := found.Load(key); ok {
		return list.([]breach)
	}
	list := search(p, facts)
	found.Store(key, list)
	return list
}

func search(p protocol.Protocol, facts protocol.Facts) (list []breach) {
	chance := rand.New(rand.NewPCG(1, 1))
	for _, r := range p.AllRules() {
		for range 100 {
			if b, ok := breachOf(chance, p, facts, r); ok {
				list = append(list, b)
				break
			}
		}
	}
	return list
}

func breachOf(chance *rand.Rand, p protocol.Protocol, facts protocol.Facts, r protocol.Rule) (breach, bool) {
	a := draw(chance, p, facts)
	for _, c := range r.When {
		a = set(p, a, c.Key, c.In[chance.IntN(len(c.In))])
	}
	bent := r.Then[chance.IntN(len(r.Then))]
	if out := slices.DeleteFunc([]int{0, 1, 2, 3, 4, 5}, func(v int) bool { return slices.Contains(bent.In, v) }); len(out) > 0 {
		a = set(p, a, bent.Key, out[chance.IntN(len(out))])
	}
	a = settle(chance, p, facts, a, r.ID)
	b := breach{rule: r, answers: a, mended: settle(chance, p, facts, a, "")}
	for _, problem := range p.Check(facts, a) {
		if problem.Rule != r.ID {
			return breach{}, false
		}
		b.at = append(b.at, problem.Key)
	}
	return b, b.at != nil && p.Check(facts, b.mended) == nil
}

// right draws answers that break nothing.
func right(chance *rand.Rand, p protocol.Protocol, facts protocol.Facts) protocol.Answers {
	for {
		if a := settle(chance, p, facts, draw(chance, p, facts), ""); p.Check(facts, a) == nil {
			return a
		}
	}
}

func draw(chance *rand.Rand, p protocol.Protocol, facts protocol.Facts) protocol.Answers {
	a := protocol.Answers{Values: map[string]int{}}
	for _, f := range p.Asked(facts) {
		a.Values[f.Key] = f.Scale[chance.IntN(len(f.Scale))].Value
		if p.Between && chance.IntN(6) == 0 {
			a = set(p, a, protocol.UnsureOf(f.Key), 1)
		}
	}
	for _, o := range p.Observations {
		a = set(p, a, o.Key, 1-min(chance.IntN(12), 1))
	}
	return set(p, a, protocol.Note, chance.IntN(len(notes)+2)-1)
}

// settle changes at random what is wrong with a, but for what breaks rule,
// until nothing is or it has tried for long.
func settle(chance *rand.Rand, p protocol.Protocol, facts protocol.Facts, a protocol.Answers, rule string) protocol.Answers {
	for range 100 {
		wrong := slices.DeleteFunc(p.Check(facts, a), func(q protocol.Problem) bool { return q.Rule == rule })
		if len(wrong) == 0 {
			return a
		}
		key, value := wrong[chance.IntN(len(wrong))].Key, chance.IntN(6)
		if f, ok := p.Field(key); ok {
			value = f.Scale[chance.IntN(len(f.Scale))].Value
		}
		a = set(p, a, key, value)
	}
	return a
}

// set returns a with another answer at a key as rules name it. Observations,
// doubts and the note are there above 0, and not at 0.
func set(p protocol.Protocol, a protocol.Answers, key string, value int) protocol.Answers {
	switch field, unsure := strings.CutPrefix(key, "unsure_"); {
	case unsure:
		a.Unsure = include(a.Unsure, field, value > 0)
	case key == protocol.Note && value <= 0:
		a.Note = ""
	case key == protocol.Note:
		a.Note = notes[value%len(notes)]
	default:
		if _, ok := p.Observation(key); ok {
			a.Observations = include(a.Observations, key, value > 0)
			break
		}
		if _, ok := p.Field(key); ok {
			a.Values = maps.Clone(a.Values)
			a.Values[key] = value
		}
	}
	return a
}

func include(keys []string, key string, in bool) []string {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == key })
	if in {
		keys = append(keys, key)
	}
	return keys
}

func TestForEveryRuleThereAreAnswersThatBreakItAlone(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		broken := map[string]bool{}
		for i := range 3 { // as many turns as items have
			for _, b := range breaches(p, project.FactsOf(p, contentOf(p, i))) {
				broken[b.rule.ID] = true
			}
		}
		for _, r := range p.AllRules() {
			if !broken[r.ID] {
				t.Errorf("%s: nothing breaks %s alone", p.Key, r.ID)
			}
		}
	}
}
