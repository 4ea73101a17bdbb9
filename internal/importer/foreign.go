package importer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A foreignRecord is what a preset finds in a record of another program: a call of a model, or
// a row of a data set. All that it does not find becomes metadata, or is named as left out.
type foreignRecord struct {
	usage
	id       value
	recordID value

	blocks       []block   // of the conversation, with the output
	completions  [][]block // further outputs, each instead of the last
	completionAt []string  // their paths
	outputAt     int       // where in blocks the output starts, if there are completions
	messageCount int
	hasContexts  bool
	contexts     []value // retrieved chunks
	meta         []member
	source       value // the record as it is classified; none: as the file has it
	leavesOut    func(path string) bool
	textsAreJSON bool // even plain ones, in quotes

	// textsMayBeJSON says that an object or list in a text is not what a model wrote as a text.
	textsMayBeJSON bool
}

func newForeignRecord(record value) foreignRecord { return foreignRecord{usage: usage{record: record}} }

// takeInput reads what the model was asked from the first path that exists: messages, or a text.
func (f *foreignRecord) takeInput(paths ...string) {
	if v, path := f.peek(paths...); path != "" {
		f.readInput(f.decode(v), path)
	}
}

// decode returns what a text holds: JSON, where f says that texts do, and messages anywhere. Other
// JSON is what a model wrote, which stays as it is.
func (f *foreignRecord) decode(v value) value {
	parsed := v.parsed()
	switch {
	case f.textsAreJSON && strings.HasPrefix(v.text, `"`) && jsontext.Value(v.text).IsValid():
		if text, problem := unquote([]byte(v.text)); problem == "" {
			return textValue(text)
		}
	case f.textsAreJSON || f.textsMayBeJSON || isMessageList(parsed):
		return parsed
	}
	return v
}

func (f *foreignRecord) readInput(v value, path string) {
	if v.is('{') && !isMessage(v) {
		for _, key := range slices.Concat(messageKeys, inputKeys) {
			if inner, ok := findMember(v.members, key); ok && !inner.is('n') {
				f.readInput(f.decode(inner), joinPath(path, key))
				return
			}
		}
	}
	f.use(path)
	f.addMessages(messagesOf(v, "user"))
}

// addSystem puts instructions before the conversation.
func (f *foreignRecord) addSystem(paths ...string) {
	if v, ok := f.find(paths...); ok {
		f.messageCount++
		blocks := readMessages(messagesOf(f.decode(v), "system"))
		for i := range blocks {
			blocks[i].messageNo = 0
		}
		f.blocks = append(blocks, f.blocks...)
	}
}

func (f *foreignRecord) addMessages(list value) {
	blocks := readMessages(list)
	for i := range blocks {
		blocks[i].messageNo += f.messageCount
	}
	f.messageCount += len(list.list)
	f.blocks = append(f.blocks, blocks...)
}

// outputPaths lead to the text or message that a model returned.
var outputPaths = append([]string{"choices[0].message", "choices[0].text", "generations[0][0].message",
	"generations[0][0].text",
	"candidates[0].content", "message", "messages", "content", "text"}, outputKeys...)

// takeOutput reads what the model returned from the first path that exists.
func (f *foreignRecord) takeOutput(paths ...string) {
	if v, path := f.peek(paths...); path != "" {
		f.readOutput(f.decode(v), path)
	}
}

func (f *foreignRecord) readOutput(v value, path string) {
	if v.is('{') && !isMessage(v) {
		for _, inner := range outputPaths {
			if found, ok := v.find(inner); ok && !found.is('n') {
				f.findCompletions(path)
				f.readOutput(f.decode(found), joinPath(path, inner))
				if inner == "generations[0][0].message" {
					f.use(joinPath(path, "generations[0][0].text")) // the same
				}
				return
			}
		}
	}
	f.use(path)
	list := messagesOf(v, "assistant")
	if blocks := readMessages(list); slices.ContainsFunc(blocks, func(b block) bool {
		return b.Role == "user" && b.Kind == ""
	}) {
		f.blocks, f.messageCount = nil, 0 // the output is the whole conversation again
	}
	f.outputAt = len(f.blocks)
	f.addMessages(list)
}

// findCompletions reads the outputs after the first in what a program returned.
func (f *foreignRecord) findCompletions(path string) {
	_, list := f.peek(joinPath(path, "choices"), joinPath(path, "generations[0]"), joinPath(path, "candidates"))
	if list == "" {
		return
	}
	for i := 1; ; i++ {
		choice := list + "[" + strconv.Itoa(i) + "]."
		message, at := f.peek(choice+"message", choice+"text", choice+"content")
		if at == "" {
			return
		}
		f.completions = append(f.completions, readMessages(messagesOf(message, "assistant")))
		f.completionAt = append(f.completionAt, at)
	}
}

// takeContexts reads the retrieved chunks from the first path that exists.
func (f *foreignRecord) takeContexts(paths ...string) {
	v, path := f.peek(paths...)
	if path == "" || f.hasContexts {
		return
	}
	if v = v.parsed(); v.is('[') || v.is('"') {
		f.use(path)
		f.contexts, f.hasContexts = foreignChunks(v), true
	}
}

// takeMeta keeps the first value that exists at paths as metadata under key.
func (f *foreignRecord) takeMeta(key string, paths ...string) {
	if v, ok := f.find(paths...); ok {
		f.addMeta(key, v)
	}
}

func (f *foreignRecord) addMeta(key string, v value) {
	if v.kind != 0 && !slices.ContainsFunc(f.meta, func(m member) bool { return m.key == key }) {
		f.meta = append(f.meta, member{key, v})
	}
}

// hasOutput reports whether a model returned something, if only an empty text.
func (f *foreignRecord) hasOutput() bool {
	return slices.ContainsFunc(f.blocks, func(b block) bool { return b.Role == "assistant" })
}

// A view is what one item shows of a record.
type view struct {
	blocks              []block
	input, output       string
	hasInput, hasOutput bool
}

// views returns what the items of u show of f: the whole conversation, or, where u shows one
// question and one answer, the last pair; with TakeEach all pairs, and all completions.
func (f *foreignRecord) views(u protocol.Unit, take Take) (views []view) {
	conversations := [][]block{f.blocks}
	if take == TakeEach {
		f.paths = append(f.paths, f.completionAt...)
		for _, completion := range f.completions {
			conversations = append(conversations, slices.Concat(f.blocks[:f.outputAt], completion))
		}
	}
	for i, blocks := range conversations {
		pairs := splitPairs(blocks)
		switch {
		case showsConversation(u) || len(pairs) == 0:
			v := view{blocks: blocks}
			if len(pairs) > 0 {
				last := pairs[len(pairs)-1]
				v.input, v.output, v.hasInput, v.hasOutput = last.input, last.output, last.hasInput, last.hasOutput
			} else {
				v.input, v.hasInput = messageText(blocks, lastMessage(blocks, "user"))
			}
			views = append(views, v)
		case take == TakeEach && i == 0:
			views = append(views, pairs...)
		default:
			views = append(views, pairs[len(pairs)-1])
		}
	}
	return views
}

func showsConversation(u protocol.Unit) bool {
	return slices.ContainsFunc(u.Parts, func(p protocol.Part) bool {
		return p.Kind == protocol.PartConversation &&
			!p.Supporting
	})
}

// splitPairs returns the answers of a conversation, each with the message of the user before it.
// What the assistant says and does until the user speaks again is one answer; its text is the
// last that it says, or the calls that it ends with.
func splitPairs(blocks []block) (pairs []view) {
	for start := 0; start < len(blocks); {
		question := start
		for question < len(blocks) && isOfUser(blocks[question]) {
			question++
		}
		end := question
		for end < len(blocks) && !isOfUser(blocks[end]) {
			end++
		}
		pair := view{blocks: blocks[start:end]}
		pair.input, pair.hasInput = messageText(blocks[start:question], lastMessage(blocks[start:question], "user"))
		pair.output, pair.hasOutput = messageText(blocks[question:end], lastMessage(blocks[question:end], "assistant"))
		if pair.hasOutput {
			pairs = append(pairs, pair)
		}
		start = end
	}
	return pairs
}

func isOfUser(b block) bool { return b.Role == "user" }

// lastMessage returns the number of the last message of role, or -1.
func lastMessage(blocks []block, role string) int {
	for _, b := range slices.Backward(blocks) {
		if b.Role == role && b.Kind != project.TurnThinking {
			return b.messageNo
		}
	}
	return -1
}

// messageText returns what a message says: its texts, or the calls of tools in one without.
func messageText(blocks []block, messageNo int) (text string, ok bool) {
	calls := ""
	for _, b := range blocks {
		switch {
		case b.messageNo != messageNo:
		case b.Kind == project.TurnMessage:
			ok = true
			text = joinTexts(text, b.Text)
		case b.Kind == project.TurnToolCall:
			ok = true
			calls = joinTexts(calls, b.Name+" "+b.Text)
		default:
			ok = true
		}
	}
	if text == "" {
		text = calls
	}
	return text, ok
}

func joinTexts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// members returns the columns of an item of u that shows v of f.
func (f *foreignRecord) members(u protocol.Unit, v view) (members []member) {
	add := func(key string, v value, ok bool) {
		if ok && !slices.ContainsFunc(members, func(m member) bool { return m.key == key }) {
			members = append(members, member{key, v})
		}
	}
	add("id", f.id, f.id.is('"') || f.id.is('0'))
	add("record_id", f.recordID, f.recordID.is('"') || f.recordID.is('0'))
	if u.RecordKind != protocol.RecordNone {
		add("query", textValue(v.input), v.hasInput)
		add("answer", textValue(v.output), v.hasOutput)
		add("chunks", listValue(f.contexts), f.hasContexts)
	}
	inputUsed := false
	for _, part := range u.Parts {
		switch {
		case part.Kind == protocol.PartConversation:
			add(part.Key, turnsValue(v.blocks), len(v.blocks) > 0)
		case part.Kind != protocol.PartText: // the chunks of a record
		case part.Judged:
			add(part.Key, textValue(v.output), v.hasOutput)
		case !part.Supporting && !inputUsed:
			inputUsed = true
			add(part.Key, textValue(v.input), v.hasInput)
		}
	}
	for _, m := range f.meta {
		add(m.key, m.value, true)
	}
	return members
}

// numberMembers returns the columns of the n-th of several items of f, which share a record.
func (f *foreignRecord) numberMembers(members []member, n int) []member {
	id, record := exactText(f.id), f.recordID
	if id == "" {
		id = "r-" + hashTexts(string(turnsValue(f.blocks).json()))
	}
	if record.kind == 0 {
		record = textValue(id)
	}
	members = slices.DeleteFunc(members, func(m member) bool { return m.key == "id" || m.key == "record_id" })
	return append(members, textMember("id", id+"#"+strconv.Itoa(n)), member{"record_id", record})
}

// turnsValue returns the turns as a file of conversations has them.
func turnsValue(blocks []block) value {
	turns := make([]value, len(blocks))
	for i, b := range blocks {
		turns[i] = turnValue(b.Turn)
	}
	return listValue(turns)
}

func turnValue(t project.Turn) value {
	members := []member{textMember("role", t.Role)}
	optional := []member{textMember("kind", string(t.Kind)), textMember("name", t.Name),
		textMember("call_id", t.CallID), textMember("address", t.Address)}
	for _, m := range optional {
		if m.text != "" {
			members = append(members, m)
		}
	}
	return objectValue(append(members, textMember("text", t.Text))...)
}
