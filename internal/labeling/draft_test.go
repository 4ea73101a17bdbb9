package labeling

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseFilledIn_RoundTrip(t *testing.T) {
	t.Parallel()
	const text = `{"answers":{"helpful":[{"value":0,"before":{"value":1,"isUnsure":false},"source":"empty","title":"Empty"},{"value":1,"before":{"isUnsure":true},"source":""}]},"notes":[{"source":"empty","text":"a","before":"","after":"a"}]}`
	encoded, err := json.Marshal(ParseFilledIn(text))
	if err != nil || string(encoded) != text {
		t.Errorf("%s, %v", encoded, err)
	}
}

func TestParseFilledIn_Malformed_IsDropped(t *testing.T) {
	t.Parallel()
	note := func(text string) string { return `{"notes":[{"text":"` + text + `"}]}` }
	for _, text := range []string{"", "{}", "null", "[1]", "{", `{"answers":{"a":1}}`, note(`\u0000`),
		note(strings.Repeat("a", maxFilledInBytes))} {
		if f := ParseFilledIn(text); f != nil {
			t.Errorf("%.20q = %+v", text, f)
		}
	}
	if ParseFilledIn(note("a")) == nil {
		t.Error("a note is dropped")
	}
}
