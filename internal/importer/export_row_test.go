package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// exportedItems are files of items by protocol, with texts, metadata and chunks that formats
// write in different ways.
var exportedItems = map[string]string{
	"empathy": `{"id":"1","user_statement":"=1+1","response":"'=2","model":"'@x","n":5,"share":1.50,"ok":true,"more":{"a":[1]},"mixed":"7"}` + "\n" +
		`{"id":"2","user_statement":" a\r\nb,\"c\"","response":"","model":"m","n":-3,"share":2,"mixed":7}` + "\n" +
		`{"id":"3","record_id":"r","user_statement":"{\"a\": 1}","response":"[\"b\"]","model":"[1]"}`,
	"ambiguity": `{"id":"1","turns":[{"role":"user","content":"[1]"},{"role":"assistant","content":"-1"}],"model":"p"}` + "\n" +
		`{"id":"2","turns":[{"role":"user","content":"q"},{"role":"assistant","kind":"tool_call","name":"f","call_id":"c","text":"{}"},{"role":"tool","call_id":"c","content":""},` +
		`{"role":"assistant","kind":"image","address":"https://a.example/b.png","text":""},{"role":"assistant","content":"A: b\n\nuser: c"}]}`,
	"rag-grounding": `{"id":"1","query":"q","answer":"a","chunks":[{"chunk_id":"c","chunk_rank":1,"doc_id":"d","text":"+one"},{"chunk_id":"d","chunk_rank":2,"text":""}],"model":"m"}` + "\n" +
		`{"id":"2","query":"q","answer":"","chunks":[],"model":"m"}`,
	"rag-generation": `{"id":"1","query":"q","answer":"a","chunks":[{"chunk_id":"c","chunk_rank":1,"doc_id":"d","text":"+one"}],"model":"m"}`,
	"rag-retrieval":  `{"id":"1","query":"q","answer":"a","chunks":[{"chunk_id":"c","chunk_rank":1,"doc_id":"d","text":"+one"},{"chunk_id":"d","chunk_rank":2,"text":"two"}],"model":"m"}`,
}

// TestReadItems_OwnExport_SameItemsAndExport imports an export without a mapping and exports it again, in each layout,
// format and
// shape.
func TestReadItems_OwnExport_SameItemsAndExport(t *testing.T) {
	t.Parallel()
	for key, file := range exportedItems {
		p := builtinProtocol(t, key)
		items, err := ReadItems(p, "a.jsonl", strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range exportOptions() {
			files := writeExport(t, p, o, items)
			for name, content := range files {
				ledger := &Ledger{}
				again, err := Options{Ledger: ledger}.ReadItems(p, name, bytes.NewReader(content))
				if err != nil {
					t.Errorf("%s, %+v, %s: %v", key, o, name, err)
					continue
				}
				if !o.isTable && describeExported(t, again) != describeExported(t, items) {
					t.Errorf("%s, %+v, %s\ngot\n%s\nwant\n%s", key, o, name, describeExported(t, again),
						describeExported(t, items))
				}
				if second := writeExport(t, p, o, again)[name]; !bytes.Equal(second, content) {
					t.Errorf("%s, %+v: %s differs when it is exported again\ngot\n%s\nwant\n%s", key, o, name,
						second, content)
				}
				if name == "tasks.json" || name == "dataset-items.jsonl" {
					checkPreset(t, p, name, content, again)
				}
			}
		}
	}
}

// checkPreset imports an export with the preset of its program.
func checkPreset(t *testing.T, p protocol.Protocol, name string, content []byte, items []project.Item) {
	t.Helper()
	preset := map[string]Preset{"tasks.json": PresetLabelStudio, "dataset-items.jsonl": PresetLangfuse}[name]
	again, err := Options{Preset: preset}.ReadItems(p, name, bytes.NewReader(content))
	if err != nil || describeExported(t, again) != describeExported(t, items) {
		t.Errorf("%s with preset %s: %v\ngot\n%s\nwant\n%s", name, preset, err, describeExported(t, again),
			describeExported(t, items))
	}
}

// An exportOption is how an export is written. In tables metadata may become text.
type exportOption struct {
	layout  dataset.Layout
	format  dataset.Format
	shape   dataset.Shape
	isTable bool
}

func exportOptions() (options []exportOption) {
	for _, layout := range []dataset.Layout{dataset.Plain, dataset.HuggingFace} {
		for _, format := range []dataset.Format{dataset.CSV, dataset.JSONL, dataset.Parquet} {
			for _, shape := range []dataset.Shape{dataset.Wide, dataset.Long} {
				options = append(options, exportOption{layout, format, shape, true})
			}
		}
	}
	return append(options, exportOption{dataset.LabelStudio, dataset.JSONL, dataset.Wide, false},
		exportOption{dataset.Langfuse, dataset.JSONL, dataset.Wide, false})
}

// writeExport returns the files of an export that hold items, with two labels of each.
func writeExport(t *testing.T, p protocol.Protocol, option exportOption, items []project.Item) map[string][]byte {
	t.Helper()
	o := dataset.WriteOptions{Shape: option.shape, Format: option.format, Layout: option.layout, IncludeTexts: true,
		MetaColumns: metaColumns(items)}
	d := dataset.Dataset{Protocol: p, Options: o}
	labels := func(yield func(dataset.ItemLabels, error) bool) {
		for _, item := range items {
			first := newLabel(p, item, 0)
			if !yield(dataset.ItemLabels{Annotation: first, Labels: []dataset.Annotation{first, newLabel(p, item, 1)}},
				nil) {
				return
			}
		}
	}
	switch option.layout {
	case dataset.LabelStudio:
		d.Files = dataset.LabelStudioFiles(p, o, labels)
	case dataset.Langfuse:
		d.Files = dataset.LangfuseFiles(p, o, "p", labels)
	default:
		d.Tables = []dataset.TableFile{dataset.AnnotationTable(dataset.Work, labelsOf(p, items)),
			dataset.ConsensusTable("consensus", consensusOf(p, items)),
			dataset.RecordTable(dataset.RecordSpec{Name: "items", HasItem: true, Columns: []dataset.RecordColumn{
				{Name: "item", Type: dataset.TextColumn}, {Name: "record", Type: dataset.TextColumn},
				{Name: "state", Type: dataset.TextColumn}}}, recordsOf(items))}
	}
	files := map[string][]byte{}
	if _, err := d.Write(func(name string, write func(io.Writer) error) error {
		var file bytes.Buffer
		err := write(&file)
		if holdsItems.MatchString(name) {
			files[name] = file.Bytes()
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no file of the export %+v has items", option)
	}
	return files
}

var holdsItems = regexp.MustCompile(`^(annotations|consensus|items|tasks|dataset-items)\.`)

func newLabel(p protocol.Protocol, item project.Item, number int) dataset.Annotation {
	return dataset.Annotation{
		ID: fmt.Sprint(number), Project: "p", Batch: "b", Version: p.Version, Kind: "work", AttemptNo: 1, Current: true,
		Annotator: fmt.Sprint("a", number%2),
		SourceID:  item.SourceID, RecordID: item.RecordID, Content: item.Content, Facts: item.Facts, Meta: item.Meta,
		Answers:     protocol.Answers{Values: map[string]int{p.Fields[0].Key: p.Fields[0].Scale.Values()[0]}},
		SubmittedAt: time.Unix(1e9, 0),
	}
}

func labelsOf(p protocol.Protocol, items []project.Item) iter.Seq2[dataset.Annotation, error] {
	return func(yield func(dataset.Annotation, error) bool) {
		for i, item := range slices.Concat(items, items) {
			if !yield(newLabel(p, item, i), nil) {
				return
			}
		}
	}
}

func consensusOf(p protocol.Protocol, items []project.Item) iter.Seq2[dataset.ConsensusRow, error] {
	return func(yield func(dataset.ConsensusRow, error) bool) {
		for i, item := range items {
			fields := map[string]dataset.FieldConsensus{p.Fields[0].Key: {}}
			if !yield(dataset.ConsensusRow{Annotation: newLabel(p, item, i), Fields: fields}, nil) {
				return
			}
		}
	}
}

func recordsOf(items []project.Item) iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		for _, item := range items {
			a := dataset.Annotation{Content: item.Content, Facts: item.Facts, Meta: item.Meta}
			if !yield(dataset.Record{Annotation: a, Values: []any{item.SourceID, item.RecordID, "complete"}}, nil) {
				return
			}
		}
	}
}

// metaColumns returns the metadata of items with its types, as exports determine them.
func metaColumns(items []project.Item) (columns []dataset.MetaColumn) {
	types := map[string]string{}
	isInteger := regexp.MustCompile(`^-?[0-9]{1,18}$`)
	for _, item := range items {
		for key, raw := range item.Meta {
			columnType := "json text"
			switch {
			case string(raw) == "null":
				continue
			case raw[0] == '"':
				columnType = "text"
			case raw[0] == 't' || raw[0] == 'f':
				columnType = "boolean"
			case isInteger.Match(raw):
				columnType = "integer"
			case raw[0] != '{' && raw[0] != '[':
				columnType = "number"
			}
			switch known := types[key]; {
			case known == "" || known == "integer" && columnType == "number":
				types[key] = columnType
			case known == columnType || known == "number" && columnType == "integer":
			default:
				types[key] = "json text"
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(types)) {
		columns = append(columns, dataset.MetaColumn{Key: key, Type: types[key]})
	}
	return columns
}

// Scores, and exports without texts, are refused with what to do.
func TestReadItems_ExportWithoutTexts_SaysSo(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "empathy")
	for name, content := range map[string]string{
		"scores.jsonl":      `{"id":"labelwright-p-1-empathy","traceId":"t","name":"empathy","value":1,"dataType":"NUMERIC","metadata":{"item":"1"}}`,
		"annotations.csv":   "project,annotation,item,record,annotator,dimension,value\np,1,1,,a1,empathy,2\n",
		"items.jsonl":       `{"item":"1","record":"","state":"complete","match_key":null,"text_length":4}`,
		"annotations.jsonl": `{"project":"p","annotation":"1","item":"1","record":"","annotator":"a1","empathy":2}`,
	} {
		if _, err := ReadItems(p, name, strings.NewReader(content)); err == nil ||
			!strings.Contains(err.Error(), noTextsText) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func describeExported(t *testing.T, items []project.Item) string {
	text := ""
	for _, item := range items {
		content, err := json.Marshal(item.Content)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%s of %s: %s %v", item.SourceID, item.RecordID, content, item.Facts)
		for _, k := range slices.Sorted(maps.Keys(item.Meta)) {
			text += fmt.Sprintf(" %s=%s", k, item.Meta[k])
		}
		text += "\n"
	}
	return text
}
