package prose

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// randomJudge returns a judge with random conclusions on three fields.
func randomJudge(r *rand.Rand) judging.Judge {
	j := judging.Judge{Name: "critic"}
	for _, field := range []string{"tone", "facts", "style"} {
		figure := func() judge.Figure {
			value := 2*r.Float64() - 1
			low, high := value-0.3, value+0.3
			return judge.Figure{Value: &value, Low: &low, High: &high}
		}
		f := judge.Result{Dimension: field, Items: 15 + r.IntN(20), People: figure(), WithPeople: figure(),
			Bias: figure(),
			Conclusion: []judge.Conclusion{judge.AsPeople, judge.LessThanPeople, judge.Biased,
				judge.TooFewItems}[r.IntN(4)]}
		if f.Items < judge.MinItems {
			f.Conclusion = judge.TooFewItems
		}
		j.Fields = append(j.Fields, judging.Field{Result: f})
	}
	return j
}

// TestJudge_Sentences_AreTrue checks that each sentence is there if and only if it is true, in English and in German.
func TestJudge_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(3, 0)), map[string][2]int{}
	check := func(text, part string, want bool) {
		t.Helper()
		if strings.Contains(text, part) != want {
			t.Fatalf("%q is %t in %q", part, !want, text)
		}
		n := seen[part]
		if want {
			n[0]++
		} else {
			n[1]++
		}
		seen[part] = n
	}
	titleOf := func(field string) string { return strings.ToUpper(field) }
	for range 400 {
		j := randomJudge(r)
		has := func(c judge.Conclusion) bool {
			for _, f := range j.Fields {
				if f.Conclusion == c {
					return true
				}
			}
			return false
		}
		english, german := Writer{Locale: locale.English}.Judge(j, titleOf),
			Writer{Locale: locale.German}.Judge(j, titleOf)
		for c, parts := range map[judge.Conclusion][2]string{
			judge.AsPeople: {"“critic” agrees with people as they do with each other on",
				"so gut überein wie diese untereinander"},
			judge.LessThanPeople: {"“critic” agrees with people less than they do with each other on",
				"weniger überein als diese untereinander"},
			judge.Biased:      {"“critic” is biased on", "verzerrt"},
			judge.TooFewItems: {"There are too few items to tell on", "reichen die Einträge für eine Aussage nicht"},
		} {
			check(english, parts[0], has(c))
			check(german, parts[1], has(c))
		}
		for _, f := range j.Fields {
			text := Writer{Locale: locale.English}.JudgeField(f)
			check(text, "This needs 20.", f.Items < judge.MinItems)
			check(text, "It agrees with people as they do with each other, and scores",
				f.Conclusion == judge.AsPeople && isShown(f.Bias))
			check(text, "It agrees with people as they do with each other: ", f.Conclusion == judge.AsPeople &&
				!isShown(f.Bias))
			check(text, "It agrees with people less", f.Conclusion == judge.LessThanPeople)
			check(text, "more than any of them differs", f.Conclusion == judge.Biased)
			check(text, "These items are too few to tell", f.Conclusion == judge.TooFewItems &&
				f.Items >= judge.MinItems)
			check(text, "κ with people is ", f.Items >= judge.MinItems)
		}
		next, _ := Writer{Locale: locale.English}.JudgeNextStep([]judging.Judge{j}, titleOf)
		check(next, "Keep annotators on", has(judge.LessThanPeople))
		check(next, "Show the judge the anchors", !has(judge.LessThanPeople) && has(judge.Biased))
		check(next, "Have two annotators label more items", !has(judge.LessThanPeople) && !has(judge.Biased) &&
			has(judge.TooFewItems))
	}
	for part, n := range seen {
		if n[0] == 0 || n[1] == 0 {
			t.Errorf("%q is true %d times and false %d times; want both", part, n[0], n[1])
		}
	}
}
