package protocol

import (
	"strings"
	"testing"
)

func TestReadDraft_Builtin_GuidanceAgrees(t *testing.T) {
	t.Parallel()
	for _, p := range Builtin() {
		if _, err := ReadDraft(p.Key, []byte(p.Source)); err != nil {
			t.Errorf("%s: %v", p.Key, err)
		}
	}
}

// Each change of a built-in protocol makes its guidance contradict its rules. The published
// definition stays readable.
func TestReadDraft_ContradictingGuidance_IsReported(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ protocol, from, to, want string }{
		"value without a branch": {"empathy",
			"      - {if: It is warm and refers to what the person said, then: 4}\n", "",
			"The decision tree of “validation” never leads to 4."},
		"branches from high to low": {"empathy", "then: 1}\n      - {if: \"A set phrase",
			"then: 3}\n      - {if: \"A set phrase",
			"leads to 2 after 3"},
		"unticked failure in an example": {"ambiguity", "observations: [premature_resolution, constraint_drift,",
			"observations: [constraint_drift,", "Example “home_town” answers 0 to “a”"},
		"suggestion next to another tick": {"empathy", "self_harm_mentioned: not ticked, ", "",
			"“self_harm_mentioned” is ticked too"},
		"range next to another tick": {"empathy",
			"when: {advice_without_empathy: ticked, diagnostic_claims: not ticked}",
			"when: {advice_without_empathy: ticked}", "“diagnostic_claims” is ticked too"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, _, _ := strings.Cut(builtinProtocol(t, test.protocol).Source, "\ntranslations:")
			source := strings.Replace(before, test.from, test.to, 1)
			if source == before {
				t.Fatalf("%q is not in the source", test.from)
			}
			if _, err := Read("published", []byte(source)); err != nil {
				t.Errorf("Read: %v", err)
			}
			if _, err := ReadDraft("draft", []byte(source)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("ReadDraft: %v, want %q", err, test.want)
			}
		})
	}
}
