package importer

import (
	"slices"
	"strconv"
	"strings"
)

// readPromptfoo reads a result. The question is the variable with a usual name, else the prompt.
func readPromptfoo(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	prompt, _ := r.findFirst("prompt.raw", "prompt")
	if isMessageList(prompt.parsed()) {
		f.takeInput("prompt.raw", "prompt")
	} else {
		var paths []string
		for _, key := range inputKeys {
			paths = append(paths, "vars."+key)
		}
		f.takeInput(append(paths, "prompt.raw", "prompt")...)
	}
	for _, key := range contextKeys {
		f.takeContexts("vars."+key, "response.metadata."+key)
	}
	f.takeOutput("response.output", "output")
	f.id, _ = f.find("id")
	if test, found := f.find("testIdx", "description"); found {
		f.recordID = textValue("test-" + exactText(test))
		f.addMeta("test", test)
	}
	f.takeMeta("model", "provider.id", "provider")
	return f, f.hasOutput()
}

// readRagas reads a sample, with one turn or several, as the library and its results name it.
func readRagas(r value) (f foreignRecord, ok bool) {
	for i, m := range r.members { // a list in CSV is written as Python writes it
		if slices.Contains([]string{"user_input", "retrieved_contexts", "contexts", "reference_contexts"}, m.key) {
			r.members[i].value = parsePython(m.value)
		}
	}
	f, ok = readDatasetRow(r)
	if responses, found := f.find("multi_responses"); found {
		for i, response := range responses.parsed().list {
			if i == 0 && !f.hasOutput() {
				f.outputAt = len(f.blocks)
				f.addMessages(messagesOf(response, "assistant"))
				continue
			}
			f.completions = append(f.completions, readMessages(messagesOf(response, "assistant")))
		}
	}
	return f, ok && f.hasOutput()
}

// parsePython returns the list that a text holds in the notation of Python, else v.
func parsePython(v value) value {
	text := strings.TrimSpace(v.text)
	if !v.is('"') || !strings.HasPrefix(text, "['") && !strings.HasPrefix(text, `["`) {
		return v
	}
	var list []value
	for rest := text[1:]; ; {
		rest = strings.TrimLeft(rest, " \n,")
		if rest == "]" {
			return listValue(list)
		}
		element, after, ok := cutPythonText(rest)
		if !ok {
			return v
		}
		list, rest = append(list, textValue(element)), after
	}
}

// cutPythonText returns the text in quotes that s starts with, and what follows.
func cutPythonText(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", "", false
	}
	var out strings.Builder
	escapes := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"'}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return out.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			escaped, isKnown := escapes[s[i+1]]
			if !isKnown { // such as \x80 of a character that cannot be printed
				return "", "", false
			}
			out.WriteByte(escaped)
			i++
		default:
			out.WriteByte(s[i])
		}
	}
	return "", "", false
}

// splitDeepEval returns the test cases in a document: a data set, or the file of a test run.
func splitDeepEval(document value) (records []value) {
	for _, key := range []string{"testCases", "conversationalTestCases", "test_cases", "conversational_test_cases",
		"goldens", "conversations"} {
		if list, ok := document.find(key); ok && list.is('[') {
			records = append(records, list.list...)
		}
	}
	if records == nil {
		return []value{document}
	}
	return records
}

func readDeepEval(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	f.takeInput("turns", "input")
	if calls, found := f.find("tools_called", "toolsCalled"); found {
		f.addMessages(listValue([]value{objectValue(textMember("role", "assistant"), member{"tools_called", calls})}))
	}
	f.takeOutput("actual_output", "actualOutput")
	if contexts, path := f.peek("retrieval_context", "retrievalContext"); contexts.is('"') &&
		!contexts.parsed().is('[') {
		f.use(path) // joined with a mark, as the library does in files
		f.contexts, f.hasContexts = foreignChunks(splitJoined(contexts.text)), contexts.text != ""
	} else {
		f.takeContexts("retrieval_context", "retrievalContext", "context")
	}
	f.id, _ = f.find("id", "identifier")
	return f, f.hasOutput()
}

// splitJoined returns the texts that DeepEval has joined with "|", which they may have, too: in a table or a
// command it has spaces, signs or another one next to it.
func splitJoined(text string) value {
	var list []value
	start := 0
	for i := range len(text) {
		if text[i] == '|' && i > start && i+1 < len(text) && !isTableByte(text[i-1]) && !isTableByte(text[i+1]) {
			list = append(list, textValue(text[start:i]))
			start = i + 1
		}
	}
	return listValue(append(list, textValue(text[start:])))
}

func isTableByte(b byte) bool { return strings.IndexByte(" \t\r\n|-:=&", b) >= 0 }

// readMLflow reads a trace: the input and output of its root span, and what its retrievers found.
func readMLflow(r value) (f foreignRecord, ok bool) {
	f = newForeignRecord(r)
	f.textsAreJSON = true
	spans, path := f.peek("data.spans", "spans")
	isRoot := func(span value) bool {
		parent, hasParent := span.findFirst("parent_span_id", "parent_id")
		return !hasParent || parent.text == ""
	}
	var inputs, outputs []string
	if path != "" {
		list := spans.parsed().list
		if root := slices.IndexFunc(list, isRoot); root >= 0 {
			at := elementPath(path, root)
			inputs, outputs = mlflowPaths(at, "mlflow.spanInputs", "inputs"),
				mlflowPaths(at, "mlflow.spanOutputs", "outputs")
		}
		for i, span := range list {
			if kind, _ := span.findFirst("attributes.mlflow.spanType", "span_type"); strings.Trim(kind.text,
				`"`) == "RETRIEVER" {
				f.takeContexts(mlflowPaths(elementPath(path, i), "mlflow.spanOutputs", "outputs")...)
			}
		}
	}
	f.takeInput(append(inputs, "request", "data.request", "info.request_preview")...)
	f.takeOutput(append(outputs, "response", "data.response", "info.response_preview")...)
	f.id, _ = f.find("info.trace_id", "trace_id", "info.request_id", "request_id")
	f.recordID = f.id
	f.addMeta("trace_id", f.id)
	return f, f.hasOutput()
}

func elementPath(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func mlflowPaths(span, attribute, key string) []string {
	return []string{span + ".attributes." + attribute, span + "." + key}
}
