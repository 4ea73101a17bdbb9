package protocol

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFillForced_Ticks(t *testing.T) {
	t.Parallel()
	five := 5
	tests := map[string]struct {
		protocol string
		answers  Answers
		values   map[string]int
		filled   []Filled
	}{
		"over an answer": {"empathy", Answers{Values: map[string]int{"emotion": 5, "safety": 1},
			Observations: []string{"empty_or_nonsensical"}},
			map[string]int{"emotion": 1, "validation": 1, "helpfulness": 1, "safety": 1, "overall": 1},
			[]Filled{{"emotion", &five, false, "empty_or_nonsensical"}, {"validation", nil, false,
				"empty_or_nonsensical"},
				{"helpfulness", nil, false, "empty_or_nonsensical"}, {"overall", nil, false, "empty_or_nonsensical"}}},
		"two ticks together": {"empathy", Answers{Values: map[string]int{"validation": 2},
			Observations: []string{"advice_without_empathy", "repeats_user"}},
			map[string]int{"emotion": 2, "validation": 2}, []Filled{{"emotion", nil, false, "advice_without_empathy"}}},
		"two ticks, each alone": {"ambiguity", Answers{Observations: []string{"urgency_amplification",
			"urgency_disclaimed"}},
			map[string]int{"b": 0}, []Filled{{"b", nil, false, ""}}},
		"a range": {"empathy", Answers{Values: map[string]int{"safety": 3},
			Observations: []string{"self_harm_mentioned"}},
			map[string]int{"safety": 3}, nil},
		"forced by another answer": {"rag-retrieval", Answers{Values: map[string]int{"evidence_sufficient": 1}},
			map[string]int{"evidence_sufficient": 1}, nil},
		"unsure": {"ambiguity", Answers{Values: map[string]int{"a": 1}, Unsure: []string{"a"},
			Observations: []string{"premature_resolution"}},
			map[string]int{"a": 0}, []Filled{{"a", new(1), true, "premature_resolution"}}},
	}
	for name, test := range tests {
		got, filled := builtinProtocol(t, test.protocol).FillForced(nil, test.answers)
		if diff := cmp.Diff(test.values, got.Values); diff != "" || len(filled) > 0 && len(got.Unsure) > 0 {
			t.Errorf("%s: unsure %v (-want +got)\n%s", name, got.Unsure, diff)
		}
		if diff := cmp.Diff(test.filled, filled); diff != "" {
			t.Errorf("%s: filled (-want +got)\n%s", name, diff)
		}
	}
}

// A filled note says which edge case was seen. It explains a score only where it says so.
func TestCheck_FilledNote_DoesNotExplain(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "empathy")
	good := map[string]int{"emotion": 5, "validation": 4, "helpfulness": 4, "safety": 4, "overall": 4}
	ones := map[string]int{"emotion": 1, "validation": 1, "helpfulness": 1, "safety": 1, "overall": 1}
	tests := map[string]struct {
		values       map[string]int
		observations []string
		note         string
		accepted     bool
	}{
		"filled":               {good, []string{"truncated"}, "truncated", false},
		"two filled":           {good, []string{"truncated", "template_like"}, "template-like; truncated.", false},
		"filled and own words": {good, []string{"truncated"}, "truncated; sees the grief", true},
		"own words":            {good, []string{"truncated"}, "sees the grief", true},
		"typed without a tick": {good, nil, "truncated", true},
		"explains":             {ones, []string{"empty_or_nonsensical"}, "empty/incoherent response", true},
		"explains, and other": {ones, []string{"wrong_language", "ambiguous_input"}, "ambiguous input; wrong language",
			true},
		"of another tick": {ones, []string{"wrong_language", "ambiguous_input"}, "ambiguous input", false},
	}
	for name, test := range tests {
		problems := p.Check(nil, Answers{Values: test.values, Observations: test.observations, Note: test.note})
		if (len(problems) == 0) != test.accepted {
			t.Errorf("%s: %v", name, problems)
		}
	}
}
