package protocol

import (
	"slices"
	"strings"
	"testing"
)

// Every text of a translated protocol has a German form, and nothing else of it differs: each
// text that is left out is named, and so is a code that is translated.
func TestRead_Translation_IsComplete(t *testing.T) {
	t.Parallel()
	for _, p := range Builtin() {
		if _, isTranslated := p.Translations["de"]; !isTranslated {
			t.Fatalf("%s has no German translation", p.Key)
		}
		start := strings.Index(p.Source, "\n  de:\n")
		block := strings.Split(strings.TrimSuffix(p.Source[start+1:], "\n"), "\n")
		for i, line := range block[1:] {
			key, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if text == "" || strings.HasPrefix(text, "{") || strings.Contains(line, "- ") {
				continue
			}
			without := strings.Join(append(append([]string{}, block[:i+1]...), block[i+2:]...), "\n")
			_, err := Read("test.yaml", []byte(p.Source[:start+1]+without+"\n"))
			if err == nil || !strings.Contains(err.Error(), "lacks") || !strings.Contains(err.Error(), key) {
				t.Errorf("%s without %q: %v", p.Key, line, err)
			}
		}
		for i, e := range p.In("de").Examples {
			if e.Title == p.Examples[i].Title {
				t.Errorf("%s: the example %s is not translated", p.Key, e.Key)
			}
		}
		if fixed, _ := Diff(p, p.In("de")); !onlyTexts(fixed) {
			t.Errorf("%s: the translation changes %q", p.Key, fixed)
		}
	}
}

// onlyTexts reports whether differences are of anchors, messages and notes of hints, which a translation has.
func onlyTexts(fixed []string) bool {
	for _, f := range fixed {
		if !strings.HasPrefix(f, "The field “") && !strings.HasPrefix(f, "The rule “") &&
			!strings.HasPrefix(f, "The hint “") ||
			!strings.HasSuffix(f, "changed.") {
			return false
		}
	}
	return true
}

func TestIn_Translation_KeepsSourceAndOtherWarnings(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "empathy")
	german := p.In("de")
	if german.Source != p.Source || german.Language != "de" || p.In("fr").Language != "en" {
		t.Errorf("in %s and %s, source %t", german.Language, p.In("fr").Language, german.Source == p.Source)
	}
	for warning, want := range map[string]string{p.Plan.ContentWarning: german.Plan.ContentWarning, "Ours.": "Ours."} {
		if got := p.TranslateWarning(warning, "de"); got != want {
			t.Errorf("%q: got %q, want %q", warning, got, want)
		}
	}
}

func TestSplitCommonMessage_OfTheHighestValue(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "ambiguity")
	rules := p.AllRules()
	if _, argument, ok := SplitCommonMessage(rules[len(rules)-1].Message); !ok || argument != "2" {
		t.Errorf("got %q, %v", argument, ok)
	}
	if _, _, ok := SplitCommonMessage(p.Rules[0].Message); ok {
		t.Error("a message of the protocol is not common")
	}
}

// What a hint filled in is no written note, in whichever language annotators got it, and a note in
// another language is a new version.
func TestIn_NoteOfHint_CountsAsFilledInEachLanguage(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "empathy")
	for _, in := range []Protocol{p, p.In("de")} {
		for note, isOwn := range map[string]bool{"truncated": false, "abgeschnitten": false,
			"abgeschnitten, leider": true} {
			a := Answers{Values: map[string]int{"emotion": 1}, Observations: []string{"truncated"}, Note: note}
			isRefused := slices.ContainsFunc(in.Check(nil, a), func(p Problem) bool {
				return p.Rule == "note_on_extreme_emotion"
			})
			if isRefused == isOwn {
				t.Errorf("%s, %q: refused %t", in.Language, note, isRefused)
			}
		}
	}
	if note := p.In("de").Rulebook().Hints[2].Note; note != "abgeschnitten" {
		t.Errorf("filled in: %q", note)
	}
	other, err := Read("test.yaml", []byte(strings.Replace(p.Source, `"abgeschnitten"`, `"bricht ab"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if fixed, _ := Diff(p, other); len(fixed) != 1 {
		t.Errorf("got %q", fixed)
	}
}
