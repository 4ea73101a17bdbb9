package importer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/labelwright/labelwright/internal/project"
)

// A kindOfPart is what a part of a message is, whatever the program calls it.
type kindOfPart int

const (
	kindUnknown kindOfPart = iota
	kindText
	kindThinking
	kindCall
	kindResult
	kindImage
	kindDocument
)

// partKinds are the names of parts, as plainName writes them.
var partKinds = map[string]kindOfPart{
	"text": kindText, "inputtext": kindText, "outputtext": kindText, "refusal": kindText, "userprompt": kindText,
	"systemprompt": kindText,
	"thinking":     kindThinking, "redactedthinking": kindThinking, "reasoning": kindThinking,
	"reasoningcontent": kindThinking,
	"tooluse":          kindCall, "toolcall": kindCall, "functioncall": kindCall, "servertooluse": kindCall,
	"mcptooluse": kindCall, "toolinvocation": kindCall,
	"executablecode": kindCall, "dynamictool": kindCall,
	"toolresult": kindResult, "toolcallresponse": kindResult, "servertoolcallresponse": kindResult,
	"functionresponse": kindResult, "toolreturn": kindResult,
	"codeexecutionresult": kindResult,
	"image":               kindImage, "imageurl": kindImage, "inputimage": kindImage, "imagefile": kindImage,
	"document": kindDocument, "file": kindDocument, "inputfile": kindDocument, "blob": kindDocument,
	"uri": kindDocument, "filedata": kindDocument,
	"inlinedata": kindDocument, "searchresult": kindDocument, "sourceurl": kindDocument,
	"sourcedocument": kindDocument,
}

// partKind returns the kind of a part that unwrapPart returned.
func partKind(part value) kindOfPart {
	name := plainName(partType(part))
	kind, ok := partKinds[name]
	switch {
	case ok && kind == kindDocument && isImagePart(part):
		return kindImage
	case ok:
		return kind
	case strings.HasSuffix(name, "result") || strings.HasSuffix(name, "calloutput"):
		return kindResult
	case strings.HasSuffix(name, "call") || strings.HasPrefix(partType(part), "tool-"):
		return kindCall
	case name == "":
		if _, ok := part.findFirst(partTextKeys...); ok {
			return kindText
		}
	}
	return kindUnknown
}

func partType(part value) string {
	name, _ := part.findFirst("type", "part_kind", "content_type")
	return name.text
}

func isImagePart(part value) bool {
	kind, _ := part.findFirst("modality", "mime_type", "mimeType", "mediaType", "media_type")
	return strings.HasPrefix(kind.text, "image")
}

// isItem reports whether v is an item of the Responses API that is no message, such as a call.
func isItem(v value) bool {
	kind := partKind(v)
	_, hasRole := v.findFirst("role", "from")
	return v.is('{') && !hasRole && (kind == kindThinking || kind == kindCall || kind == kindResult)
}

// plainName returns a name in lower case without separators: tool_use, toolUse and tool-use are one.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// unwrapPart returns a part with its type, which some programs write as a key around it:
// {"toolUse": {…}}, or before its keys: {"message_content.type": …}.
func unwrapPart(part value) value {
	for _, prefix := range []string{"message_content", "tool_call"} {
		if inner, ok := findMember(part.members, prefix); ok && inner.is('{') && len(part.members) == 1 {
			part = inner
		}
		part = cutPrefix(part, prefix+".")
	}
	if partType(part) != "" {
		return part
	}
	for _, m := range part.members {
		if _, ok := partKinds[plainName(m.key)]; !ok || m.key == "text" || m.is('n') {
			continue
		}
		inner := m.value
		if !inner.is('{') {
			inner = objectValue(member{"content", inner})
		}
		if text, ok := inner.find("reasoningText"); ok {
			inner = text
		}
		others := slices.DeleteFunc(slices.Clone(part.members), func(other member) bool { return other.key == m.key })
		return mergeMembers(inner, append(others, textMember("type", m.key))...)
	}
	if thought, ok := part.find("thought"); ok && thought.is('t') {
		return mergeMembers(part, textMember("type", "thinking"))
	}
	return part
}

// cutPrefix returns an object with the keys after prefix, which those of v have.
func cutPrefix(v value, prefix string) value {
	if !slices.ContainsFunc(v.members, func(m member) bool { return strings.HasPrefix(m.key, prefix) }) {
		return v
	}
	members := slices.Clone(v.members)
	for i := range members {
		members[i].key = strings.TrimPrefix(members[i].key, prefix)
	}
	return objectValue(members...)
}

// The keys under which programs write the same thing about a part.
var (
	partTextKeys = []string{"text.value", "text", "content", "refusal", "output_text", "value", "thinking",
		"reasoning", "summary", "transcript"}
	callIDKeys  = []string{"tool_call_id", "tool_use_id", "toolUseId", "call_id", "toolCallId", "id"}
	nameKeys    = []string{"function.name", "custom.name", "name", "tool_name", "toolName", "function"}
	inputKeysOf = []string{"function.arguments", "custom.input", "arguments", "input", "args", "input_parameters",
		"inputParameters", "server_tool_call", "action", "queries", "code", "operation"}
	outputKeysOf = []string{"output", "outputs", "results", "result", "error"}
	resultKeys   = []string{"content", "output", "response", "result", "outputs", "results", "error"}
	addressKeys  = []string{"image_url.url", "image.image.url", "image_url", "source.url", "url", "uri", "file_uri",
		"fileUri", "image.url", "file_url",
		"source.file_id", "file.file_id", "file_id", "image_file.file_id", "image", "image.path", "path", "content"}
	documentNameKeys = []string{"title", "filename", "file.filename", "file_name", "fileName", "displayName",
		"name", "mime_type", "mimeType", "mediaType", "format"}
	documentTextKeys = []string{"text", "content", "source.data", "source.content", "transcript", "source.text"}
)

// readPart adds a part of a message that is no text of its role.
func (r *messageReader) readPart(role string, part value) {
	part = unwrapPart(part)
	u := &usage{record: part, paths: []string{"type", "part_kind"}}
	switch kind := partKind(part); kind {
	case kindText:
		r.readSpoken(project.Turn{Role: role}, part)
	case kindThinking:
		first := len(r.blocks)
		turn := project.Turn{Role: role, Kind: project.TurnThinking}
		for _, key := range []string{"summary", "thinking", "reasoning", "content", "text"} {
			if thought, ok := u.find(key); ok {
				r.addTexts(turn, thought)
			}
		}
		if len(r.blocks) == first { // hidden by the provider
			turn.Name = partType(part)
			r.addText(turn)
		}
		r.keep(u)
	case kindCall:
		r.readCall(role, part)
	case kindResult:
		r.readResult(part)
	case kindImage:
		turn := project.Turn{Role: role, Kind: project.TurnImage, Address: readAddress(u)}
		turn.Text = readFirstText(u, "alt", "caption", "title", "revised_prompt")
		turn.Name = readFirstText(u, documentNameKeys...)
		r.add(turn, u)
	default:
		turn := project.Turn{Role: role, Kind: project.TurnDocument, Name: readFirstText(u, documentNameKeys...)}
		if encoding, _ := part.findFirst("source.type"); encoding.text != "base64" &&
			plainName(partType(part)) != "blob" {
			if text, ok := u.find(documentTextKeys...); ok {
				turn.Text = documentText(text)
			}
		}
		turn.Address = readAddress(u)
		if turn.Name == "" || kind == kindUnknown && turn.Text == "" {
			turn.Name = partType(part)
		}
		r.add(turn, u)
	}
}

// keep stores what u did not find with the last block.
func (r *messageReader) keep(u *usage) {
	last := &r.blocks[len(r.blocks)-1]
	last.rest = append(last.rest, objectValue(u.unused()...))
}

// readCall adds a call of a tool, with its exact arguments, and the result if it holds that too.
func (r *messageReader) readCall(role string, call value) {
	u := &usage{record: call, paths: []string{"type", "part_kind"}}
	turn := project.Turn{Role: role, Kind: project.TurnToolCall, CallID: readFirstText(u, callIDKeys...),
		Name: readFirstText(u, nameKeys...)}
	if turn.Name == "" {
		turn.Name = strings.TrimSuffix(strings.TrimPrefix(partType(call), "tool-"), "_call")
	}
	if arguments, ok := u.find(inputKeysOf...); ok {
		turn.Text = exactText(arguments)
	}
	r.toolNames[turn.CallID], r.callIDs[turn.CallID] = turn.Name, turn.CallID != ""
	r.addText(turn)
	at := len(r.blocks) - 1
	if plainName(partType(call)) == "imagegenerationcall" { // whose result is the file itself
		r.addText(project.Turn{Role: role, Kind: project.TurnImage, Text: readFirstText(u, "revised_prompt")})
	} else if result, ok := u.find(outputKeysOf...); ok {
		r.addResult(project.Turn{Role: "tool", Kind: project.TurnToolResult, CallID: turn.CallID, Name: turn.Name},
			result)
	}
	r.blocks[at].rest = []value{objectValue(u.unused()...)}
}

// readResult adds the result of a tool.
func (r *messageReader) readResult(part value) {
	u := &usage{record: part, paths: []string{"type", "part_kind"}}
	turn := project.Turn{Role: "tool", Kind: project.TurnToolResult, CallID: readFirstText(u, callIDKeys...),
		Name: readFirstText(u, nameKeys...)}
	if turn.Name == "" {
		turn.Name = r.toolNames[turn.CallID]
	}
	content, _ := u.find(resultKeys...)
	r.addResult(turn, content)
	r.keep(u)
}

// addResult adds a turn for each text of a result, and one for each other part. Other values
// are kept as JSON.
func (r *messageReader) addResult(turn project.Turn, content value) {
	for i, part := range content.list {
		if inner, ok := findMember(part.members, "json"); ok {
			content.list[i] = textValue(exactText(inner))
		}
	}
	isPart := func(v value) bool {
		part := unwrapPart(v)
		kind := partKind(part)
		return v.is('"') || partType(part) != "" && (kind == kindText || kind == kindImage || kind == kindDocument)
	}
	if kind, _ := content.findFirst("type"); content.is('{') && (kind.text == "text" || kind.text == "json") {
		if inner, ok := content.findFirst("value", "text", "json"); ok {
			content = inner
		}
	}
	if !content.is('[') || len(content.list) == 0 || slices.ContainsFunc(content.list, func(v value) bool {
		return !isPart(v)
	}) {
		if turn.Text = exactText(content); content.is('[') && len(content.list) == 0 {
			turn.Text = ""
		}
		r.addText(turn)
		return
	}
	for _, part := range content.list {
		r.readSpoken(turn, part)
	}
}

// readAddress returns the address of an image or document. One that holds the file itself is
// not shown: it stays in the rest.
func readAddress(u *usage) string {
	address, path := u.peek(addressKeys...)
	isFile := strings.HasPrefix(address.text, "data:") || path == "content" && !strings.HasPrefix(address.text, "http")
	if path == "" || !address.is('"') || isFile {
		return ""
	}
	u.use(path)
	return address.text
}

// readFirstText returns the first text or number at paths, or "".
func readFirstText(u *usage, paths ...string) string {
	for _, path := range paths {
		if v, found := u.peek(path); found != "" && (v.is('"') && v.text != "" || v.is('0')) {
			u.use(path)
			return exactText(v)
		}
	}
	return ""
}

// documentText returns the text of a document: its own, or those of its parts.
func documentText(v value) string {
	if !v.is('[') {
		return exactText(v)
	}
	var texts []string
	for _, part := range v.list {
		if text, ok := part.findFirst(partTextKeys...); ok {
			part = text
		}
		texts = append(texts, exactText(part))
	}
	return strings.Join(texts, "\n\n")
}

// exactText returns a text as it is, a number with its digits, and other values as compact JSON
// in the order of their keys.
func exactText(v value) string {
	switch v.kind {
	case '"':
		return v.text
	case 0, 'n':
		return ""
	case '0':
		return cmp.Or(v.text, string(v.raw))
	}
	compact := jsontext.Value(v.json())
	if err := compact.Compact(); err != nil {
		return string(v.json())
	}
	return string(compact)
}
