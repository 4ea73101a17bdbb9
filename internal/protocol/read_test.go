package protocol

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var updateGolden = flag.Bool("update", false, "write the golden files")

func readSmall(t testing.TB) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "small.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

func TestRead_AllKeys(t *testing.T) {
	t.Parallel()
	source := readSmall(t)
	got, err := Read("small.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	rude, funny, note := Condition{"rude", []int{1}}, Condition{"funny", []int{1}}, []Condition{{NoteKey, []int{1}}}
	want := Protocol{
		Key: "small", Version: 2, Revision: 1, Title: "A small protocol",
		Summary: "Everything that a definition may hold, in few lines.", Language: "en",
		Unit: Unit{Noun: "a reply", IDColumn: "reply_id", Parts: []Part{
			{Key: "turns", Title: "Turns", Kind: PartConversation, Format: FormatMarkdown, Judged: true},
			{Key: "source", Title: "Source", Kind: PartText, Supporting: true},
		}},
		Facts: []Fact{{"long", "Long", "turns", "assistant", 2}},
		Fields: []Field{{
			Key: "tone", Title: "Tone", Question: "How does it sound?",
			Scale:  Scale{{1, "", "Harsh"}, {2, "", "Plain"}, {3, "Good", "Kind"}},
			Reward: []string{"Patience"}, Penalize: []string{"Haste"},
			DecisionTree: []Branch{{"It snaps", "1"}}, Boundaries: []string{"2 or 3? Ask a friend."},
		}, {
			Key: "depth", Title: "Depth", Question: "How far does it go?", OnlyWhen: "long",
			Scale: Scale{{1, "", "Nowhere"}, {2, "", "Half way"}, {3, "", "All the way"}},
		}},
		Observations: []Observation{
			{"rude", "Rude", "the reply", "Tone is 1."},
			{"funny", "Funny", "the reply", "Tone is 3."},
		},
		Rules: []Rule{
			{"rude_is_harsh", []Condition{rude}, []Condition{{"tone", []int{1}}}, "What is rude is harsh.", 37},
			{"funny_is_kind", []Condition{funny, {"rude", []int{0}}}, []Condition{{"tone", []int{2, 3}}},
				"What is funny is not harsh.", 41},
			{"note_on_tone", []Condition{{"tone", []int{1, 3}}}, note, "Please say why tone is a 1 or a 3.", 45},
			{"note_on_depth", []Condition{{"depth", []int{1, 3}}}, note, "Please say why depth is a 1 or a 3.", 45},
		},
		Hints: []Hint{{"rude_note", []Condition{rude}, []Condition{{"tone", []int{1}}}, "rude", false,
			"Quote it.", nil}},
		Verdicts: []VerdictRule{{"fine", "Fine", []int{3}, []int{1}, []int{2, 3}}},
		Guide:    []Section{{"how", "How", []string{"Read it twice."}, []string{"Then judge."}}},
		Examples: []Example{{"snap", "A snap", []ExamplePart{{"turns", "", []ExampleTurn{{"assistant", "No."},
			{"assistant", "Never."}, {"assistant", "Stop."}}, nil}},
			Answers{map[string]int{"tone": 1, "depth": 2}, []string{"rude"}, nil, "rude, and nothing else"},
			[]ExampleReason{{"tone", 1, 2, "A plain no would have a reason."}}}},
		Plan:   SessionPlan{2, 1, 10, 1, 20, 40, 0.4, "Some replies are rude."},
		Source: source,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRead_Language_IsTag(t *testing.T) {
	t.Parallel()
	for language, wantErr := range map[string]bool{"de-AT": false, "Deutsch": true, "e": true} {
		p, err := Read("small.yaml", []byte(strings.Replace(readSmall(t), "summary:", "language: "+language+
			"\nsummary:", 1)))
		if (err != nil) != wantErr || err == nil && p.Language != language {
			t.Errorf("%s: %q, %v", language, p.Language, err)
		}
	}
}

func TestRead_InvalidDefinitions_MatchGolden(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, test := range invalidCases(t) {
		_, err := Read("bad.yaml", []byte(test.source))
		errs, ok := errors.AsType[DefinitionErrors](err)
		if !ok || len(errs) == 0 {
			t.Errorf("%s: accepted (%v)", test.name, err)
		}
		fmt.Fprintf(&got, "%s\n%s\n\n", test.name, errs.Error())
	}
	compareGolden(t, "errors.golden", got.String())
}

// compareGolden compares got with a file of testdata, or writes it under -update.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRead_EditorVariants_SameResult(t *testing.T) {
	t.Parallel()
	plain, err := Read("small.yaml", []byte(readSmall(t)))
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{
		"Windows line endings": strings.ReplaceAll(readSmall(t), "\n", "\r\n"),
		"byte order mark":      "\ufeff" + readSmall(t),
		"document marks":       "---\n" + readSmall(t) + "...\n",
		"no final line ending": strings.TrimSuffix(readSmall(t), "\n"),
		"wrapped text": strings.Replace(readSmall(t), "title: A small protocol",
			"title: A small\n  protocol", 1),
	} {
		got, err := Read("small.yaml", []byte(source))
		got.Source = plain.Source
		if fixed, texts := Diff(plain, got); err != nil || fixed != nil || texts != nil {
			t.Errorf("%s: %v, %v, %v", name, err, fixed, texts)
		}
	}
}

func TestRead_ReservedKey_IsRefused(t *testing.T) {
	t.Parallel()
	for _, element := range []string{"source", "long", "depth", "funny"} {
		reserved := columnNames
		if element == "depth" {
			reserved = ReservedKeys()
		}
		for _, key := range reserved {
			_, err := Read("small.yaml", []byte(strings.Replace(readSmall(t), "key: "+element, "key: "+key, 1)))
			if err == nil || !strings.Contains(err.Error(), "“"+key+"” is reserved") {
				t.Errorf("%s in place of %s: %v", key, element, err)
			}
		}
	}
	if _, err := Read("small.yaml", []byte(strings.Replace(readSmall(t), "key: source", "key: comment",
		1))); err != nil {
		t.Errorf("a part named comment: %v", err)
	}
}

func TestRead_ExclusiveFacts_NoDeadEnd(t *testing.T) {
	t.Parallel()
	source := strings.Replace(readSmall(t), "fields:\n",
		`  - {key: longer, title: Longer, part: turns, role: assistant, at least: 3}
fields:
`, 1)
	source = strings.Replace(source, "hints:\n",
		`  - {id: never_1, when: {longer: yes, long: no, rude: ticked}, then: {tone: 3}, message: Never.}
hints:
`, 1)
	_, err := Read("x.yaml", []byte(source))
	if err == nil || !strings.Contains(err.Error(), "“never_1” can never apply") ||
		strings.Contains(err.Error(), "Dead end") {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, p := range Builtin() {
		f.Add([]byte(p.Source))
	}
	f.Add([]byte(readSmall(f)))
	for _, test := range invalidCases(f) {
		if len(test.source) < 1<<14 {
			f.Add([]byte(test.source))
		}
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		started := time.Now()
		p, err := Read("fuzz.yaml", source)
		if elapsed := time.Since(started); elapsed > 20*time.Second {
			t.Errorf("it took %s", elapsed)
		}
		errs, ok := errors.AsType[DefinitionErrors](err)
		if err != nil && (!ok || len(errs) == 0) {
			t.Errorf("error without details: %v", err)
		}
		if err == nil && (p.Source != string(source) || len(p.Fields) == 0) {
			t.Errorf("accepted but incomplete: %+v", p)
		}
		for _, e := range errs {
			if e.Line < 1 || e.Message == "" || strings.Contains(e.Message, "%!") &&
				!bytes.Contains(source, []byte("%!")) {
				t.Errorf("unusable error: %+v", e)
			}
		}
	})
}
