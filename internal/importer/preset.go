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
	// OTLP JSON, with the attributes of the GenAI conventions or of OpenInference
	PresetOTel        Preset = "otel"
	PresetPhoenix     Preset = "phoenix"      // spans
	PresetLangfuse    Preset = "langfuse"     // traces, observations and items of data sets
	PresetLangSmith   Preset = "langsmith"    // runs and examples
	PresetLabelStudio Preset = "label-studio" // tasks
	PresetArgilla     Preset = "argilla"      // records
	PresetProdigy     Preset = "prodigy"      // tasks
	PresetOpenAIChat  Preset = "openai-chat"  // conversations, completions, responses, batches
	PresetAnthropic   Preset = "anthropic"    // conversations, messages, batches
	PresetPromptfoo   Preset = "promptfoo"    // results of evaluations
	PresetRagas       Preset = "ragas"        // samples and results
	PresetDeepEval    Preset = "deepeval"     // data sets and test runs
	PresetMLflow      Preset = "mlflow"       // traces
	PresetInspect     Preset = "inspect"      // logs of evaluations
	PresetHuggingFace Preset = "huggingface"  // rows of data sets, with the usual names of columns
)

// A presetReader says how the records of a program are read.
type presetReader struct {
	title string
	lists []string                                 // paths of the list of records in a document
	split func(record value) []value               // into the records that may be items; nil: the record itself
	read  func(record value) (foreignRecord, bool) // false: not an item, such as the span of a tool
	other omission                                 // what the records are that are left out

	// leavesOut reports whether what is at a path is left out of an item: answers of others, which
	// annotators' own must not depend on, and logs. nil: all that is no text is metadata.
	leavesOut func(path string) bool
}

// leaves returns a function that reports whether a path is below one of keys. A key may end in *.
func leaves(keys ...string) func(path string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			prefix, isPrefix := strings.CutSuffix(key, "*")
			rest, ok := strings.CutPrefix(path, prefix)
			return ok && (isPrefix || rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	}
}

var presetReaders = map[Preset]presetReader{
	PresetOTel: {title: "OpenTelemetry (OTLP JSON)", split: otelSpans, read: readSpan,
		other: omittedSpans},
	PresetPhoenix: {title: "Phoenix", lists: []string{"data", "spans"}, split: otelSpans, read: readSpan,
		other: omittedSpans},
	PresetLangfuse: {title: "Langfuse", lists: []string{"data", "observations", "traces"}, read: readLangfuse,
		other:     omittedObservations,
		leavesOut: leaves("observations", "scores")},
	PresetLangSmith: {title: "LangSmith", lists: []string{"runs", "examples", "data"}, read: readLangSmith,
		other:     omittedRuns,
		leavesOut: leaves("child_runs", "events", "serialized", "feedback_stats")},
	PresetLabelStudio: {title: "Label Studio", lists: []string{"tasks"}, read: readLabelStudio,
		other:     omittedTasks,
		leavesOut: leaves("annotations", "predictions", "drafts")},
	PresetArgilla: {title: "Argilla", lists: []string{"records", "items"}, read: readArgilla,
		other: omittedRecords, leavesOut: isArgillaAnswer},
	PresetProdigy: {title: "Prodigy", read: readProdigy, other: omittedTexts,
		leavesOut: leaves("answer", "accept", "options", "spans", "tokens", "relations", "config", "_*")},
	PresetOpenAIChat: {title: "OpenAI (Chat Completions, Responses, batches)", lists: []string{"data"},
		read: readOpenAI, other: omittedLines},
	PresetAnthropic: {title: "Anthropic (messages, batches)", lists: []string{"data"}, read: readAnthropic,
		other: omittedLines},
	PresetPromptfoo: {title: "promptfoo", lists: []string{"results.results", "results"}, read: readPromptfoo,
		other: omittedResults},
	PresetRagas: {title: "Ragas", lists: []string{"samples", "data"}, read: readRagas,
		other: omittedResponses},
	PresetDeepEval: {title: "DeepEval", read: readDeepEval, split: splitDeepEval, other: omittedCases},
	PresetMLflow: {title: "MLflow", lists: []string{"traces"}, read: readMLflow, other: omittedTraces,
		leavesOut: leaves("data.spans", "spans")},
	PresetInspect: {title: "Inspect", lists: []string{"samples"}, read: readInspect, other: omittedSamples,
		leavesOut: leaves("events", "attachments", "scores", "store", "timelines", "events_data")},
	PresetHuggingFace: {title: "Hugging Face datasets", lists: []string{"rows", "data"},
		read: func(r value) (foreignRecord, bool) { return readDatasetRow(r) }, other: omittedRows},
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

// records returns the records in a document, the elements of its list, or itself, and the path of the list.
func (p presetReader) records(document value) (records []value, listPath string) {
	records = []value{document}
	for _, path := range p.lists {
		if list, ok := document.find(path); ok && list.is('[') {
			records, listPath = list.list, path
			break
		}
	}
	if p.split == nil {
		return records, listPath
	}
	var split []value
	for _, record := range records {
		split = append(split, p.split(record)...)
	}
	return split, listPath
}

func readLangfuse(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	if input, path := f.peek("input"); path != "" {
		if _, inner := (&usage{record: input}).peek(contextKeys...); inner != "" {
			f.takeContexts("input." + inner)
		}
	}
	written, output := f.peek("output", "expectedOutput", "expected_output")
	f.textsAreJSON = written.raw == nil // in CSV
	f.takeInput("input")
	f.takeOutput(output)
	f.id, _ = f.find("id")
	if trace, isObservation := f.find("traceId", "trace_id"); isObservation {
		f.addMeta("trace_id", trace)
		f.addMeta("observation_id", f.id)
		f.recordID = trace
	} else if _, path := f.peek("observations", "sessionId", "session_id", "htmlPath", "bookmarked"); path != "" {
		f.addMeta("trace_id", f.id)
	}
	return f, output != "" && f.hasOutput()
}

func readLangSmith(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	for _, place := range []string{"outputs.", "reference_outputs.", "inputs."} {
		for _, key := range contextKeys {
			f.takeContexts(place + key)
		}
	}
	f.takeInput("inputs")
	f.takeOutput("outputs", "reference_outputs")
	f.id, _ = f.find("id")
	f.recordID, _ = f.find("trace_id")
	f.addMeta("trace_id", f.recordID)
	f.addMeta("run_id", f.id)
	f.takeMeta("model", "extra.metadata.ls_model_name", "extra.invocation_params.model", "model")
	f.takeMeta("metadata", "metadata", "extra.metadata")
	kind, _ := r.findFirst("run_type")
	return f, f.hasOutput() && kind.text != "retriever" && kind.text != "tool"
}

func readLabelStudio(r value) (f foreignRecord, ok bool) {
	data, isTask := r.findFirst("data")
	if !isTask {
		return readDatasetRow(r)
	}
	if f, ok = readDatasetRow(data); ok {
		if id, hasID := r.findFirst("id"); hasID {
			f.id = id
		}
	}
	return f, ok
}

func readArgilla(r value) (f foreignRecord, ok bool) {
	fields, hasFields := r.findFirst("fields")
	if !hasFields {
		fields = r
	}
	f, ok = readDatasetRow(fields)
	if id, hasID := r.findFirst("external_id", "id"); hasID {
		f.id = id
	}
	return f, ok
}

// isArgillaAnswer reports whether a path holds answers of others, or the state of a record.
func isArgillaAnswer(path string) bool {
	return leaves("responses", "suggestions", "vectors", "status", "_server_id")(path) ||
		strings.Contains(path, ".responses") || strings.Contains(path, ".suggestion")
}

func readProdigy(r value) (f foreignRecord, ok bool) {
	if f, ok = readDatasetRow(r, "answer"); !ok { // accept, reject or ignore
		return f, false
	}
	if hash, found := r.findFirst("_task_hash"); found {
		f.id = hash
	}
	return f, true
}

func readOpenAI(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	f.takeInput("messages", "body.messages", "request.messages", "request.body.messages", "input", "body.input",
		"prompt", "body.prompt")
	f.addSystem("instructions", "body.instructions", "response.body.instructions", "response.instructions")
	f.takeOutput("response.body.choices[0].message", "response.choices[0].message", "choices[0].message",
		"choices[0].text",
		"response.body.output", "response.output", "output", "completion")
	for _, place := range []string{"response.body", "response", ""} {
		f.findCompletions(place)
	}
	f.id, _ = f.find("custom_id", "id", "response.body.id")
	f.takeMeta("model", "model", "response.body.model", "response.model", "body.model")
	f.takeMeta("response_id", "response.body.id", "response.id")
	for _, key := range []string{"created", "created_at", "metadata", "request_id"} {
		f.takeMeta(key, key, "response.body."+key, "response."+key)
	}
	return f, f.hasOutput()
}

func readAnthropic(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	f.takeInput("messages", "params.messages", "request.messages", "prompt")
	f.addSystem("system", "params.system", "request.system")
	f.takeOutput("result.message.content", "response.content", "message.content", "content", "completion")
	f.id, _ = f.find("custom_id", "id", "result.message.id")
	f.takeMeta("model", "model", "result.message.model", "response.model", "params.model", "request.model")
	f.takeMeta("response_id", "result.message.id", "response.id", "message.id")
	return f, f.hasOutput()
}

func readInspect(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	if messages, path := f.peek("messages"); path != "" && isMessageList(messages) {
		f.takeInput(path)
		f.paths = append(f.paths, "input", "output.choices[0].message", "output.completion") // repeat the messages
	} else {
		f.takeInput("input")
		f.takeOutput("output.choices[0].message", "output.completion")
		f.findCompletions("output")
	}
	f.id, _ = f.find("uuid")
	if id, found := f.find("id"); found && f.id.kind == 0 {
		f.id = inspectID(r, id)
	}
	f.takeMeta("sample_id", "id")
	f.takeMeta("model", "output.model")
	return f, f.hasOutput()
}

// inspectID returns the id of a sample and, as samples repeat in each epoch, its epoch.
func inspectID(r, id value) value {
	text := exactText(id)
	if epoch, ok := r.find("epoch"); ok && string(epoch.raw) != "1" {
		text += "#" + string(epoch.raw)
	}
	return textValue(text)
}

// readDatasetRow finds the parts of a row by the usual names of columns, except others. All other
// columns are metadata.
func readDatasetRow(r value, except ...string) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	first := func(keys []string) string {
		i := slices.IndexFunc(keys, func(key string) bool {
			v, ok := findMember(r.members, key)
			return ok && !v.is('n') && !slices.Contains(except, key)
		})
		if i < 0 {
			return ""
		}
		return keys[i]
	}
	messages := first(messageKeys)
	if v, _ := findMember(r.members, messages); messages != "" && isMessageList(v.parsed()) {
		f.takeInput(messages)
	} else if key := first(inputKeys); key != "" {
		f.takeInput(key)
	}
	if key := first(outputKeys); key != "" {
		f.takeOutput(key)
	}
	if key := first(contextKeys); key != "" {
		f.takeContexts(key)
	}
	f.id, _ = f.find("id", "example_id", "uid")
	f.recordID, _ = f.find("record_id")
	return f, len(f.blocks) > 0
}
