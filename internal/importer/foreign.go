package importer

import (
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A foreignRecord is what a preset finds in a record of another program: a call of a model, or
// a row of a data set.
type foreignRecord struct {
	id       value
	recordID value
	turns    []value // of the conversation, with the output
	input    string  // what the user asked
	output   string
	hasInput, hasOutput,
	hasContexts bool
	contexts []value // retrieved chunks
	meta     []member
}

// newForeignRecord finds the parts of a record by the values that hold its input, output and
// retrieved documents. Values that do not exist are null.
func newForeignRecord(input, output, contexts value) (f foreignRecord) {
	f.readInput(input.parsed())
	f.readOutput(output.parsed())
	if contexts = contexts.parsed(); contexts.kind != 0 && !contexts.is('n') {
		f.contexts = foreignChunks(contexts)
		f.hasContexts = len(f.contexts) > 0
	}
	return f
}

func (f *foreignRecord) readInput(v value) {
	if v.is('{') {
		if messages, ok := v.findFirst(messageKeys...); ok {
			v = flatMessages(messages.parsed())
		} else if inner, ok := v.findFirst(inputKeys...); ok && foreignRole(v) == "" {
			f.readInput(inner.parsed())
			return
		}
	}
	if isMessageList(v) {
		f.turns = foreignTurns(v)
		f.input, _ = lastTurn(f.turns, "user")
		f.hasInput = f.input != ""
		return
	}
	if f.input, f.hasInput = foreignText(v); f.hasInput {
		f.turns = []value{objectValue(textMember("role", "user"), textMember("content", f.input))}
	}
}

// flatMessages returns the only list of a list of lists of messages.
func flatMessages(v value) value {
	if v.is('[') && len(v.list) == 1 && v.list[0].is('[') {
		return v.list[0]
	}
	return v
}

// outputPaths lead to the text or message that a model returned.
var outputPaths = append([]string{"choices[0].message", "choices[0].text", "generations[0][0].message", "generations[0][0].text",
	"output[-1].content", "message", "messages", "content", "text"}, outputKeys...)

func (f *foreignRecord) readOutput(v value) {
	if v.kind == 0 || v.is('n') {
		return
	}
	if v.is('{') && foreignRole(v) == "" {
		if inner, ok := v.findFirst(outputPaths...); ok {
			f.readOutput(inner.parsed())
			return
		}
	}
	switch v = flatMessages(v); {
	case isMessageList(v): // the output alone, or the whole conversation again
		turns := foreignTurns(v)
		if len(turns) > 1 {
			f.turns = nil
		}
		f.output, _ = lastTurn(turns, "assistant")
		f.turns = append(f.turns, turns...)
		f.hasOutput = true
	default:
		if f.output, f.hasOutput = foreignText(v); f.hasOutput {
			calls := toolCalls(v)
			if f.output == "" {
				f.output = calls
			}
			f.turns = append(f.turns, objectValue(textMember("role", "assistant"), textMember("content", f.output)))
		}
	}
}

// addMeta keeps the first value that exists at paths as metadata, if it is not null.
func (f *foreignRecord) addMeta(key string, v value, paths ...string) {
	found, ok := v.findFirst(paths...)
	if ok && found.kind != 0 && !slices.ContainsFunc(f.meta, func(m member) bool { return m.key == key }) {
		f.meta = append(f.meta, member{key, found})
	}
}

// splitOutput takes the input and the output from a conversation that has both.
func (f *foreignRecord) splitOutput() {
	if f.hasOutput || len(f.turns) == 0 {
		return
	}
	output, i := lastTurn(f.turns, "assistant")
	if i < 0 {
		return
	}
	f.output, f.hasOutput = output, true
	f.input, _ = lastTurn(f.turns[:i], "user")
	f.hasInput = f.input != ""
}

// members returns the columns of an item of u that f has.
func (f foreignRecord) members(u protocol.Unit) (members []member) {
	add := func(key string, v value, ok bool) {
		if ok && !slices.ContainsFunc(members, func(m member) bool { return m.key == key }) {
			members = append(members, member{key, v})
		}
	}
	add("id", f.id, f.id.is('"') || f.id.is('0'))
	add("record_id", f.recordID, f.recordID.is('"'))
	if u.RecordKind != protocol.RecordNone {
		add("query", textValue(f.input), f.hasInput)
		add("answer", textValue(f.output), f.hasOutput)
		add("chunks", listValue(f.contexts), f.hasContexts)
		add("context_set", listValue(f.contexts), f.hasContexts)
	}
	inputUsed := false
	for _, part := range u.Parts {
		switch {
		case part.Kind == protocol.PartConversation:
			add(part.Key, listValue(f.turns), len(f.turns) > 0)
		case part.Kind != protocol.PartText: // the chunks of a record
		case part.Judged:
			add(part.Key, textValue(f.output), f.hasOutput)
		case !part.Supporting && !inputUsed:
			inputUsed = true
			add(part.Key, textValue(f.input), f.hasInput)
		}
	}
	for _, m := range f.meta {
		add(m.key, m.value, true)
	}
	return members
}
