package importer

import (
	"encoding/json"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

const twoChunks = `"query":"Why?","answer":"So.","chunks":[` +
	`{"chunk_id":"c1","doc_id":"http://d/1","chunk_rank":1,"text":"one","score":0.5},` +
	`{"chunk_id":"c2","chunk_rank":2,"text":"two"}],"language":"en","context_set":`

func TestReadItems_Record_PerChunk(t *testing.T) {
	t.Parallel()
	checkEqual(t, readValidItems(t, "rag-retrieval", "a.jsonl", `{"record_id":"r",`+twoChunks+`"one[CTX_SEP]two"}`),
		[]project.Item{
			{
				SourceID: "r#c1", RecordID: "r",
				Content: project.Content{"query": {Text: "Why?"}, "answer": {Text: "So."},
					"chunk": {Chunks: []project.Chunk{{ID: "c1", Source: "http://d/1", Rank: 1, Text: "one"}}}},
				Facts: protocol.Facts{},
				Meta: map[string]json.RawMessage{"language": json.RawMessage(`"en"`),
					"chunk.score": json.RawMessage(`0.5`)},
				Row: 1,
			},
			{
				SourceID: "r#c2", RecordID: "r",
				Content: project.Content{"query": {Text: "Why?"}, "answer": {Text: "So."},
					"chunk": {Chunks: []project.Chunk{{ID: "c2", Rank: 2, Text: "two"}}}},
				Facts: protocol.Facts{},
				Meta:  map[string]json.RawMessage{"language": json.RawMessage(`"en"`)},
				Row:   1,
			},
		})
}

func TestReadItems_ContextSet(t *testing.T) {
	t.Parallel()
	chunks := []project.Chunk{{ID: "c1", Source: "http://d/1", Rank: 1, Text: "one"}, {ID: "c2", Rank: 2, Text: "two"}}
	for name, c := range map[string]struct {
		set  string
		want []project.Chunk
	}{
		"one text":       {`"one[CTX_SEP]two"`, chunks},
		"list of texts":  {`["one","two"]`, chunks},
		"list of chunks": {`[{"text":"one"},{"text":"two"}]`, chunks},
		"another order":  {`"two[CTX_SEP]one"`, []project.Chunk{{Text: "two"}, {Text: "one"}}},
		"other spaces":   {`"one [CTX_SEP] two"`, []project.Chunk{{Text: "one "}, {Text: " two"}}},
		"other text":     {`"three"`, []project.Chunk{{Text: "three"}}},
		"chunks of its own": {`[{"text":"x","chunk_id":"c9","chunk_rank":4}]`,
			[]project.Chunk{{ID: "c9", Rank: 4, Text: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range []string{"rag-grounding", "rag-generation"} {
				items := readValidItems(t, p, "a.jsonl", `{"id":"i",`+twoChunks+c.set+`}`)
				checkEqual(t, items[0].Content["context_set"].Chunks, c.want)
				checkEqual(t, []string{items[0].SourceID, items[0].RecordID, string(items[0].Meta["chunks[1].score"])},
					[]string{"i", "i", "0.5"})
			}
		})
	}
}

func TestReadItems_RecordWithoutChunksOrContext(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rest  string
		items map[string]int
	}{
		"no chunks": {`"chunks":[]`, map[string]int{"rag-generation": 1, "rag-grounding": 1,
			"rag-retrieval": 0}},
		"null chunks": {`"chunks":null,"context_set":""`, map[string]int{"rag-generation": 1,
			"rag-grounding": 1, "rag-retrieval": 0}},
		"context only": {`"chunks":[],"context_set":["one"]`, map[string]int{"rag-generation": 1,
			"rag-grounding": 1, "rag-retrieval": 0}},
		"chunks are the context": {`"chunks":[{"chunk_id":"c","chunk_rank":1,"text":"one"}]`,
			map[string]int{"rag-generation": 1, "rag-grounding": 1, "rag-retrieval": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := `{"record_id":"full","query":"How?",` + twoChunks[len(`"query":"Why?",`):] + `"one"}` + "\n"
			for key, want := range c.items {
				var ids []string
				for _, item := range readValidItems(t, key, "a.jsonl", full+
					`{"record_id":"r","query":"Why?","answer":"So.",`+c.rest+`}`) {
					if item.RecordID == "r" {
						ids = append(ids, item.SourceID)
						if chunks := item.Content["context_set"].Chunks; key != "rag-retrieval" &&
							name != "no chunks" && name != "null chunks" && (len(chunks) != 1 ||
							chunks[0].Text != "one") {
							t.Errorf("%s: context set %v", key, chunks)
						}
					}
				}
				if len(ids) != want {
					t.Errorf("%s: items %q, want %d", key, ids, want)
				}
			}
		})
	}
}

func TestReadItems_RAGWithoutChunks(t *testing.T) {
	t.Parallel()
	want := project.Content{"query": {Text: "Why?"}, "chunk": {Chunks: []project.Chunk{{ID: "c", Source: "d", Rank: 3,
		Text: "one"}}}}
	for name, file := range map[string]string{
		"a.csv":   "query,chunk,answer,doc_id,chunk_id,chunk_rank\nWhy?,one,,d,c,3\n",
		"a.jsonl": `{"query":"Why?","chunk":"one","answer":null,"doc_id":"d","chunk_id":"c","chunk_rank":3}`,
		"b.jsonl": `{"query":"Why?","chunk":{"text":"one","doc_id":"d","chunk_id":"c","chunk_rank":3}}`,
	} {
		items := readValidItems(t, "rag-retrieval", name, file)
		checkEqual(t, items[0].Content, want)
	}
	items := readValidItems(t, "rag-retrieval", "a.csv", "query,chunk,chunk_id,doc_id,chunk_rank\nWhy?,one,,,\n")
	checkEqual(t, items[0].Content["chunk"].Chunks, []project.Chunk{{Text: "one"}})
	items = readValidItems(t, "rag-retrieval", "a.csv", "query,chunk\nWhy?,one\nWhy?,two\nHow?,one\n")
	if items[0].RecordID == "" || items[0].RecordID != items[1].RecordID || items[0].RecordID == items[2].RecordID {
		t.Errorf("chunks of one query must share a record id: %q, %q, %q", items[0].RecordID, items[1].RecordID,
			items[2].RecordID)
	}
	items = readValidItems(t, "rag-grounding", "a.jsonl", `{"answer":"So.","context_set":["one","two"]}`)
	checkEqual(t, items[0].Content["context_set"].Chunks, []project.Chunk{{Text: "one"}, {Text: "two"}})
}
