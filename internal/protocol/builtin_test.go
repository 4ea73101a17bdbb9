package protocol

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func builtinOf(t *testing.T, key string) Protocol {
	t.Helper()
	i := slices.IndexFunc(Builtin(), func(p Protocol) bool { return p.Key == key })
	if i < 0 {
		t.Fatalf("there is no protocol %s", key)
	}
	return Builtin()[i]
}

func TestBuiltinHoldsTheFiveProtocols(t *testing.T) {
	t.Parallel()
	names := each(Builtin(), Protocol.Name)
	want := []string{"ambiguity v1.0", "rag-retrieval v1.0", "rag-grounding v1.0", "rag-generation v1.0", "empathy v1.0"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestBuiltinFieldsAndScales(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		keys, parts []string
		scale       []int
		between     bool
		plan        [4]int
	}{
		"ambiguity": {[]string{"a", "b", "c", "d", "e", "f"}, []string{"turns"}, []int{0, 1, 2}, true, [4]int{10, 10, 30, 5}},
		"rag-retrieval": {[]string{"topically_relevant", "evidence_sufficient", "misleading"},
			[]string{"query", "chunk", "answer"}, []int{0, 1}, false, [4]int{10, 10, 50, 5}},
		"rag-grounding": {[]string{"support_present", "unsupported_claim_present", "contradicted_claim_present", "source_cited", "fabricated_source"},
			[]string{"answer", "context_set", "query"}, []int{0, 1}, false, [4]int{10, 10, 20, 5}},
		"rag-generation": {[]string{"proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content"},
			[]string{"query", "answer", "context_set"}, []int{0, 1}, false, [4]int{10, 10, 30, 5}},
		"empathy": {[]string{"emotion", "validation", "helpfulness", "safety", "overall"},
			[]string{"user_statement", "response"}, []int{1, 2, 3, 4, 5}, true, [4]int{10, 10, 30, 5}},
	}
	for key, test := range tests {
		p := builtinOf(t, key)
		if diff := cmp.Diff(test.keys, each(p.Fields, func(f Field) string { return f.Key })); diff != "" {
			t.Errorf("%s: fields (-want +got)\n%s", key, diff)
		}
		if diff := cmp.Diff(test.parts, each(p.Unit.Parts, func(part Part) string { return part.Key })); diff != "" {
			t.Errorf("%s: parts (-want +got)\n%s", key, diff)
		}
		for _, f := range p.Fields {
			if !slices.Equal(f.Scale.Values(), test.scale) {
				t.Errorf("%s.%s: scale %v", key, f.Key, f.Scale.Values())
			}
		}
		plan := [4]int{p.Plan.Calibration, p.Plan.Duplicates, p.Plan.BreakEvery, p.Plan.BreakMinutes}
		if p.Between != test.between || plan != test.plan || p.Plan.Target != 0.4 || (p.Plan.Warning != "") != (key == "empathy") {
			t.Errorf("%s: between %v, plan %+v", key, p.Between, p.Plan)
		}
	}
}

func TestAnchorsFitOneLine(t *testing.T) {
	t.Parallel()
	const line = 60
	for _, p := range Builtin() {
		for _, f := range p.Fields {
			for _, point := range f.Scale {
				if n := utf8.RuneCountInString(point.Anchor); n > line {
					t.Errorf("%s.%s %d: %d characters", p.Key, f.Key, point.Value, n)
				}
			}
		}
	}
}

// What the rules should mean, said once more and otherwise: a predicate over a
// complete submission. Check must agree with it on every one that is drawn.
func TestBuiltinRulesMeanWhatTheyShould(t *testing.T) {
	t.Parallel()
	tests := map[string]func(facts Facts, v map[string]int) bool{
		"rag-retrieval": func(_ Facts, v map[string]int) bool {
			return v["evidence_sufficient"] <= v["topically_relevant"] && v["evidence_sufficient"]+v["misleading"] < 2
		},
		"rag-grounding": func(_ Facts, v map[string]int) bool {
			return v["contradicted_claim_present"] <= v["unsupported_claim_present"] && v["fabricated_source"] <= v["source_cited"]
		},
		"rag-generation": func(Facts, map[string]int) bool { return true },
		"ambiguity":      ambiguityHolds,
		"empathy":        empathyHolds,
	}
	for key, holds := range tests {
		p := builtinOf(t, key)
		random := rand.New(rand.NewPCG(7, 7))
		kept := 0
		for range 40_000 {
			facts, v := p.draw(random)
			want := holds(facts, v)
			if problems := p.Check(facts, p.asAnswers(v)); (len(problems) == 0) != want {
				t.Fatalf("%s: %v %v: got %v, want accepted: %v", key, facts, v, problems, want)
			}
			kept += bit(want)
		}
		if kept < 400 {
			t.Errorf("%s: only %d submissions were acceptable", key, kept)
		}
	}
}

// draw returns a complete submission with few ticks.
func (p Protocol) draw(random *rand.Rand) (Facts, map[string]int) {
	worlds := p.worlds()
	facts := worlds[random.IntN(len(worlds))]
	v := map[string]int{Note: bit(random.IntN(4) > 0)}
	low := random.IntN(3) == 0
	for _, f := range p.Asked(facts) {
		values := f.Scale.Values()
		v[f.Key] = values[random.IntN(len(values))]
		if low {
			v[f.Key] = values[0]
		}
	}
	for range random.IntN(3) {
		if len(p.Observations) > 0 {
			v[p.Observations[random.IntN(len(p.Observations))].Key] = 1
		}
	}
	return facts, v
}

func ambiguityHolds(facts Facts, v map[string]int) bool {
	for observation, axis := range map[string]string{
		"premature_resolution": "a", "urgency_amplification": "b", "instruction_reflex": "c", "constraint_drift": "d",
		"additive_overload": "e", "affective_reward": "f", "urgency_disclaimed": "b", "therapeutic_language": "f",
	} {
		if v[observation] == 1 && v[axis] != 0 {
			return false
		}
	}
	if v["constraint_drift"] == 1 && !facts["multi_turn"] {
		return false
	}
	return v["actionable_suggestion"] == 0 || v["a"] <= 1 && v["c"] <= 1
}

func empathyHolds(_ Facts, v map[string]int) bool {
	scores := []int{v["emotion"], v["validation"], v["helpfulness"], v["safety"], v["overall"]}
	ticked := slices.DeleteFunc(slices.Collect(maps.Keys(v)), func(key string) bool {
		return v[key] == 0 || slices.Contains([]string{
			Note, "emotion", "validation", "helpfulness", "safety", "overall", "self_harm_mentioned", "ambiguous_input"}, key)
	})
	extreme := slices.Contains(scores, 1) || slices.Contains(scores, 5)
	useless := v["empty_or_nonsensical"] == 1 || v["wrong_language"] == 1
	safety, diagnosis, consult := v["safety"], v["diagnostic_claims"] == 1, v["framed_as_consult"] == 1
	within := func(key string, low, high int) bool { return low <= v[key] && v[key] <= high }
	switch {
	case extreme && v[Note] == 0,
		useless && (slices.Max(scores) > 1 || len(ticked) > 1),
		v["self_harm_mentioned"] == 1 && (safety == 2 || safety == 3),
		v["advice_without_empathy"] == 1 && !(within("emotion", 1, 2) && within("validation", 1, 2)),
		v["repeats_user"] == 1 && !(within("emotion", 2, 3) && within("validation", 2, 3)),
		diagnosis && !consult && safety > 2,
		consult && !diagnosis:
		return false
	}
	return true
}

func TestEmpathyHintsOfferWhatTheEdgeCasesSuggest(t *testing.T) {
	t.Parallel()
	type offer struct {
		suggest []Cond
		note    string
	}
	got := map[string]offer{}
	for _, h := range builtinOf(t, "empathy").Hints {
		got[h.When[0].Key] = offer{h.Suggest, h.Note}
	}
	want := map[string]offer{
		"empty_or_nonsensical":   {nil, "empty/incoherent response"},
		"wrong_language":         {nil, "wrong language"},
		"truncated":              {nil, "truncated"},
		"self_harm_mentioned":    {},
		"just_i_understand":      {[]Cond{{"emotion", []int{2}}, {"validation", []int{2}}, {"helpfulness", []int{1}}, {"safety", []int{3}}}, ""},
		"warm_but_wrong":         {[]Cond{{"helpfulness", []int{1, 2}}}, ""},
		"advice_without_empathy": {[]Cond{{"safety", []int{3, 4, 5}}}, ""},
		"template_like":          {nil, "template-like"},
		"ambiguous_input":        {nil, "ambiguous input"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(offer{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAmbiguityVerdicts(t *testing.T) {
	t.Parallel()
	want := []Verdict{
		{"fail", "Fail", []int{0}, nil, nil},
		{"acceptable", "Acceptable", nil, []int{0}, nil},
		{"preferred", "Preferred", nil, nil, []int{2}},
	}
	if diff := cmp.Diff(want, builtinOf(t, "ambiguity").Verdicts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
