package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
)

// TestLedger_RealItems_AccountsForEachValueOnce compares the ledger of real files with the values that they
// have by key, and the values of keys with one fate with what the items hold.
func TestLedger_RealItems_AccountsForEachValueOnce(t *testing.T) {
	for _, c := range []struct{ file, protocol string }{
		{"empathy.csv", "empathy"}, {"ambiguity.jsonl", "ambiguity"},
		{"rag.jsonl", "rag-retrieval"}, {"rag.jsonl", "rag-grounding"}, {"rag.jsonl", "rag-generation"},
		{"rag_en_zh.jsonl", "rag-retrieval"}, {"rag_en_zh.jsonl", "rag-grounding"},
		{"rag_en_zh.jsonl", "rag-generation"},
	} {
		for _, preset := range []Preset{"", PresetHuggingFace} {
			t.Run(fmt.Sprintf("%s of %s, preset %q", c.protocol, c.file, preset), func(t *testing.T) {
				t.Parallel()
				checkFileLedger(t, c.protocol, c.file, require.SharedFile(t, "items", c.file), Options{Preset: preset})
			})
		}
	}
}

func checkFileLedger(t *testing.T, protocolKey, name string, content []byte, o Options) {
	t.Helper()
	ledger := NewLedger()
	o.Ledger = ledger
	held := holdings{content: map[string]bool{}, ids: map[string]bool{}, meta: map[string]bool{}}
	count := 0
	err := o.ScanItems(t.Context(), builtinProtocol(t, protocolKey), name, bytes.NewReader(content),
		func(item project.Item) error {
			count++
			held.addItem(t, item)
			return nil
		})
	if err != nil || count == 0 {
		t.Fatalf("%d items, %v", count, err)
	}
	want := map[string][]string{} // the values by key
	for _, record := range fileRecords(t, name, content) {
		walk(record, "", func(path string, leaf any) { want[path] = append(want[path], fmt.Sprint(leaf)) })
	}
	for _, k := range ledger.Keys {
		values := want[k.Key]
		if got := k.Shown + k.IDs + k.Metadata + k.LeftOut; got != len(values) {
			t.Errorf("%s: %d values in the ledger, %d in the file", k.Key, got, len(values))
		}
		for _, value := range values {
			isShown := held.content["rank"+value] || strings.HasSuffix(k.Key, "role")
			if !isShown { // a context set can be one text
				isShown = !slices.ContainsFunc(strings.Split(value, chunkSeparator), func(text string) bool {
					return !held.content[text]
				})
			}
			switch {
			case k.Shown == len(values) && !isShown, k.IDs == len(values) && !held.ids[value],
				k.Metadata == len(values) && !held.meta[value]:
				t.Errorf("%+v: no item has %q", k, value)
				return
			}
		}
		delete(want, k.Key)
	}
	for key := range want {
		t.Errorf("%s is not in the ledger", key)
	}
}

// fileRecords returns the records of a file as other readers read them.
func fileRecords(t *testing.T, name string, content []byte) (records []any) {
	t.Helper()
	if strings.HasSuffix(name, ".csv") {
		rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			record := map[string]any{}
			for i, cell := range row {
				record[rows[0][i]] = cell
			}
			records = append(records, record)
		}
		return records
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	for {
		var record any
		if err := decoder.Decode(&record); errors.Is(err, io.EOF) {
			return records
		} else if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
}
