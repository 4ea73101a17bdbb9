package audit_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/audit"
	"github.com/labelwright/labelwright/internal/locale"
)

var names = map[account.ID]string{1: "Ada", 2: "=Ben"}

func TestSentence_Actions_AreReadable(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]audit.Entry{
		"Ada added =Ben to pilot as lead.": {ActorID: 1, Action: "project.add_member",
			Subject: "project pilot", Detail: map[string]any{"account": 2.0, "role": "lead"}},
		"A command closed the batch first.": {Action: "batch.close", Subject: "batch pilot/first"},
		"Ada archived pilot: “It {actor} ended”.": {ActorID: 1, Action: "project.archive",
			Subject: "project pilot", Detail: map[string]any{"reason": "It {actor} ended."}},
		"Ada imported 1,033 items from a.csv into pilot.": {ActorID: 1, Action: "project.import_items",
			Subject: "project pilot", Detail: map[string]any{"items": 1033.0, "file": "a.csv"}},
		"Someone failed to sign in as =Ben.": {Action: "account.sign_in_failed",
			Subject: "account 2"},
		"Someone failed to sign in.": {Action: "account.sign_in_failed"},
		"Ada changed the account of =Ben. New role: lead. It is disabled.": {ActorID: 1, Action: "account.update",
			Subject: "account 2", Detail: map[string]any{"role": "lead", "disabled": true}},
		"a former user changed the account of =Ben. It is disabled.": {ActorID: 9, Action: "account.update",
			Subject: "account 2", Detail: map[string]any{"disabled": true}},
		"Ada: later.action, pilot.": {ActorID: 1, Action: "later.action",
			Subject: "project pilot"},
		"Ada published the protocol empathy v1.2.": {ActorID: 1, Action: "protocol.publish",
			Subject: "protocol empathy v1.2"},
		"Ada adjudicated 3 items from the file d.csv in pilot.": {ActorID: 1, Action: "project.adjudicate",
			Subject: "project pilot", Detail: map[string]any{"items": 3.0, "file": "d.csv"}},
		"Ada adjudicated the item i-1 in pilot.": {ActorID: 1, Action: "project.adjudicate",
			Subject: "project pilot", Detail: map[string]any{"item": "i-1", "decision": 1.0}},
	} {
		e.Names = names
		if got := e.Sentence(locale.English); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Every number that counts something has the right form of its noun, in the sentence of every action.
func TestSentence_Counts_HaveRightNouns(t *testing.T) {
	t.Parallel()
	detail := func(n float64) map[string]any {
		values := map[string]any{"api_token": "x", "account": 2.0}
		for _, text := range audit.Sentences(locale.English) {
			for _, name := range regexp.MustCompile(`\{([a-z_]+)`).FindAllStringSubmatch(text, -1) {
				if values[name[1]] == nil {
					values[name[1]] = n
				}
			}
		}
		return values
	}
	count := regexp.MustCompile(`\b[12] ((?:open |calibration )?(?:item|annotator|answer|row|label|batch|export)e?s?)\b`)
	counted := 0
	for action := range audit.Sentences(locale.English) {
		e := audit.Entry{ActorID: 1, Action: action, Subject: "batch pilot/first", Names: names, Detail: detail(1)}
		one := e.Sentence(locale.English)
		e.Detail = detail(2)
		two := e.Sentence(locale.English)
		for _, noun := range count.FindAllStringSubmatch(one, -1) {
			if counted++; strings.HasSuffix(noun[1], "s") {
				t.Errorf("%s: %q", action, one)
			}
		}
		for _, noun := range count.FindAllStringSubmatch(two, -1) {
			if !strings.HasSuffix(noun[1], "s") {
				t.Errorf("%s: %q", action, two)
			}
		}
	}
	if counted < 12 {
		t.Errorf("only %d numbers count something", counted)
	}
}

// A translation has the same names, optional parts and numbers with nouns as the sentence.
func TestSentences_German_SameParts(t *testing.T) {
	t.Parallel()
	part, noun := regexp.MustCompile(`\{[a-z_]+\|?|\[`), regexp.MustCompile(`\|[^|}]+\|[^|}]+\}`)
	parts := func(sentence string) []string {
		if strings.Count(sentence, "|") != 2*len(noun.FindAllString(sentence, -1)) {
			t.Errorf("%q: a number has a noun in the singular and the plural", sentence)
		}
		found := part.FindAllString(sentence, -1)
		slices.Sort(found)
		return found
	}
	german := audit.Sentences(locale.German)
	for action, sentence := range audit.Sentences(locale.English) {
		if want, got := parts(sentence), parts(german[action]); !slices.Equal(want, got) {
			t.Errorf("%s: %q, want %q", action, got, want)
		}
		if audit.ActionName(locale.German, action) == audit.ActionName(locale.English, action) {
			t.Errorf("%s has no name in German", action)
		}
	}
	e := audit.Entry{ActorID: 1, Action: "project.add_member", Subject: "project pilot", Names: names,
		Detail: map[string]any{"account": 2.0, "role": "lead"}}
	if got := e.Sentence(locale.German); got != "Ada hat =Ben mit der Rolle „Projektleitung“ zu pilot hinzugefügt." {
		t.Error(got)
	}
}

func TestParts_ReferToPages(t *testing.T) {
	t.Parallel()
	e := audit.Entry{ActorID: 1, Action: "calibration.override", Subject: "batch pilot/first",
		Detail: map[string]any{"account": 2.0}, Names: names}
	keys := map[audit.Kind]string{}
	for _, part := range e.Parts(locale.English) {
		keys[part.Kind] += part.Key + " "
	}
	if keys[audit.Account] != "1 2 " || keys[audit.Batch] != "pilot/first " {
		t.Errorf("keys = %v", keys)
	}
}

// A reason that ends with a full stop ends the sentence.
func TestSentence_ReasonIsSentence_OneFullStop(t *testing.T) {
	t.Parallel()
	e := audit.Entry{ActorID: 2, Action: "batch.archive", Subject: "batch pilot/first",
		Detail: map[string]any{"reason": "Not needed."}, Names: names}
	for l, want := range map[*locale.Locale]string{locale.English: "“Not needed”.", locale.German: "„Not needed“."} {
		if got := e.Sentence(l); !strings.Contains(got, want) || strings.Contains(got, "..") {
			t.Errorf("%q does not end with %q", got, want)
		}
	}
}

func TestWriter_CSV_EscapesFormulas(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	w, err := audit.NewWriter(&text, audit.CSV)
	if err != nil {
		t.Fatal(err)
	}
	e := audit.Entry{ID: 7, CreatedAt: time.Unix(0, 0), ActorID: 2, Action: "account.sign_in", Subject: "account 2",
		Detail: map[string]any{"a": 1}, Names: names}
	if err := w.Write(audit.NewRow(e)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "id,created_at,actor,action,subject,sentence\n7,1970-01-01T00:00:00Z,'=Ben,account.sign_in,account 2,'=Ben signed in.\n"
	if text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
}
