package plaintext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/plaintext"
)

func TestHasControl_Text(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "Pilot 2 – ünï 😀": false, "می\u200cخواهم": false, "ab": false,
		"a\x00b": true, "a\nb": true, "a\tb": true, "\x1b[31mred": true, "a\x7f": true, "a\u009bb": true,
		"a\u202eb": true, "a\u2066b": true, "a\u2028b": true,
		"a\xffb": true, "a\xc0\x80b": true, "a\xed\xa0\x80b": true,
	} {
		if got := plaintext.HasControl(text); got != want {
			t.Errorf("HasControl(%q) = %v", text, got)
		}
	}
}

func TestCanStore_Text(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": true, "a\n\x1b\u202e": true, "\ufffd": true, "\x00": false,
		"\xff": false, "\xc0\xaf": false, "\xed\xa0\x80": false} {
		if got := plaintext.CanStore("a", text); got != want {
			t.Errorf("CanStore(%q) = %v", text, got)
		}
	}
}

func TestWriter_Controls_Escaped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\r\nnext\n": "plain\ttext\r\nnext\n", "\x1b[2J": `\u001b[2J`, "a\rb": `a\u000db`,
		"a\u009bb\u202ec": `a\u009bb\u202ec`, "\x00\x7f": `\u0000\u007f`,
		"a\x9bb": "a\ufffdb", "ünï 😀": "ünï 😀",
	} {
		var whole, split strings.Builder
		_, _ = plaintext.NewWriter(&whole).Write([]byte(text))
		if whole.String() != want {
			t.Errorf("%q is written as %q, want %q", text, whole.String(), want)
		}
		if strings.Contains(text, "\r\n") { // a pair that is split is two line ends
			continue
		}
		w := plaintext.NewWriter(&split)
		for i := range len(text) {
			if n, err := w.Write([]byte(text[i : i+1])); n != 1 || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		if split.String() != want {
			t.Errorf("%q is written byte by byte as %q, want %q", text, split.String(), want)
		}
	}
}

// JSON stays the same JSON.
func TestWriter_JSON_Unchanged(t *testing.T) {
	t.Parallel()
	const want = "a\x1b\u009b\u202e\u2028\x7f😀"
	var out strings.Builder
	if err := json.NewEncoder(plaintext.NewWriter(&out)).Encode(want); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil || got != want ||
		plaintext.HasControl(strings.TrimSpace(out.String())) {
		t.Errorf("%q became %q, %v", want, out.String(), err)
	}
}

func TestCheckJSON_Body(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"a":[{"b":"\ud83d\ude00 \\ud800 é"},{"b":1}],"c":"a\u0001"}`: "",
		`not JSON`: "", `{"a":`: "", `{"a":1}{"a":1}`: "", ``: "", `[]`: "",
		`{"a":{"b":1,"b":2}}`:        `the key at "/a/b" is there twice; keep one of the two`,
		`[1,"\ud83d"]`:               `the text at "/1" has the escape \ud83d, which is half of a character; send the whole character`,
		`{"\udc00":1}`:               `the text at "/�" has the escape \udc00, which is half of a character; send the whole character`,
		"{\"a\":\"\xff\"}":           `the text at "/a" is not UTF-8; send it as UTF-8`,
		`{"a":{"b":["x","\u0000"]}}`: `the text at "/a/b/1" has a null character; remove it`,
	} {
		got := ""
		if err := plaintext.CheckJSON([]byte(body)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("CheckJSON(%s) = %q, want %q", body, got, want)
		}
	}
}
