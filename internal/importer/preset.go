package importer

import (
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Preset names the program that wrote a file.
type Preset string

// The presets. Each reads what the program writes as JSON, JSONL, CSV or Parquet.
const (
	PresetOTel        Preset = "otel"         // OTLP JSON, with the attributes of the GenAI conventions or of OpenInference
	PresetPhoenix     Preset = "phoenix"      // spans
	PresetLangfuse    Preset = "langfuse"     // traces, observations and items of data sets
	PresetLangSmith   Preset = "langsmith"    // runs and examples
	PresetLabelStudio Preset = "label-studio" // tasks
	PresetArgilla     Preset = "argilla"      // records
	PresetProdigy     Preset = "prodigy"      // tasks
	PresetOpenAIChat  Preset = "openai-chat"  // conversations, completions, responses, batches
	PresetInspect     Preset = "inspect"      // logs of evaluations
	PresetHuggingFace Preset = "huggingface"  // rows of data sets, with the usual names of columns
)

// A presetReader says how the records of a program are read.
type presetReader struct {
	title string
	lists []string                                 // paths of the list of records in a document
	split func(record value) []value               // into the records that may be items; nil: the record itself
	read  func(record value) (foreignRecord, bool) // false: not an item, such as the span of a tool
	other string                                   // what the records are that are left out
}

var presetReaders = map[Preset]presetReader{
	PresetOTel:        {title: "OpenTelemetry (OTLP JSON)", split: otelSpans, read: readSpan, other: "spans without a message of a model"},
	PresetPhoenix:     {title: "Phoenix", lists: []string{"data", "spans"}, split: otelSpans, read: readSpan, other: "spans without a message of a model"},
	PresetLangfuse:    {title: "Langfuse", lists: []string{"data", "observations", "traces"}, read: readLangfuse, other: "observations without output"},
	PresetLangSmith:   {title: "LangSmith", lists: []string{"runs", "examples", "data"}, read: readLangSmith, other: "runs without output"},
	PresetLabelStudio: {title: "Label Studio", lists: []string{"tasks"}, read: readLabelStudio, other: "tasks without data"},
	PresetArgilla:     {title: "Argilla", lists: []string{"records", "items"}, read: readArgilla, other: "records without fields"},
	PresetProdigy:     {title: "Prodigy", read: readProdigy, other: "tasks without text"},
	PresetOpenAIChat:  {title: "OpenAI (chat and batch output)", lists: []string{"data"}, read: readOpenAI, other: "lines without messages, such as failed requests"},
	PresetInspect:     {title: "Inspect", lists: []string{"samples"}, read: readInspect, other: "samples without output"},
	PresetHuggingFace: {title: "Hugging Face datasets", lists: []string{"rows", "data"}, read: readDatasetRow, other: "rows without text"},
}

// Presets returns the presets in alphabetical order.
func Presets() (presets []Preset) {
	for p := range presetReaders {
		presets = append(presets, p)
	}
	slices.Sort(presets)
	return presets
}

// Title returns the name of the program as people write it.
func (p Preset) Title() string { return presetReaders[p].title }

// ParsePreset returns the preset of that name.
func ParsePreset(name string) (Preset, error) {
	if _, ok := presetReaders[Preset(name)]; !ok {
		names := make([]string, 0, len(presetReaders))
		for _, p := range Presets() {
			names = append(names, string(p))
		}
		return "", fault.Invalid.Errorf("“%s” is not a preset. Choose one of %s.", name, strings.Join(names, ", "))
	}
	return Preset(name), nil
}

// records returns the records in a document: the elements of its list, or itself.
func (p presetReader) records(document value) (records []value) {
	records = []value{document}
	for _, path := range p.lists {
		if list, ok := document.find(path); ok && list.is('[') {
			records = list.list
			break
		}
	}
	if p.split == nil {
		return records
	}
	var split []value
	for _, record := range records {
		split = append(split, p.split(record)...)
	}
	return split
}

func readLangfuse(r value) (f foreignRecord, ok bool) {
	input, _ := r.findFirst("input")
	output, hasOutput := r.findFirst("output", "expectedOutput", "expected_output")
	contexts, _ := input.findFirst(contextKeys...)
	f = newForeignRecord(input, output, contexts)
	f.id, _ = r.findFirst("id")
	isObservation := false
	if trace, ok := r.findFirst("traceId", "trace_id"); ok {
		isObservation = true
		f.meta, f.recordID = append(f.meta, member{"trace_id", trace}), trace
	} else if _, isTrace := r.findFirst("observations", "sessionId", "session_id", "htmlPath", "bookmarked"); isTrace {
		f.addMeta("trace_id", r, "id")
	}
	if isObservation {
		f.addMeta("observation_id", r, "id")
	}
	for _, key := range []string{"name", "type", "model", "startTime", "timestamp", "sessionId", "tags", "metadata", "environment", "release", "version"} {
		f.addMeta(key, r, key)
	}
	return f, hasOutput && f.hasOutput
}

func readLangSmith(r value) (f foreignRecord, ok bool) {
	input, _ := r.findFirst("inputs")
	output, _ := r.findFirst("outputs", "reference_outputs")
	contexts, hasContexts := output.findFirst(contextKeys...)
	if !hasContexts {
		contexts, _ = input.findFirst(contextKeys...)
	}
	f = newForeignRecord(input, output, contexts)
	f.id, _ = r.findFirst("id")
	f.addMeta("trace_id", r, "trace_id")
	f.addMeta("run_id", r, "id")
	f.recordID, _ = r.findFirst("trace_id")
	for _, key := range []string{"name", "run_type", "session_id", "session_name", "dataset_id", "tags", "start_time", "metadata"} {
		f.addMeta(key, r, key)
	}
	f.addMeta("model", r, "extra.metadata.ls_model_name", "extra.invocation_params.model", "model")
	f.addMeta("metadata", r, "extra.metadata")
	kind, _ := r.findFirst("run_type")
	return f, f.hasOutput && kind.text != "retriever" && kind.text != "tool"
}

func readLabelStudio(r value) (f foreignRecord, ok bool) {
	data, isTask := r.findFirst("data")
	if !isTask {
		data = r
	}
	f, ok = readDatasetRow(data)
	if id, hasID := r.findFirst("id"); isTask && hasID {
		f.id = id
	}
	f.addMeta("meta", r, "meta")
	return f, ok
}

func readArgilla(r value) (f foreignRecord, ok bool) {
	fields, hasFields := r.findFirst("fields")
	if !hasFields { // flat, with the answers of others next to the fields
		isAnswer := func(m member) bool {
			return m.key == "_server_id" || m.key == "status" || strings.Contains(m.key, ".responses") || strings.Contains(m.key, ".suggestion")
		}
		fields = objectValue(slices.DeleteFunc(slices.Clone(r.members), isAnswer)...)
	}
	f, ok = readDatasetRow(fields)
	if id, hasID := r.findFirst("external_id", "id"); hasID {
		f.id = id
	}
	f.addMeta("metadata", r, "metadata")
	return f, ok
}

// prodigyKeys are the answers of others in a task, and how it was shown. The answer itself is
// accept, reject or ignore.
var prodigyKeys = []string{"answer", "accept", "options", "spans", "tokens", "relations", "config"}

func readProdigy(r value) (f foreignRecord, ok bool) {
	isOwn := func(m member) bool {
		return slices.Contains(prodigyKeys, m.key) || strings.HasPrefix(m.key, "_")
	}
	row := objectValue(slices.DeleteFunc(slices.Clone(r.members), isOwn)...)
	if f, ok = readDatasetRow(row); !ok {
		return f, false
	}
	if hash, found := r.findFirst("_task_hash"); found {
		f.id = hash
	}
	f.addMeta("meta", r, "meta")
	return f, true
}

func readOpenAI(r value) (f foreignRecord, ok bool) {
	input, _ := r.findFirst("messages", "body.messages", "request.messages", "request.body.messages", "input", "body.input", "prompt", "body.prompt")
	output, _ := r.findFirst("response.body.choices[0].message", "response.choices[0].message", "choices[0].message", "choices[0].text",
		"response.body.output", "response.output", "output", "completion")
	f = newForeignRecord(flatMessages(input), withoutReasoning(output), value{})
	f.splitOutput()
	f.id, _ = r.findFirst("custom_id", "id", "response.body.id")
	f.addMeta("model", r, "model", "response.body.model", "response.model", "body.model")
	f.addMeta("response_id", r, "response.body.id", "response.id")
	for _, key := range []string{"created", "created_at", "metadata", "request_id"} {
		f.addMeta(key, r, key, "response.body."+key, "response."+key)
	}
	return f, f.hasOutput
}

// withoutReasoning returns the messages of the output of the Responses API.
func withoutReasoning(output value) value {
	if !output.is('[') {
		return output
	}
	isOther := func(v value) bool {
		kind, ok := v.find("type")
		return ok && kind.text != "message" && kind.text != "output_text"
	}
	return listValue(slices.DeleteFunc(slices.Clone(output.list), isOther))
}

func readInspect(r value) (f foreignRecord, ok bool) {
	messages, hasMessages := r.findFirst("messages")
	if hasMessages && isMessageList(messages) {
		f = newForeignRecord(messages, value{}, value{})
		f.splitOutput()
	} else {
		input, _ := r.findFirst("input")
		output, _ := r.findFirst("output.choices[0].message", "output.completion")
		f = newForeignRecord(input, output, value{})
	}
	f.id, _ = r.findFirst("uuid")
	if id, found := r.findFirst("id"); found && f.id.kind == 0 {
		f.id = inspectID(r, id)
	}
	for key, paths := range map[string][]string{"sample_id": {"id"}, "epoch": {"epoch"}, "target": {"target"}, "model": {"output.model"}, "metadata": {"metadata"}} {
		f.addMeta(key, r, paths...)
	}
	return f, f.hasOutput
}

// inspectID returns the id of a sample and, as samples repeat in each epoch, its epoch.
func inspectID(r, id value) value {
	text := id.text
	if id.is('0') {
		text = string(id.raw)
	}
	if epoch, ok := r.find("epoch"); ok && string(epoch.raw) != "1" {
		text += "#" + string(epoch.raw)
	}
	return textValue(text)
}

// readDatasetRow finds the parts of a row by the usual names of columns. All other columns are
// metadata.
func readDatasetRow(r value) (f foreignRecord, ok bool) {
	first := func(keys []string) (v value, key string) {
		for _, key := range keys {
			if v, ok := findMember(r.members, key); ok && !v.is('n') {
				return v, key
			}
		}
		return value{}, ""
	}
	messages, messagesKey := first(messageKeys)
	input, inputKey := first(inputKeys)
	output, outputKey := first(outputKeys)
	contexts, contextsKey := first(contextKeys)
	if messagesKey != "" && isMessageList(messages.parsed()) {
		input = messages
	} else {
		messagesKey = ""
	}
	f = newForeignRecord(input, output, contexts)
	f.splitOutput()
	f.id, _ = first([]string{"id", "example_id", "uid"})
	f.recordID, _ = first([]string{"record_id"})
	used := []string{messagesKey, inputKey, outputKey, contextsKey, "id", "record_id"}
	for _, m := range r.members {
		if !slices.Contains(used, m.key) {
			f.meta = append(f.meta, m)
		}
	}
	return f, f.hasInput || f.hasOutput || len(f.turns) > 0
}
