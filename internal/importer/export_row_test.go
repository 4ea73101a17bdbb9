package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// exportedItems returns items as annotations of an export, two of each item.
func exportedItems(p protocol.Protocol, items []project.Item) iter.Seq2[dataset.Annotation, error] {
	return func(yield func(dataset.Annotation, error) bool) {
		for i, item := range slices.Concat(items, items) {
			a := dataset.Annotation{
				ID: fmt.Sprint(i), Project: "p", Batch: "b", Version: p.Version, Kind: "work", AttemptNo: 1, Current: true, Annotator: fmt.Sprint("a", i%2),
				SourceID: item.SourceID, RecordID: item.RecordID, Content: item.Content, Facts: item.Facts, Meta: item.Meta,
				Answers: protocol.Answers{Values: map[string]int{p.Fields[0].Key: p.Fields[0].Scale.Values()[0]}}, SubmittedAt: time.Unix(1e9, 0),
			}
			if !yield(a, nil) {
				return
			}
		}
	}
}

// Exports in each format and layout with tables are imported without a mapping, and hold the same items.
func TestReadItems_OwnExport_SameItems(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"empathy":       `{"id":"1","user_statement":"=1+1","response":"'=2","model":"'@x"}` + "\n" + `{"id":"2","user_statement":" a\r\nb,\"c\"","response":"","model":"m"}`,
		"ambiguity":     `{"id":"1","turns":[{"role":"user","content":"[1]"},{"role":"assistant","content":"-1"}],"model":"p"}`,
		"rag-grounding": `{"id":"1","query":"q","answer":"a","chunks":[{"chunk_id":"c","chunk_rank":1,"doc_id":"d","text":"+one"}],"model":"m"}`,
		"rag-retrieval": `{"id":"1","query":"q","answer":"a","chunks":[{"chunk_id":"c","chunk_rank":1,"doc_id":"d","text":"+one"}],"model":"m"}`,
	}
	for key, file := range files {
		p := builtinProtocol(t, key)
		items, err := ReadItems(p, "a.jsonl", bytes.NewReader([]byte(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, layout := range []dataset.Layout{dataset.Plain, dataset.HuggingFace} {
			for _, format := range []dataset.Format{dataset.CSV, dataset.JSONL, dataset.Parquet} {
				for _, shape := range []dataset.Shape{dataset.Wide, dataset.Long} {
					o := dataset.WriteOptions{Shape: shape, Format: format, Layout: layout, IncludeTexts: true, MetaColumns: []dataset.MetaColumn{{Key: "model", Type: "text"}}}
					var export bytes.Buffer
					d := dataset.Dataset{Protocol: p, Options: o, Tables: []dataset.TableFile{dataset.AnnotationTable(dataset.Work, exportedItems(p, items))}}
					if _, err := d.Write(func(name string, write func(io.Writer) error) error {
						if name == "annotations."+string(format) {
							return write(&export)
						}
						return write(io.Discard)
					}); err != nil {
						t.Fatal(err)
					}
					ledger := &Ledger{}
					again, err := Options{Ledger: ledger}.ReadItems(p, "annotations."+string(format), bytes.NewReader(export.Bytes()))
					if err != nil || describeExported(t, again) != describeExported(t, items) {
						t.Errorf("%s, %s %s %s: %v\ngot\n%s\nwant\n%s", key, layout, format, shape, err, describeExported(t, again), describeExported(t, items))
					}
				}
			}
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
