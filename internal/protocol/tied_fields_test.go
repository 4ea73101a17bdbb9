package protocol

import (
	"fmt"
	"testing"
)

func TestListTiedFields_Builtin(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"ambiguity":      "[]",
		"empathy":        "[]",
		"rag-generation": "[]",
		"rag-grounding": "[{[unsupported_claim_present contradicted_claim_present] [[0 0] [1 0] [1 1]]}" +
			" {[source_cited fabricated_source] [[0 0] [1 0] [1 1]]}]",
		"rag-retrieval": "[{[topically_relevant evidence_sufficient misleading] [[0 0 0] [0 0 1] [1 0 0] [1 0 1] [1 1 0]]}]",
	}
	for _, p := range Builtin() {
		if got := fmt.Sprint(p.ListTiedFields()); got != want[p.Key] {
			t.Errorf("%s: %s, want %s", p.Key, got, want[p.Key])
		}
	}
}

// Two scales of six points have 36 combinations, which are too many.
func TestListTiedFields_TooManyCombinations_LeftOut(t *testing.T) {
	t.Parallel()
	six := Scale{{Value: 1}, {Value: 2}, {Value: 3}, {Value: 4}, {Value: 5}, {Value: 6}}
	p := Protocol{Fields: []Field{{Key: "a", Scale: six}, {Key: "b", Scale: six}}}
	p.Rules = []Rule{{ID: "r", When: []Condition{{"a", []int{6}}}, Then: []Condition{{"b", []int{1, 2, 3, 4, 5}}}}}
	if got := p.ListTiedFields(); got != nil {
		t.Errorf("got %v", got)
	}
}
