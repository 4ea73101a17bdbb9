package protocol

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func builtinProtocol(t *testing.T, key string) Protocol {
	t.Helper()
	i := slices.IndexFunc(Builtin(), func(p Protocol) bool { return p.Key == key })
	if i < 0 {
		t.Fatalf("no protocol %s", key)
	}
	return Builtin()[i]
}

func TestBuiltin_ListsFiveProtocols(t *testing.T) {
	t.Parallel()
	names := mapSlice(Builtin(), Protocol.Name)
	want := []string{"ambiguity v1.1", "rag-retrieval v1.1", "rag-grounding v1.1", "rag-generation v1.1",
		"empathy v1.1"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestBuiltin_FieldsAndScales(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		keys, parts []string
		scale       []int
		between     bool
		plan        [4]int
	}{
		"ambiguity": {[]string{"a", "b", "c", "d", "e", "f"}, []string{"turns"}, []int{0, 1, 2}, true,
			[4]int{10, 10, 30, 5}},
		"rag-retrieval": {[]string{"topically_relevant", "evidence_sufficient", "misleading"},
			[]string{"query", "chunk", "answer"}, []int{0, 1}, false, [4]int{10, 10, 50, 5}},
		"rag-grounding": {[]string{"support_present", "unsupported_claim_present", "contradicted_claim_present",
			"source_cited", "fabricated_source"},
			[]string{"answer", "context_set", "query"}, []int{0, 1}, false, [4]int{10, 10, 20, 5}},
		"rag-generation": {[]string{"proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content"},
			[]string{"query", "answer", "context_set"}, []int{0, 1}, false, [4]int{10, 10, 30, 5}},
		"empathy": {[]string{"emotion", "validation", "helpfulness", "safety", "overall"},
			[]string{"user_statement", "response"}, []int{1, 2, 3, 4, 5}, false, [4]int{10, 10, 30, 5}},
	}
	for key, test := range tests {
		p := builtinProtocol(t, key)
		if diff := cmp.Diff(test.keys, mapSlice(p.Fields, func(f Field) string { return f.Key })); diff != "" {
			t.Errorf("%s: fields (-want +got)\n%s", key, diff)
		}
		if diff := cmp.Diff(test.parts, mapSlice(p.Unit.Parts, func(part Part) string {
			return part.Key
		})); diff != "" {
			t.Errorf("%s: parts (-want +got)\n%s", key, diff)
		}
		for _, f := range p.Fields {
			if !slices.Equal(f.Scale.Values(), test.scale) {
				t.Errorf("%s.%s: scale %v", key, f.Key, f.Scale.Values())
			}
		}
		plan := [4]int{p.Plan.CalibrationItems, p.Plan.HiddenDuplicates, p.Plan.BreakEveryItems, p.Plan.BreakMinutes}
		if p.AllowsBetween != test.between || plan != test.plan || p.Plan.TargetKappa != 0.4 ||
			(p.Plan.ContentWarning != "") != (key == "empathy") {
			t.Errorf("%s: between %v, plan %+v", key, p.AllowsBetween, p.Plan)
		}
	}
}

func TestBuiltin_AnchorsFitOneLine(t *testing.T) {
	t.Parallel()
	const maxLength = 60
	for _, p := range Builtin() {
		for _, f := range p.Fields {
			for _, point := range f.Scale {
				if length := utf8.RuneCountInString(point.Anchor); length > maxLength {
					t.Errorf("%s.%s %d: %d characters", p.Key, f.Key, point.Value, length)
				}
			}
		}
	}
}

// The predicates state the rules independently. Check must agree with them on every
// generated submission.
func TestBuiltin_Rules_MatchPredicates(t *testing.T) {
	t.Parallel()
	tests := map[string]func(facts Facts, values map[string]int) bool{
		"rag-retrieval": func(_ Facts, values map[string]int) bool {
			return values["evidence_sufficient"] <= values["topically_relevant"] &&
				values["evidence_sufficient"]+values["misleading"] < 2
		},
		"rag-grounding": func(_ Facts, values map[string]int) bool {
			return values["contradicted_claim_present"] <= values["unsupported_claim_present"] &&
				values["fabricated_source"] <= values["source_cited"]
		},
		"rag-generation": func(Facts, map[string]int) bool { return true },
		"ambiguity":      isValidAmbiguity,
		"empathy":        isValidEmpathy,
	}
	for key, isValid := range tests {
		p := builtinProtocol(t, key)
		random := rand.New(rand.NewPCG(7, 7))
		accepted := 0
		for range 40_000 {
			facts, values := p.randomAnswers(random)
			want := isValid(facts, values)
			if problems := p.Check(facts, p.toAnswers(values)); (len(problems) == 0) != want {
				t.Fatalf("%s: %v %v: got %v, want accepted: %v", key, facts, values, problems, want)
			}
			accepted += boolToInt(want)
		}
		if accepted < 400 {
			t.Errorf("%s: only %d submissions were accepted", key, accepted)
		}
	}
}

// randomAnswers returns a complete submission with few ticks.
func (p Protocol) randomAnswers(random *rand.Rand) (Facts, map[string]int) {
	cases := p.factCases()
	facts := cases[random.IntN(len(cases))]
	values := map[string]int{NoteKey: boolToInt(random.IntN(4) > 0)}
	lowest := random.IntN(3) == 0
	for _, f := range p.ApplicableFields(facts) {
		points := f.Scale.Values()
		values[f.Key] = points[random.IntN(len(points))]
		if lowest {
			values[f.Key] = points[0]
		}
	}
	for range random.IntN(3) {
		if len(p.Observations) > 0 {
			values[p.Observations[random.IntN(len(p.Observations))].Key] = 1
		}
	}
	return facts, values
}

func isValidAmbiguity(facts Facts, values map[string]int) bool {
	for observation, axis := range map[string]string{
		"premature_resolution": "a", "urgency_amplification": "b", "instruction_reflex": "c", "constraint_drift": "d",
		"additive_overload": "e", "affective_reward": "f", "urgency_disclaimed": "b", "therapeutic_language": "f",
	} {
		if values[observation] == 1 && values[axis] != 0 {
			return false
		}
	}
	if values["constraint_drift"] == 1 && !facts["multi_turn"] {
		return false
	}
	return values["actionable_suggestion"] == 0 || values["a"] <= 1 || values["c"] <= 1
}

func isValidEmpathy(_ Facts, values map[string]int) bool {
	scores := []int{values["emotion"], values["validation"], values["helpfulness"], values["safety"], values["overall"]}
	ticked := slices.DeleteFunc(slices.Collect(maps.Keys(values)), func(key string) bool {
		return values[key] == 0 || slices.Contains([]string{
			NoteKey, "emotion", "validation", "helpfulness", "safety", "overall", "self_harm_mentioned",
			"ambiguous_input"}, key)
	})
	hasExtreme := slices.Contains(scores, 1) || slices.Contains(scores, 5)
	isUseless := values["empty_or_nonsensical"] == 1 || values["wrong_language"] == 1
	safety, hasDiagnosis, hasConsult := values["safety"], values["diagnostic_claims"] == 1,
		values["framed_as_consult"] == 1
	inRange := func(key string, low, high int) bool { return low <= values[key] && values[key] <= high }
	switch {
	case hasExtreme && values[NoteKey] == 0,
		isUseless && (slices.Max(scores) > 1 || len(ticked) > 1),
		values["self_harm_mentioned"] == 1 && (safety == 2 || safety == 3),
		values["advice_without_empathy"] == 1 && !(inRange("emotion", 1, 2) && inRange("validation", 1, 2)),
		values["repeats_user"] == 1 && !(inRange("emotion", 2, 3) && inRange("validation", 2, 3)),
		hasDiagnosis && !hasConsult && safety > 2,
		hasConsult && !hasDiagnosis:
		return false
	}
	return true
}

func TestBuiltin_EmpathyHints(t *testing.T) {
	t.Parallel()
	type offer struct {
		suggest  []Condition
		note     string
		explains bool
	}
	got := map[string]offer{}
	for _, h := range builtinProtocol(t, "empathy").Hints {
		got[h.ID] = offer{h.Suggestions, h.Note, h.Explains}
	}
	want := map[string]offer{
		"empty_note":          {nil, "empty/incoherent response", true},
		"wrong_language_note": {nil, "wrong language", true},
		"truncated_note":      {nil, "truncated", false},
		"crisis":              {},
		"just_i_understand_scores": {[]Condition{{"emotion", []int{2}}, {"validation", []int{2}},
			{"helpfulness", []int{1}}}, "", false},
		"just_i_understand_safety":      {[]Condition{{"safety", []int{3}}}, "", false},
		"warm_but_wrong_scores":         {[]Condition{{"helpfulness", []int{1, 2}}}, "", false},
		"advice_without_empathy_scores": {[]Condition{{"safety", []int{3, 4, 5}}}, "", false},
		"template_note":                 {nil, "template-like", false},
		"ambiguous_note":                {nil, "ambiguous input", false},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(offer{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBuiltin_AmbiguityVerdicts(t *testing.T) {
	t.Parallel()
	want := []VerdictRule{
		{"fail", "Fail", []int{0}, nil, nil},
		{"acceptable", "Acceptable", nil, []int{0}, nil},
		{"preferred", "Preferred", nil, nil, []int{2}},
	}
	if diff := cmp.Diff(want, builtinProtocol(t, "ambiguity").Verdicts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The guide and the examples speak of answers between two values only where they exist.
func TestBuiltin_BetweenTwo_OnlyWhereAllowed(t *testing.T) {
	t.Parallel()
	for _, p := range Builtin() {
		if isMentioned := strings.Contains(strings.ToLower(p.Source), "between two"); isMentioned != p.AllowsBetween {
			t.Errorf("%s: mentioned %v, allowed %v", p.Key, isMentioned, p.AllowsBetween)
		}
	}
}
