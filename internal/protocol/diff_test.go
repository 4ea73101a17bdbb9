package protocol

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff_VersionOrRevision(t *testing.T) {
	t.Parallel()
	source := readSmall(t)
	before, err := Read("small.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		from, to    string
		version     bool
		differences []string
	}{
		"nothing":                  {"", "", false, nil},
		"a comment and a line":     {"rules:\n", "# All of them.\n\nrules:\n", false, nil},
		"the order in a condition": {"{funny: ticked, rude: not ticked}", "{rude: not ticked, funny: ticked}", false, nil},
		"a version number alone":   {"version: 2", "version: 3", false, nil},
		"a summary":                {"in few lines", "in a few lines", false, []string{"Something differs in the title or summary."}},
		"an anchor":                {"1: Harsh", "1: Rough", false, []string{"Something differs in the wording or order of the fields."}},
		"a sentence of a rule":     {"is harsh.", "is rough.", false, []string{"Something differs in the wording or order of the rules."}},
		"a hint":                   {"note: rude", "note: very rude", false, []string{"Something differs in the hints."}},
		"the plan":                 {"calibration: 2", "calibration: 3", false, []string{"Something differs in the plan of a session."}},
		"a point more":             {"3: All the way}", "3: All the way, 4: Beyond}", true, []string{"Field “depth” has changed."}},
		"a field always asked":     {"    only when: long\n", "", true, []string{"Field “depth” has changed."}},
		"a rule that is stricter":  {"then: {tone: 2..3}", "then: {tone: 3}", true, []string{"Rule “funny_is_kind” has changed."}},
		"a rule under another id":  {"id: rude_is_harsh", "id: rude_is_one", true, []string{"Rule “rude_is_one” is new.", "Rule “rude_is_harsh” is gone."}},
		"a fact that counts more":  {"at least: 2", "at least: 3", true, []string{"Fact “long” has changed."}},
		"an observation more": {"observations:\n", "observations:\n  - {key: dull, title: Dull, about: the reply, says: D.}\n", true,
			[]string{"Observation “dull” is new."}},
		"another verdict":    {"any: [3]", "any: [2]", true, []string{"Verdict “fine” has changed."}},
		"between two points": {"between: no", "between: yes", true, []string{"Answering between two points is allowed now."}},
		"another part":       {"key: source", "key: origin", true, []string{"Part “origin” is new.", "Part “source” is gone."}},
		"another protocol":   {"protocol: small", "protocol: tiny", true, []string{"The protocol is tiny, and was small."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, err := Read("small.yaml", []byte(strings.Replace(source, test.from, test.to, 1)))
			if err != nil {
				t.Fatal(err)
			}
			needsNewVersion, differences := Diff(before, after)
			if diff := cmp.Diff(test.differences, differences); diff != "" || needsNewVersion != test.version {
				t.Errorf("version %v (-want +got)\n%s", needsNewVersion, diff)
			}
		})
	}
}
