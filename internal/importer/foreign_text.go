package importer

import (
	"slices"
	"strconv"
	"strings"
)

// The keys under which other programs write the same thing.
var (
	roleKeys    = []string{"role", "author.role", "from", "type", "author", "sender", "speaker", "kind"}
	messageKeys = []string{"messages", "conversation", "conversations", "turns", "dialogue", "dialog", "chat",
		"history"}
	inputKeys = []string{"query", "question", "prompt", "user_statement", "instruction", "user_input", "input",
		"text"}
	outputKeys = []string{"answer", "response", "output", "completion", "generation", "generated_text",
		"prediction", "result"}
	contextKeys = []string{"chunks", "contexts", "retrieved_contexts", "retrieval_context", "retrievalContext",
		"documents", "source_documents", "source_nodes", "docs", "passages", "sources", "context"}
	chunkIDKeys = []string{"chunk_id", "document.id", "id", "doc_id", "metadata.id", "node.id_", "node.node_id",
		"id_", "metadata.chunk_id"}
	sourceKeys = []string{"doc_id", "doc_uri", "source", "metadata.source", "metadata.doc_uri", "meta.source",
		"metadata.file_name", "node.metadata.file_name", "kwargs.metadata.source", "document.metadata.source",
		"url", "title"}
	documentKeys = []string{"text", "content", "page_content", "pageContent", "document.content", "node.text",
		"kwargs.page_content", "document.page_content", "chunk", "body"}
)

// roleNames are the roles of other programs.
var roleNames = map[string]string{
	"human": "user", "humanmessage": "user", "humanmessagechunk": "user", "customer": "user", "prompter": "user",
	"request": "user",
	"ai":      "assistant", "aimessage": "assistant", "aimessagechunk": "assistant", "model": "assistant",
	"gpt": "assistant", "bot": "assistant", "chatbot": "assistant",
	"functioncall": "assistant", "response": "assistant",
	"systemmessage": "system", "developer": "system",
	"function": "tool", "toolmessage": "tool", "functionmessage": "tool", "observation": "tool",
	"toolresponse": "tool", "ipython": "tool",
}

// isMessage reports whether v is a message with a role, or an item of the Responses API.
func isMessage(v value) bool {
	return v.is('{') && (foreignRole(unwrapMessage(v)) != "" || isItem(v))
}

// isMessageList reports whether v is a list of messages. Roles that are not known are reported
// when the turns are read.
func isMessageList(v value) bool {
	hasRole := func(m value) bool {
		_, ok := unwrapMessage(m).findFirst("role", "from", "author.role")
		return m.is('{') && (ok || isMessage(m) || partKind(m) == kindUnknown && partType(m) != "")
	}
	return v.is('[') && slices.ContainsFunc(v.list, isMessage) && !slices.ContainsFunc(v.list, func(m value) bool {
		return !hasRole(m)
	})
}

// messagesOf returns the messages in v: a list of them, one, or a text or the parts of one of
// role. An object that is none of these is a text in JSON.
func messagesOf(v value, role string) value {
	if v.is('[') && len(v.list) == 1 && v.list[0].is('[') {
		v = v.list[0]
	}
	switch {
	case isMessageList(v):
		return v
	case isMessage(v):
		return listValue([]value{v})
	case v.is('['):
		isPart := func(part value) bool {
			return part.is('"') || part.is('{') && partKind(unwrapPart(part)) != kindUnknown
		}
		if len(v.list) > 0 && !slices.ContainsFunc(v.list, func(part value) bool { return !isPart(part) }) {
			return listValue([]value{objectValue(textMember("role", role), member{"content", v})})
		}
	case v.is('{'):
		if text, ok := v.findFirst(bodyKeys...); ok && !text.is('{') {
			return listValue([]value{mergeMembers(v, textMember("role", role))})
		}
	}
	return listValue([]value{objectValue(textMember("role", role), textMember("content", exactText(v)))})
}

// foreignRole returns the role of a message, "" if it has none.
func foreignRole(message value) string {
	for _, key := range roleKeys {
		v, ok := message.find(key)
		if !ok || !v.is('"') {
			continue
		}
		name := plainName(v.text)
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

// foreignChunks returns the retrieved documents in the order of their list, as the chunks of
// a record.
func foreignChunks(v value) (chunks []value) {
	v = v.parsed()
	if v.is('"') && v.text != "" {
		v = listValue([]value{v})
	}
	for i, document := range v.list {
		u := &usage{}
		if document.is('{') { // not a text that is JSON
			u.record = document
		}
		chunk := []member{{"chunk_rank", numberValue(i + 1)}, textMember("chunk_id", "c"+strconv.Itoa(i+1))}
		if id := readFirstText(u, chunkIDKeys...); id != "" {
			chunk[1] = textMember("chunk_id", id)
		}
		if source := readFirstText(u, sourceKeys...); source != "" {
			chunk = append(chunk, textMember("doc_id", source))
		}
		text, ok := u.find(documentKeys...)
		if !ok {
			text = document
		}
		if rank, found := u.find("chunk_rank"); found && rank.is('0') {
			chunk[0].value = rank
		}
		chunk = append(chunk, textMember("text", exactText(text)))
		if ok {
			chunk = append(chunk, u.unused()...)
		}
		chunks = append(chunks, objectValue(chunk...))
	}
	return distinctChunks(chunks)
}

// distinctChunks numbers the chunks if two have the same id: several parts of one document.
func distinctChunks(chunks []value) []value {
	seen := map[string]bool{}
	isRepeated := false
	for _, c := range chunks {
		id := c.members[1].text
		isRepeated = isRepeated || seen[id]
		seen[id] = true
	}
	if isRepeated {
		for i, c := range chunks {
			c.members[1].value = textValue("c" + strconv.Itoa(i+1))
		}
	}
	return chunks
}
