package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A recordMaker makes records of which no text occurs twice, but for roles and types.
type recordMaker struct {
	*rand.Rand
	count int
}

func (m *recordMaker) text() string {
	m.count++
	return fmt.Sprintf("%s %d", []string{"a word", "Zwei,\nZeilen", `{"is": "JSON", "no": `, "<b>&amp;", "=1+1",
		"你好"}[m.IntN(6)], m.count)
}

func (m *recordMaker) name() string {
	m.count++
	return fmt.Sprintf("n%d", m.count)
}

// value returns any JSON value.
func (m *recordMaker) value(depth int) any {
	m.count++
	switch n := m.IntN(9); {
	case n == 0 && depth > 0:
		list := make([]any, 1+m.IntN(3))
		for i := range list {
			list[i] = m.value(depth - 1)
		}
		return list
	case n == 1 && depth > 0:
		object := m.object(depth - 1)
		object["key"] = m.text()
		return object
	case n == 2:
		return json.Number(fmt.Sprintf("%d.50", m.count))
	case n == 3:
		return json.Number(fmt.Sprintf("8007199254%06d", m.count))
	}
	return m.text()
}

// object returns an object with keys that have no meaning for items.
func (m *recordMaker) object(depth int) map[string]any {
	object := map[string]any{}
	for range m.IntN(4) {
		object[[]string{"topic", "model_name", "Response ", "score", "x.y", "", "lang[0]", "ID"}[m.IntN(8)]+
			strings.Repeat("'", m.IntN(2))] = m.value(depth)
	}
	return object
}

func (m *recordMaker) messages() []any {
	var list []any
	for i := range 1 + m.IntN(7) {
		message := map[string]any{"role": []string{"user", "assistant", "system"}[m.IntN(3)], "content": m.text()}
		if i == 0 || m.IntN(4) == 0 {
			message["role"] = "user"
		}
		if m.IntN(3) == 0 {
			message["sent"] = m.value(1)
		}
		list = append(list, message)
	}
	return append(list, map[string]any{"role": "assistant", "content": m.text()})
}

func (m *recordMaker) chunks() []any {
	list := []any{}
	for i := range m.IntN(4) {
		chunk := map[string]any{"chunk_id": m.name(), "doc_id": m.name(), "chunk_rank": i + 1, "text": m.text()}
		if m.IntN(3) == 0 {
			chunk["score"] = m.value(1)
		}
		list = append(list, chunk)
	}
	return list
}

// ledgerCases are forms of records, each with how it is read.
func ledgerCases(m *recordMaker) map[string]struct {
	protocol string
	options  Options
	record   func() map[string]any
} {
	with := func(object map[string]any, pairs ...any) map[string]any {
		for i := 0; i < len(pairs); i += 2 {
			object[pairs[i].(string)] = pairs[i+1]
		}
		return object
	}
	type c = struct {
		protocol string
		options  Options
		record   func() map[string]any
	}
	mapping := []Mapping{{"user_statement", "in.q"}, {"response", "out[1].r"}}
	pair := func() map[string]any {
		return with(m.object(2), "id", m.name(), "user_statement", m.text(), "response", m.text())
	}
	rag := func() map[string]any {
		record := with(m.object(2), "id", m.name(), "query", m.text(), "answer", m.text(), "chunks", m.chunks())
		if m.IntN(3) == 0 {
			record["context_set"] = []any{m.text(), m.text()}
		}
		return record
	}
	chat := func() map[string]any { return with(m.object(2), "messages", m.messages()) }
	completions := func() map[string]any {
		choices := []any{}
		for range 1 + m.IntN(3) {
			choices = append(choices, map[string]any{"index": m.name(), "message": map[string]any{"role": "assistant",
				"content": m.text()}, "finish": m.text()})
		}
		return with(m.object(1), "messages", []any{map[string]any{"role": "user", "content": m.text()}},
			"choices", choices)
	}
	return map[string]c{
		"own pair": {"empathy", Options{}, pair},
		"own conversation": {"ambiguity", Options{}, func() map[string]any {
			return with(m.object(2), "item_id", m.name(), "id'", m.name(), "turns", m.messages())
		}},
		"record, retrieval":  {"rag-retrieval", Options{}, rag},
		"record, grounding":  {"rag-grounding", Options{}, rag},
		"record, generation": {"rag-generation", Options{}, rag},
		"mapped": {"empathy", Options{Map: mapping}, func() map[string]any {
			return with(m.object(2), "in", with(m.object(1), "q", m.text()), "out",
				[]any{m.object(1), with(m.object(1), "r", m.text())})
		}},
		"records in a document": {"empathy", Options{Records: "data.rows"}, func() map[string]any {
			return with(m.object(2), "data", with(m.object(1), "rows", []any{pair(), pair()}), "topics",
				[]any{m.value(1), []any{}})
		}},
		"chat, one pair":     {"empathy", Options{Preset: PresetOpenAIChat}, chat},
		"chat, conversation": {"ambiguity", Options{Preset: PresetOpenAIChat}, chat},
		"completions":        {"empathy", Options{Preset: PresetOpenAIChat}, completions},
		"table.csv": {"empathy", Options{}, func() map[string]any {
			return map[string]any{"id": m.name(), "user_statement": m.text(), "response": m.text(), "x.y": m.text(),
				"topic": m.text()}
		}},
		"dataset row": {"empathy", Options{Preset: PresetHuggingFace}, func() map[string]any {
			return with(m.object(2), "question", m.text(), "answer", m.text())
		}},
	}
}

// TestLedger_GeneratedRecords_AccountsForEachValueOnce compares the ledger of each record with what
// its items hold.
func TestLedger_GeneratedRecords_AccountsForEachValueOnce(t *testing.T) {
	m := &recordMaker{Rand: rand.New(rand.NewPCG(33, 3))}
	cases := ledgerCases(m)
	records := 10_000
	if testing.Short() {
		records = 1_000
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := builtinProtocol(t, c.protocol)
			for range records / len(cases) {
				checkLedger(t, p, name, c.options, c.record())
				if t.Failed() {
					return
				}
			}
		})
	}
}

// checkLedger imports one record, and counts the values of each key that are in the content or the
// metadata of its items.
func checkLedger(t *testing.T, p protocol.Protocol, name string, o Options, record map[string]any) {
	t.Helper()
	line, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".csv") {
		line = writeTable(t, record)
	} else {
		name = "records.jsonl"
	}
	ledger := &Ledger{}
	o.Ledger = ledger
	var items []project.Item
	err = o.ScanItems(t.Context(), p, name, strings.NewReader(string(line)),
		func(item project.Item) error { items = append(items, item); return nil })
	if chunks, isRecord := record["chunks"].([]any); err != nil && !(isRecord && len(chunks) == 0 && len(items) == 0) {
		t.Fatalf("%s\n%s", line, err)
	}
	held := holdings{content: map[string]bool{}, ids: map[string]bool{}, meta: map[string]bool{}}
	for _, item := range items {
		held.addItem(t, item)
	}
	want := map[string]LedgerKey{}
	if o.Records != "" {
		held.countDocument(record, o.Records, want)
	} else {
		held.count(record, "", want)
	}
	got := map[string]LedgerKey{}
	for _, k := range ledger.Keys {
		got[k.Key] = k
	}
	for key := range maps.Keys(want) {
		if k := want[key]; got[key] != k {
			t.Errorf("%s\nkey %s: ledger %+v, items %+v\nleft out: %+v", line, key, got[key], k, ledger.LeftOut)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s\nledger has keys %v, the record %v", line, slices.Sorted(maps.Keys(got)),
			slices.Sorted(maps.Keys(want)))
	}
	if sum := ledger.Sum(); sum.LeftOut > 0 && len(ledger.LeftOut) == 0 {
		t.Errorf("%s\n%d values are left out without a word", line, sum.LeftOut)
	}
}

// writeTable returns a record of texts as CSV.
func writeTable(t *testing.T, record map[string]any) []byte {
	t.Helper()
	var header, cells []string
	for key, text := range record {
		header, cells = append(header, key), append(cells, text.(string))
	}
	var file bytes.Buffer
	if err := csv.NewWriter(&file).WriteAll([][]string{header, cells}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// holdings are the values that items hold, as text.
type holdings struct{ content, ids, meta map[string]bool }

func (h holdings) addItem(t *testing.T, item project.Item) {
	h.ids[item.SourceID], h.ids[item.RecordID] = true, true
	for _, part := range item.Content {
		h.content[part.Text] = true
		for _, turn := range part.Turns {
			h.content[turn.Text] = true
		}
		for _, c := range part.Chunks {
			h.content[c.ID], h.content[c.Source], h.content[c.Text] = true, true, true
			h.content[fmt.Sprint("rank", c.Rank)] = true
		}
	}
	for _, raw := range item.Meta {
		decoder := json.NewDecoder(strings.NewReader(string(raw)))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil {
			t.Fatal(err)
		}
		walk(v, "", func(_ string, leaf any) { h.meta[fmt.Sprint(leaf)] = true })
	}
}

// walk calls visit for each value without values in it.
func walk(v any, path string, visit func(path string, leaf any)) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			walk(element, path+"[]", visit)
		}
		if len(v) > 0 {
			return
		}
	case map[string]any:
		for key, inner := range v {
			walk(inner, childKey(path, key), visit)
		}
		if len(v) > 0 {
			return
		}
	}
	visit(path, v)
}

// countDocument adds where each value of a document with records is. Keys of others begin with "document".
func (h holdings) countDocument(document map[string]any, records string, want map[string]LedgerKey) {
	var all = map[string]LedgerKey{}
	h.count(document, "", all)
	for path, k := range all {
		inner, isRecord := strings.CutPrefix(path, records+"[].")
		if k.Key = inner; !isRecord {
			k.Key = "document." + path
		}
		want[k.Key] = k
	}
}

// count adds where each value of a record is. The role of a message is where its text is.
func (h holdings) count(record map[string]any, path string, want map[string]LedgerKey) {
	visit := func(path string, v any, text any) {
		if text == nil {
			text = v
		}
		k := want[path]
		k.Key = path
		switch shown := fmt.Sprint(text); {
		case path == "chunks" && len(h.content) > 0 &&
			record["context_set"] == nil: // that none were retrieved is shown
			k.Shown++
		case strings.HasSuffix(path, "chunk_rank") && len(h.content) > 0 && h.content["rank"+shown], h.content[shown]:
			k.Shown++
		case h.ids[shown]:
			k.IDs++
		case h.meta[shown]:
			k.Metadata++
		default:
			k.LeftOut++
		}
		want[path] = k
	}
	var descend func(v any, path string)
	descend = func(v any, path string) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				descend(element, path+"[]")
			}
			if len(v) == 0 {
				visit(path, v, nil)
			}
		case map[string]any:
			for key, inner := range v {
				if key == "role" {
					visit(childKey(path, key), inner, v["content"])
				} else {
					descend(inner, childKey(path, key))
				}
			}
			if len(v) == 0 && path != "" {
				visit(path, v, nil)
			}
		default:
			visit(path, v, nil)
		}
	}
	descend(record, path)
}
