package importer

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
)

// A block is a turn of a conversation of another program.
type block struct {
	project.Turn
	messageNo int     // of the message that it is a part of, from 1
	rest      []value // of the message or part: what the turn does not hold
}

// A messageReader turns messages into blocks. No part of a message is lost: one without a kind of
// its own becomes a document that is named as the part is.
type messageReader struct {
	blocks    []block
	toolNames map[string]string // by the id of the call
	callIDs   map[string]bool   // of the current message
	messageNo int
}

// readMessages returns the blocks of a list of messages, or of items of the Responses API.
func readMessages(list value) []block {
	r := messageReader{toolNames: map[string]string{}}
	for _, message := range list.list {
		r.messageNo++
		r.readMessage(message)
	}
	return r.blocks
}

// Where messages have their content, what the model thought, and the calls of tools.
var (
	bodyKeys     = []string{"content", "text", "value", "parts", "contents", "completion", "output_text"}
	thinkingKeys = []string{"reasoning_content", "reasoning", "thinking", "additional_kwargs.reasoning_content"}
	callListKeys = []string{"tool_calls", "additional_kwargs.tool_calls", "toolCalls", "invalid_tool_calls",
		"tools_called"}
	callKeys = []string{"function_call", "additional_kwargs.function_call", "functionCall"}
)

func (r *messageReader) readMessage(message value) {
	message = unwrapMessage(message)
	role := foreignRole(message)
	r.callIDs = map[string]bool{}
	if role == "" || isItem(message) {
		r.readPart("assistant", message)
		return
	}
	u := &usage{record: message, paths: []string{"type", "kind"}}
	u.paths = append(u.paths, roleKeys...)
	first := len(r.blocks)
	if thought, ok := u.find(thinkingKeys...); ok {
		r.addTexts(project.Turn{Role: role, Kind: project.TurnThinking}, thought)
	}
	speaking := r.speaking(role, u)
	if content, ok := u.find(bodyKeys...); ok {
		r.readContent(speaking, content)
	}
	for _, path := range []string{"refusal", "audio.transcript"} {
		if text, ok := u.find(path); ok && text.text != "" {
			r.addText(project.Turn{Role: role, Text: text.text})
		}
	}
	if images, ok := u.find("images"); ok {
		for _, image := range images.list {
			r.readPart(role, mergeMembers(image, textMember("type", "image")))
		}
	}
	r.readCalls(role, u)
	if len(r.blocks) == first { // an empty reply is a reply
		r.addText(speaking)
	}
	r.blocks[first].rest = append(r.blocks[first].rest, objectValue(u.unused()...))
}

// speaking returns the turn, without its text, of what is written in a message: a message, the
// result of a tool, or a call in the role of a tool, as ShareGPT writes it.
func (r *messageReader) speaking(role string, u *usage) project.Turn {
	written, _ := u.peek(roleKeys...)
	switch {
	case plainName(written.text) == "functioncall" || plainName(written.text) == "toolcall":
		return project.Turn{Role: "assistant", Kind: project.TurnToolCall}
	case role == "tool":
		turn := project.Turn{Role: role, Kind: project.TurnToolResult}
		if id, ok := u.find(callIDKeys...); ok {
			turn.CallID = id.text
		}
		if name, ok := u.find("name", "tool_name", "function", "toolName"); ok && name.is('"') {
			turn.Name = name.text
		} else {
			turn.Name = r.toolNames[turn.CallID]
		}
		return turn
	}
	return project.Turn{Role: role}
}

// readContent adds the blocks of the content of a message: a text, or its parts.
func (r *messageReader) readContent(turn project.Turn, content value) {
	if parts, ok := findMember(content.members, "parts"); ok && parts.is('[') { // as ChatGPT exports it
		content = parts
	}
	switch {
	case content.is('[') && isCited(content):
		r.readCited(turn, content)
	case content.is('['):
		for _, part := range content.list {
			r.readSpoken(turn, part)
		}
	case !content.is('"') || content.text != "":
		r.readSpoken(turn, content)
	}
}

// readSpoken adds a text that is written in turn, or another part of its message.
func (r *messageReader) readSpoken(turn project.Turn, part value) {
	if part.is('{') {
		inner := unwrapPart(part)
		if kind := partKind(inner); kind != kindText {
			r.readPart(turn.Role, part)
			return
		}
		u := &usage{record: inner, paths: []string{"type", "part_kind"}}
		text, _ := u.find(partTextKeys...)
		turn.Text = exactText(text)
		r.add(turn, u)
		return
	}
	if turn.Kind == project.TurnToolCall { // ShareGPT: a call in JSON
		if name, ok := part.find("name"); ok {
			arguments, _ := part.findFirst("arguments", "parameters", "args")
			turn.Name, part = name.text, arguments
		}
	}
	turn.Text = exactText(part)
	r.addText(turn)
}

// isCited reports whether content is one text that was cut where sources are cited.
func isCited(content value) bool {
	return slices.ContainsFunc(content.list, func(part value) bool {
		citations, ok := part.findFirst("citations")
		return ok && len(citations.list) > 0
	})
}

// readCited adds the texts of content, joined where they follow each other.
func (r *messageReader) readCited(turn project.Turn, content value) {
	isOpen := false
	for _, part := range content.list {
		text, isText := part.findFirst("text")
		if isText = isText && partKind(part) == kindText; !isText {
			r.readPart(turn.Role, part)
		} else if isOpen {
			r.blocks[len(r.blocks)-1].Text += text.text
		} else {
			turn.Text = text.text
			r.addText(turn)
		}
		if citations, ok := part.findFirst("citations"); isText && ok {
			last := &r.blocks[len(r.blocks)-1]
			last.rest = append(last.rest, objectValue(member{"citations", citations}))
		}
		isOpen = isText
	}
}

// readCalls adds the calls of tools in a message. Some programs write them twice.
func (r *messageReader) readCalls(role string, u *usage) {
	for _, key := range callListKeys {
		calls, ok := u.find(key)
		if !ok {
			continue
		}
		for _, call := range calls.parsed().list {
			if id, _ := unwrapPart(call).findFirst(callIDKeys...); !r.callIDs[id.text] {
				r.readCall(role, unwrapPart(call))
			}
		}
	}
	for _, key := range callKeys {
		if call, ok := u.find(key); ok && call.is('{') {
			r.readCall(role, call)
			break
		}
	}
}

func (r *messageReader) addText(turn project.Turn) {
	r.blocks = append(r.blocks, block{turn, r.messageNo, nil})
}

// add adds a turn with what u did not find.
func (r *messageReader) add(turn project.Turn, u *usage) {
	r.blocks = append(r.blocks, block{turn, r.messageNo, []value{objectValue(u.unused()...)}})
}

// addTexts adds a turn for each text of v: a text, or a list of them.
func (r *messageReader) addTexts(turn project.Turn, v value) {
	if v.is('[') {
		for _, element := range v.list {
			r.addTexts(turn, element)
		}
		return
	}
	if inner, ok := v.findFirst(partTextKeys...); ok && v.is('{') {
		v = inner
	}
	if turn.Text = exactText(v); turn.Text != "" {
		r.addText(turn)
	}
}

// unwrapMessage returns a message without the object that some programs put around it.
func unwrapMessage(message value) value {
	for _, key := range []string{"kwargs", "data", "message"} { // LangChain, LangChain, OpenInference
		inner, ok := findMember(message.members, key)
		if ok && inner.is('{') {
			role := foreignRole(message)
			var outer []member
			for _, m := range message.members {
				if m.key != key && m.key != "lc" && m.key != "id" && m.key != "type" {
					outer = append(outer, m)
				}
			}
			if role != "" {
				outer = append(outer, textMember("role", role))
			}
			return mergeMembers(inner, outer...)
		}
	}
	return cutPrefix(message, "message.")
}

// mergeMembers returns an object with the members of v, and others whose keys v lacks.
func mergeMembers(v value, others ...member) value {
	members := slices.Clone(v.members)
	for _, m := range others {
		if _, ok := findMember(members, m.key); !ok {
			members = append(members, m)
		}
	}
	return objectValue(members...)
}
