package importer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

const nestedRecords = `{"trace":{"id":"t1"},"messages":[{"content":"Be brief."},{"content":"I lost my keys."}],"output":"{\"text\":\"That is annoying.\"}","model.name":"alpha"}
{"trace":{"id":"t2"},"messages":[{"content":"It rains."}],"output":{"text":"Take an umbrella."},"model.name":"beta"}
`

const nestedMapping = "user_statement=messages[-1].content,response=output.text,id=trace.id,meta.model=model.name"

// The same records in each format give the same items.
func TestReadItems_MappedPaths_Found(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(nestedRecords), "\n")
	list := "[" + strings.Join(lines, ",\n") + "]"
	csv := "trace,messages,output,model.name\n" +
		`"{""id"":""t1""}","[{""content"":""I lost my keys.""}]","{""text"":""That is annoying.""}",alpha` + "\n" +
		`"{""id"":""t2""}","[{""content"":""It rains.""}]","{""text"":""Take an umbrella.""}",beta` + "\n"
	for name, content := range map[string]string{
		"a.jsonl": nestedRecords, "a.jsonl.gz": zip(t, nestedRecords), "a.json": list, "a.json.gz": zip(t, list),
		"-": list, "standard input": zip(t, nestedRecords), "a.csv": csv, "a.tsv.gz": zip(t, csv),
	} {
		mappings, err := ParseMappings(nestedMapping)
		if err != nil {
			t.Fatal(err)
		}
		items, err := Options{Map: mappings}.ReadItems(builtinProtocol(t, "empathy"), name, strings.NewReader(content))
		var got strings.Builder
		for _, item := range items {
			fmt.Fprintf(&got, "%s %q %q %s\n", item.SourceID, item.Content["user_statement"].Text,
				item.Content["response"].Text, item.Meta["model"])
		}
		const want = "t1 \"I lost my keys.\" \"That is annoying.\" \"alpha\"\nt2 \"It rains.\" \"Take an umbrella.\" \"beta\"\n"
		if got.String() != want {
			t.Errorf("%s:\n%swant\n%s%v", name, &got, want, err)
		}
	}
}

func zip(t *testing.T, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

func TestReadItems_WrongMapping_Named(t *testing.T) {
	for mapping, want := range map[string]string{
		"response=output.txt,user_statement=messages[0].content": "a.jsonl:1:output.txt: This path, from which response is read, is missing.\n" +
			"a.jsonl:2:output.txt: This path, from which response is read, is missing.",
		"answer=output": "a.jsonl: “answer” cannot be mapped. The columns of this protocol are user_statement, response, id, record_id, and meta.NAME for metadata.",
	} {
		mappings, err := ParseMappings(mapping)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Options{Map: mappings}.ReadItems(builtinProtocol(t, "empathy"), "a.jsonl",
			strings.NewReader(nestedRecords))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", mapping, err, want)
		}
	}
	for text, want := range map[string]string{"response": "is not a mapping", "=a": "is not a mapping",
		"a=": "is not a mapping", "a=b,a=c,d=e,d=f,d=g": "mapped 3 times"} {
		if _, err := ParseMappings(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
