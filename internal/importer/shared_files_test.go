package importer

import (
	"bytes"
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

// builtinProtocol returns the built-in protocol with this key.
func builtinProtocol(t testing.TB, key string) protocol.Protocol {
	t.Helper()
	for _, p := range protocol.Builtin() {
		if p.Key == key {
			return p
		}
	}
	t.Fatalf("no built-in protocol %s", key)
	return protocol.Protocol{}
}

func TestSharedFiles_ItemCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, protocol string
		items          int
	}{
		{"empathy.csv", "empathy", 340},
		{"ambiguity.jsonl", "ambiguity", 89},
		{"rag.jsonl", "rag-retrieval", 1033},
		{"rag.jsonl", "rag-grounding", 240},
		{"rag.jsonl", "rag-generation", 240},
		{"rag_en_zh.jsonl", "rag-retrieval", 1122},
		{"rag_en_zh.jsonl", "rag-grounding", 200},
	} {
		t.Run(c.protocol+" of "+c.file, func(t *testing.T) {
			t.Parallel()
			items, err := ReadItems(builtinProtocol(t, c.protocol), c.file,
				bytes.NewReader(require.SharedFile(t, "items", c.file)))
			if err != nil || len(items) != c.items {
				t.Fatalf("got %d items, %v; want %d", len(items), err, c.items)
			}
		})
	}
}

func TestSharedFiles_SameRecordIDs(t *testing.T) {
	t.Parallel()
	file := require.SharedFile(t, "items", "rag.jsonl")
	recordIDs := func(key string) map[string]bool {
		items, err := ReadItems(builtinProtocol(t, key), "rag.jsonl", bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, item := range items {
			ids[item.RecordID] = true
		}
		return ids
	}
	retrieval, grounding, generation := recordIDs("rag-retrieval"), recordIDs("rag-grounding"),
		recordIDs("rag-generation")
	if len(retrieval) != 240 || len(grounding) != 240 || len(generation) != 240 {
		t.Fatalf("got %d, %d and %d records; want 240 each", len(retrieval), len(grounding), len(generation))
	}
	for id := range retrieval {
		if !grounding[id] || !generation[id] {
			t.Errorf("record %s is not in all three", id)
		}
	}
}

func TestSharedFiles_ContextSets(t *testing.T) {
	t.Parallel()
	items, err := ReadItems(builtinProtocol(t, "rag-grounding"), "rag.jsonl",
		bytes.NewReader(require.SharedFile(t, "items", "rag.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		for i, p := range item.Content["context_set"].Chunks {
			if p.ID == "" || p.Source == "" || p.Rank != i+1 {
				t.Fatalf("%s: text %d is not matched to a chunk: %+v", item.SourceID, i+1, p)
			}
		}
	}
}

// Chunks without a text are data. That nothing of them is in the context set is a contradiction.
func TestSharedFiles_EmptyContextSet(t *testing.T) {
	t.Parallel()
	file := require.SharedFile(t, "items", "rag_must_reject.jsonl")
	for _, key := range []string{"rag-retrieval", "rag-grounding", "rag-generation"} {
		items, err := ReadItems(builtinProtocol(t, key), "rag_must_reject.jsonl", bytes.NewReader(file))
		errs, ok := errors.AsType[FileErrors](err)
		if !ok || items != nil || len(errs) != 12 {
			t.Fatalf("%s: got %d items, %v; want 12 errors only", key, len(items), err)
		}
		for i, f := range errs {
			if f.Row != i+1 || f.Column != "context_set" {
				t.Errorf("%s: error %d is %v, want one of the context set", key, i+1, f)
			}
		}
	}
}
