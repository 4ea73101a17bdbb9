package dataset

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An ItemLabels is an item with its current labels.
type ItemLabels struct {
	Annotation              // the item's fields
	Labels     []Annotation // by annotation id
	Consensus  map[string]FieldConsensus
}

// LabelStudioFiles returns the files of an export in the layout LabelStudio.
func LabelStudioFiles(p protocol.Protocol, o WriteOptions, items iter.Seq2[ItemLabels, error]) []OtherFile {
	return []OtherFile{
		{Name: "label-config.xml", Write: func(w io.Writer) error {
			_, err := io.WriteString(w,
				labelConfig(p))
			return err
		}},
		{Name: "tasks.json", Write: func(w io.Writer) error { return writeTasks(w, p, o, items) }},
	}
}

type labelStudioTask struct {
	ID          int                     `json:"id"`
	Data        map[string]any          `json:"data"`
	Annotations []labelStudioAnnotation `json:"annotations"`
}

type labelStudioAnnotation struct {
	ID          int                 `json:"id"`
	CompletedBy map[string]string   `json:"completed_by,omitempty"`
	CreatedAt   string              `json:"created_at"`
	LeadTime    float64             `json:"lead_time"` // seconds
	GroundTruth bool                `json:"ground_truth"`
	Result      []labelStudioResult `json:"result"`
}

type labelStudioResult struct {
	ID       string         `json:"id"`
	FromName string         `json:"from_name"`
	ToName   string         `json:"to_name"`
	Type     string         `json:"type"`
	Value    map[string]any `json:"value"`

	Meta map[string][]string `json:"meta,omitempty"` // notes on the result
}

func writeTasks(w io.Writer, p protocol.Protocol, o WriteOptions, items iter.Seq2[ItemLabels, error]) error {
	count := 0
	for item, err := range items {
		if err != nil {
			return fmt.Errorf("read the labels: %w", err)
		}
		count++
		text, err := json.Marshal(newTask(p, o, count, item))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", [2]string{"[\n", ",\n"}[min(count-1, 1)], text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, [2]string{"[]\n", "\n]\n"}[min(count, 1)])
	return err
}

func newTask(p protocol.Protocol, o WriteOptions, number int, item ItemLabels) labelStudioTask {
	task := labelStudioTask{ID: number, Data: map[string]any{"item": item.SourceID, "record": item.RecordID},
		Annotations: []labelStudioAnnotation{}}
	for _, part := range p.Unit.Parts {
		content := item.Content[part.Key]
		task.Data[part.Key] = plainContent(content)
		if list, ok := listContent(part, content); ok {
			task.Data["item."+part.Key] = list
		}
	}
	for _, m := range o.MetaColumns {
		task.Data["meta."+m.Key] = item.Meta[m.Key]
	}
	for _, a := range item.Labels {
		id, _ := strconv.Atoi(a.ID)
		created := a.SubmittedAt.UTC().Format("2006-01-02")
		if o.ExactTimes {
			created = a.SubmittedAt.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		task.Annotations = append(task.Annotations, labelStudioAnnotation{ID: id,
			CompletedBy: map[string]string{"first_name": a.Annotator}, CreatedAt: created,
			LeadTime: a.ActiveTime.Round(timeUnit(o)).Seconds(), Result: newResults(p, a.Answers)})
	}
	if consensus := consensusAnswers(item.Consensus); len(consensus.Values) > 0 {
		results := newResults(p, consensus)
		for i, r := range results {
			if c, isField := item.Consensus[r.FromName]; isField {
				results[i].Meta = map[string][]string{"text": {string(c.Method)}}
			}
		}
		task.Annotations = append(task.Annotations, labelStudioAnnotation{GroundTruth: true, Result: results,
			CompletedBy: map[string]string{"first_name": "consensus"}, CreatedAt: "1970-01-01"})
	}
	return task
}

func consensusAnswers(consensus map[string]FieldConsensus) protocol.Answers {
	a := protocol.Answers{Values: map[string]int{}}
	for key, c := range consensus {
		if c.IsResolved() {
			a.Values[key] = c.Value
		}
	}
	return a
}

// listContent returns the turns or chunks of a part that is no text: what plainContent loses. It is null if the
// item has none.
func listContent(part protocol.Part, content project.PartContent) (list any, ok bool) {
	switch part.Kind {
	case protocol.PartConversation:
		return content.Turns, true
	case protocol.PartChunks, protocol.PartChunk:
		return content.Chunks, true
	}
	return nil, false
}

// plainContent returns the content of a part as one text.
func plainContent(content project.PartContent) string {
	return joinContent(content, func(c project.Chunk) string { return c.Text })
}

func newResults(p protocol.Protocol, a protocol.Answers) []labelStudioResult {
	results := []labelStudioResult{}
	to := p.Unit.Parts[0].Key
	for _, f := range p.Fields {
		if value, ok := a.Values[f.Key]; ok {
			results = append(results, labelStudioResult{f.Key, f.Key, to, "choices",
				map[string]any{"choices": []string{strconv.Itoa(value)}}, nil})
		}
	}
	if len(a.Observations) > 0 {
		results = append(results, labelStudioResult{"observations", "observations", to, "choices",
			map[string]any{"choices": a.Observations}, nil})
	}
	if a.Note != "" {
		results = append(results, labelStudioResult{"note", "note", to, "textarea",
			map[string]any{"text": []string{a.Note}}, nil})
	}
	return results
}

// labelConfig returns the labeling configuration of p. Values of fields are choices, because
// ratings start at 1.
func labelConfig(p protocol.Protocol) string {
	var text strings.Builder
	to := p.Unit.Parts[0].Key
	text.WriteString("<View>\n")
	for _, part := range p.Unit.Parts {
		fmt.Fprintf(&text, "  <Header value=%s/>\n  <Text name=%s value=%s/>\n", quoteXML(part.Title),
			quoteXML(part.Key), quoteXML("$"+part.Key))
	}
	for _, f := range p.Fields {
		fmt.Fprintf(&text, "  <Header value=%s/>\n  <Choices name=%s toName=%s choice=\"single\" showInline=\"true\">\n", quoteXML(f.Question), quoteXML(f.Key), quoteXML(to))
		for _, point := range f.Scale {
			fmt.Fprintf(&text, "    <Choice value=\"%d\" hint=%s/>\n", point.Value, quoteXML(point.Anchor))
		}
		text.WriteString("  </Choices>\n")
	}
	if len(p.Observations) > 0 {
		fmt.Fprintf(&text, "  <Choices name=\"observations\" toName=%s choice=\"multiple\">\n", quoteXML(to))
		for _, o := range p.Observations {
			fmt.Fprintf(&text, "    <Choice value=%s hint=%s/>\n", quoteXML(o.Key), quoteXML(o.Title))
		}
		text.WriteString("  </Choices>\n")
	}
	fmt.Fprintf(&text, "  <TextArea name=\"note\" toName=%s/>\n</View>\n", quoteXML(to))
	return text.String()
}

// quoteXML returns text as a quoted attribute.
func quoteXML(text string) string {
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(text)) // a Builder never fails
	return `"` + escaped.String() + `"`
}
