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
		"no change":               {"", "", false, nil},
		"comment and blank line":  {"rules:\n", "# All of them.\n\nrules:\n", false, nil},
		"order of conditions":     {"{funny: ticked, rude: not ticked}", "{rude: not ticked, funny: ticked}", false, nil},
		"version number only":     {"version: 2", "version: 3", false, nil},
		"summary":                 {"in few lines", "in a few lines", false, []string{"The title or summary changed."}},
		"anchor":                  {"1: Harsh", "1: Rough", false, []string{"The wording or order of the fields changed."}},
		"message of a rule":       {"is harsh.", "is rough.", false, []string{"The wording or order of the rules changed."}},
		"hint":                    {"note: rude", "note: very rude", false, []string{"The hints changed."}},
		"session plan":            {"calibration: 2", "calibration: 3", false, []string{"The session plan changed."}},
		"added point":             {"3: All the way}", "3: All the way, 4: Beyond}", true, []string{"Field “depth” changed."}},
		"field without condition": {"    only when: long\n", "", true, []string{"Field “depth” changed."}},
		"stricter rule":           {"then: {tone: 2..3}", "then: {tone: 3}", true, []string{"Rule “funny_is_kind” changed."}},
		"renamed rule":            {"id: rude_is_harsh", "id: rude_is_one", true, []string{"Rule “rude_is_one” was added.", "Rule “rude_is_harsh” was removed."}},
		"fact with more turns":    {"at least: 2", "at least: 3", true, []string{"Fact “long” changed."}},
		"added observation": {"observations:\n", "observations:\n  - {key: dull, title: Dull, subject: the reply, guidance: D.}\n", true,
			[]string{"Observation “dull” was added."}},
		"changed verdict":    {"any: [3]", "any: [2]", true, []string{"Verdict “fine” changed."}},
		"between two values": {"between: no", "between: yes", true, []string{"Answering between two values is now allowed."}},
		"renamed part":       {"key: source", "key: origin", true, []string{"Part “origin” was added.", "Part “source” was removed."}},
		"renamed protocol":   {"protocol: small", "protocol: tiny", true, []string{"The protocol key changed from small to tiny."}},
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
