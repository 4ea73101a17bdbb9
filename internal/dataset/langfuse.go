package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A langfuseScore is the body of one request that creates a score. The same export has the
// same ids, so that sending it again changes nothing.
type langfuseScore struct {
	ID            string            `json:"id"`
	TraceID       string            `json:"traceId"`
	ObservationID string            `json:"observationId,omitempty"`
	Name          string            `json:"name"`
	Value         int               `json:"value"`
	DataType      string            `json:"dataType"`
	Comment       string            `json:"comment,omitempty"`
	Metadata      map[string]string `json:"metadata"`
}

// traceKeys and observationKeys are the metadata that name what an item comes from.
var (
	traceKeys       = []string{"trace_id", "traceId", "trace.id", "langfuse_trace_id", "langfuse.trace_id"}
	observationKeys = []string{"observation_id", "observationId", "span_id", "spanId", "langfuse_observation_id"}
)

// A langfuseItem is the body of one request that creates an item of a data set.
type langfuseItem struct {
	DatasetName   string         `json:"datasetName"`
	ID            string         `json:"id"`
	Input         map[string]any `json:"input"` // the parts of the content
	Metadata      map[string]any `json:"metadata"`
	TraceID       string         `json:"sourceTraceId,omitempty"`
	ObservationID string         `json:"sourceObservationId,omitempty"`
}

// LangfuseFiles returns the files of an export in the layout Langfuse: scores, and with texts the items,
// which scores do not hold.
func LangfuseFiles(p protocol.Protocol, o WriteOptions, projectKey string, items iter.Seq2[ItemLabels,
	error]) []OtherFile {
	files := []OtherFile{langfuseScores(p, projectKey, items)}
	if o.IncludeTexts {
		files = append(files, OtherFile{Name: "dataset-items.jsonl", Write: func(w io.Writer) error {
			encoder := newRequestEncoder(w)
			for item, err := range items {
				if err != nil {
					return fmt.Errorf("read the items: %w", err)
				}
				if err := encoder.Encode(newLangfuseItem(p, o, projectKey, item)); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	return files
}

func newLangfuseItem(p protocol.Protocol, o WriteOptions, projectKey string, item ItemLabels) langfuseItem {
	written := langfuseItem{DatasetName: projectKey, ID: "labelwright-" + projectKey + "-" + item.SourceID,
		Input: map[string]any{}, Metadata: map[string]any{"item": item.SourceID, "record": item.RecordID},
		TraceID: firstText(item.Meta, traceKeys), ObservationID: firstText(item.Meta, observationKeys)}
	for _, part := range p.Unit.Parts {
		content := item.Content[part.Key]
		if list, ok := listContent(part, content); ok {
			written.Input[part.Key] = list
		} else {
			written.Input[part.Key] = content.Text
		}
	}
	for _, m := range o.MetaColumns {
		written.Metadata["meta."+m.Key] = item.Meta[m.Key]
	}
	return written
}

// newRequestEncoder returns an encoder of requests, one in each line, without HTML escapes.
func newRequestEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder
}

// langfuseScores returns the file of scores. Items without a trace id get none.
func langfuseScores(p protocol.Protocol, projectKey string, items iter.Seq2[ItemLabels, error]) OtherFile {
	untraced := 0
	listUntraced := func() (list []Omission) {
		if untraced > 0 {
			list = append(list, Omission{What: "items without a trace", Count: &untraced,
				Why: "A score needs the id of a trace: the metadata has none of the columns " + strings.Join(traceKeys,
					", ") + "."})
		}
		return list
	}
	return OtherFile{Name: "scores.jsonl", LeftOut: listUntraced, Write: func(w io.Writer) error {
		encoder := newRequestEncoder(w)
		for item, err := range items {
			if err != nil {
				return fmt.Errorf("read the labels: %w", err)
			}
			if firstText(item.Meta, traceKeys) == "" {
				untraced++
				continue
			}
			for _, score := range newScores(p, projectKey, item) {
				if err := encoder.Encode(score); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func newScores(p protocol.Protocol, projectKey string, item ItemLabels) (scores []langfuseScore) {
	add := func(id, annotator, comment string, values map[string]int, source string) {
		for _, f := range p.Fields {
			value, ok := values[f.Key]
			if !ok {
				continue
			}
			s := langfuseScore{ID: fmt.Sprintf("labelwright-%s-%s-%s", projectKey, id, f.Key),
				TraceID:       firstText(item.Meta, traceKeys),
				ObservationID: firstText(item.Meta, observationKeys), Name: f.Key, Value: value, DataType: "NUMERIC",
				Comment:  comment,
				Metadata: map[string]string{"source": source, "item": item.SourceID, "protocol": p.Name()}}
			if f.Scale.IsBinary() {
				s.DataType = "BOOLEAN"
			}
			if annotator != "" {
				s.Metadata["annotator"] = annotator
			}
			scores = append(scores, s)
		}
	}
	for _, a := range item.Labels {
		add(a.ID, a.Annotator, a.Answers.Note, a.Answers.Values, "annotation")
	}
	first := len(scores)
	add("consensus-"+item.SourceID, "", "", consensusAnswers(item.Consensus).Values, "consensus")
	for _, s := range scores[first:] {
		s.Metadata["method"] = string(item.Consensus[s.Name].Method)
	}
	return scores
}

// firstText returns the first of the metadata values that is a text.
func firstText(meta map[string]json.RawMessage, keys []string) string {
	for _, key := range keys {
		var text string
		if json.Unmarshal(meta[key], &text) == nil && strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// timeUnit is the precision of active times.
func timeUnit(o WriteOptions) time.Duration {
	if o.ExactTimes {
		return time.Millisecond
	}
	return 5 * time.Second
}
