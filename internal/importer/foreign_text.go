package importer

import (
	"slices"
	"strconv"
	"strings"
)

// The keys under which other programs write the same thing.
var (
	textKeys     = []string{"content", "text", "value", "message.content", "kwargs.content", "parts", "message", "output_text", "completion", "refusal"}
	roleKeys     = []string{"role", "message.role", "from", "type", "author", "sender", "kwargs.type"}
	messageKeys  = []string{"messages", "conversation", "conversations", "turns", "dialogue", "dialog", "chat", "history"}
	inputKeys    = []string{"query", "question", "prompt", "user_statement", "instruction", "user_input", "input", "text"}
	outputKeys   = []string{"answer", "response", "output", "completion", "generation", "generated_text", "prediction"}
	contextKeys  = []string{"chunks", "contexts", "retrieved_contexts", "documents", "docs", "passages", "sources", "context"}
	chunkIDKeys  = []string{"chunk_id", "document.id", "id", "doc_id", "metadata.id"}
	sourceKeys   = []string{"doc_id", "source", "metadata.source", "document.metadata.source", "url", "title"}
	documentKeys = []string{"text", "content", "page_content", "pageContent", "document.content", "chunk", "body"}
)

// roleNames are the roles of other programs.
var roleNames = map[string]string{
	"human": "user", "humanmessage": "user", "humanmessagechunk": "user", "customer": "user", "prompter": "user",
	"ai": "assistant", "aimessage": "assistant", "aimessagechunk": "assistant", "model": "assistant", "gpt": "assistant", "bot": "assistant", "chatbot": "assistant",
	"systemmessage": "system", "developer": "system",
	"function": "tool", "toolmessage": "tool", "functionmessage": "tool",
}

// foreignText returns the text of a value of another program: a text, an object with one, or
// a list of the parts of a message.
func foreignText(v value) (text string, ok bool) {
	switch v.kind {
	case '"', '0':
		return v.text, true
	case '{':
		if inner, ok := v.findFirst(textKeys...); ok {
			return foreignText(inner)
		}
		if kind, ok := v.findFirst("type", "modality"); ok && kind.is('"') {
			return "[" + kind.text + "]", true // an image, a call of a tool
		}
	case '[':
		var parts []string
		for _, element := range v.list {
			part, ok := foreignText(element)
			if !ok {
				return "", false
			}
			if part != "" {
				parts = append(parts, part)
			}
		}
		return strings.Join(parts, "\n\n"), true
	}
	return "", false
}

// isMessageList reports whether v is a list of messages, each with a role.
func isMessageList(v value) bool {
	return v.is('[') && len(v.list) > 0 && !slices.ContainsFunc(v.list, func(m value) bool { return !m.is('{') || foreignRole(m) == "" })
}

// foreignRole returns the role of a message, "" if it has none.
func foreignRole(message value) string {
	for _, key := range roleKeys {
		v, ok := message.find(key)
		if !ok || !v.is('"') {
			continue
		}
		name := strings.ToLower(v.text)
		if slices.Contains(turnRoles, name) {
			return name
		}
		if role, ok := roleNames[name]; ok {
			return role
		}
	}
	if id, ok := message.find("id[-1]"); ok { // ["langchain", "schema", "messages", "HumanMessage"]
		return roleNames[strings.ToLower(id.text)]
	}
	return ""
}

// foreignTurns returns the turns of a list of messages.
func foreignTurns(v value) (turns []value) {
	for _, message := range v.list {
		text, _ := foreignText(message)
		if calls := toolCalls(message); calls != "" {
			text = strings.Trim(text+"\n\n"+calls, "\n")
		}
		turns = append(turns, objectValue(textMember("role", foreignRole(message)), textMember("content", text)))
	}
	return turns
}

// toolCalls returns the calls of tools in a message, one per line.
func toolCalls(message value) string {
	calls, ok := message.findFirst("tool_calls", "message.tool_calls", "kwargs.tool_calls", "kwargs.additional_kwargs.tool_calls")
	if !ok {
		return ""
	}
	var lines []string
	for _, call := range calls.parsed().list {
		name, _ := call.findFirst("function.name", "name", "tool_call.function.name", "function")
		lines = append(lines, "[calls "+name.text+"]")
	}
	return strings.Join(lines, "\n")
}

// lastTurn returns the text of the last turn with a role.
func lastTurn(turns []value, role string) (text string, index int) {
	for i, turn := range slices.Backward(turns) {
		if r, _ := turn.find("role"); r.text == role {
			content, _ := turn.find("content")
			return content.text, i
		}
	}
	return "", -1
}

// foreignChunks returns the retrieved documents in the order of their list, as the chunks of
// a record.
func foreignChunks(v value) (chunks []value) {
	v = v.parsed()
	if v.is('"') && v.text != "" {
		v = listValue([]value{v})
	}
	for i, document := range v.list {
		chunk := []member{{"chunk_rank", numberValue(i + 1)}, textMember("chunk_id", "c"+strconv.Itoa(i+1))}
		text, isText := document, document.is('"')
		if !isText {
			text, _ = document.findFirst(documentKeys...)
			if id, ok := document.findFirst(chunkIDKeys...); ok && (id.is('"') && id.text != "" || id.is('0')) {
				chunk[1].value = id
			}
			if source, ok := document.findFirst(sourceKeys...); ok && source.is('"') && source.text != "" {
				chunk = append(chunk, member{"doc_id", source})
			}
		}
		chunks = append(chunks, objectValue(append(chunk, member{"text", text})...))
	}
	return distinctChunks(chunks)
}

// distinctChunks numbers the chunks if two have the same id: several parts of one document.
func distinctChunks(chunks []value) []value {
	seen := map[string]bool{}
	isRepeated := false
	for _, c := range chunks {
		id := c.members[1]
		key := id.text + string(id.raw)
		isRepeated = isRepeated || seen[key]
		seen[key] = true
	}
	if isRepeated {
		for i, c := range chunks {
			c.members[1].value = textValue("c" + strconv.Itoa(i+1))
		}
	}
	return chunks
}
