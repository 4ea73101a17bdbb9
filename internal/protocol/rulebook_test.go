package protocol

import (
	"encoding/json"
	"testing"
)

func TestRulebook_JSON(t *testing.T) {
	t.Parallel()
	p := Protocol{
		AllowsBetween: true,
		Facts:         []Fact{{Key: "long"}},
		Fields:        []Field{{Key: "a", Title: "Alpha", Scale: Scale{{Value: 0}, {Value: 1}}, OnlyWhen: "long"}},
		Observations:  []Observation{{Key: "seen"}},
		Rules: []Rule{{ID: "r", When: []Condition{{"seen", []int{1}}}, Then: []Condition{{"a", []int{0}}},
			Message: "No.", Line: 7}},
		Hints: []Hint{{ID: "h", When: []Condition{{"seen", []int{1}}}, Note: "seen"}},
	}
	rulebook := p.Rulebook()
	if rulebook.BlankChars != NoteBlankChars || rulebook.MaxNoteLength != MaxNoteLength {
		t.Errorf("note: got %q, %d", rulebook.BlankChars, rulebook.MaxNoteLength)
	}
	rulebook.BlankChars = " "
	got, err := json.Marshal(rulebook)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"fields":[{"key":"a","title":"Alpha","values":[0,1],"onlyWhen":"long"}],` +
		`"allowsBetween":true,"observations":["seen"],"facts":["long"],` +
		`"rules":[{"id":"r","when":[{"key":"seen","values":[1]}],"then":[{"key":"a","values":[0]}],"message":"No."},` +
		`{"id":"unsure_a","when":[{"key":"unsure_a","values":[1]}],"then":[{"key":"a","values":[0]}],` +
		`"message":"1 is the highest value. Choose the lower of the two values, or clear “between two values”."}],` +
		`"hints":[{"id":"h","when":[{"key":"seen","values":[1]}],"suggestions":[],"note":"seen","message":""}],` +
		`"filledNotes":[{"id":"h","when":[{"key":"seen","values":[1]}],"suggestions":[],"note":"seen","message":""}],` +
		`"blankChars":" ","maxNoteLength":4000,"messages":{"missing":"Choose an answer.",` +
		`"notApplicable":"This question does not apply to this item. Clear the answer.",` +
		`"offScale":"Choose one of the listed answers.",` +
		`"unknownKey":"“%s” is not part of this form. Reload the page.",` +
		`"noteTooLong":"The note is longer than 4,000 characters. Shorten it."}}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRulebook_EmptyProtocol_NoNulls(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(Protocol{}.Rulebook().Rules)
	if err != nil || string(got) != "[]" {
		t.Errorf("got %s, %v; want []", got, err)
	}
}
