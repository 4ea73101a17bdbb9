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

// LangfuseFile returns the file of an export in the layout Langfuse. Items without a trace id
// get no scores.
func LangfuseFile(p protocol.Protocol, projectKey string, items iter.Seq2[ItemLabels, error]) OtherFile {
	untraced := 0
	listUntraced := func() (list []Omission) {
		if untraced > 0 {
			list = append(list, Omission{What: "items without a trace", Count: &untraced, Why: "A score needs the id of a trace: the metadata has none of the columns " + strings.Join(traceKeys, ", ") + "."})
		}
		return list
	}
	return OtherFile{Name: "scores.jsonl", LeftOut: listUntraced, Write: func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
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
			s := langfuseScore{ID: fmt.Sprintf("labelwright-%s-%s-%s", projectKey, id, f.Key), TraceID: firstText(item.Meta, traceKeys),
				ObservationID: firstText(item.Meta, observationKeys), Name: f.Key, Value: value, DataType: "NUMERIC", Comment: comment,
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
