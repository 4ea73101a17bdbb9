package importer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// chunkSeparator separates the chunks of a context set written as one text.
const chunkSeparator = "[CTX_SEP]"

// turnRoles are the allowed roles in a conversation, in addition to those in a protocol's
// facts.
var turnRoles = []string{"user", "assistant", "system", "tool"}

// readPart returns the content of a part of a flat row, and the columns it was read
// from; none if the part is absent.
func (b *builder) readPart(part protocol.Part) (project.PartContent, []string) {
	key := part.Key
	if part.Kind == protocol.PartConversation {
		key = b.turnsKey(part)
	}
	loc := (*location)(nil).child(key)
	v, ok := b.row.get(key)
	switch {
	case !ok && (part.Supporting || b.isCSV):
		return project.PartContent{}, nil
	case b.isExport && v.is('n'): // the item has none
		return project.PartContent{}, []string{key}
	case b.isCSV && isListPart(part):
		return project.PartContent{}, []string{key} // reported in the header
	case !ok:
		b.addError(loc, "This is missing. Every row needs it.")
		return project.PartContent{}, nil
	case part.Supporting && isBlank(v):
		return project.PartContent{}, []string{key}
	case b.mayBeEmpty(part) && isBlank(v) && !v.reported:
		return project.PartContent{Text: v.text}, []string{key}
	}
	switch part.Kind {
	case protocol.PartConversation:
		return project.PartContent{Turns: b.readTurns(v, loc)}, []string{key}
	case protocol.PartChunks:
		return project.PartContent{Chunks: b.readChunks(v, loc)}, []string{key}
	case protocol.PartChunk:
		return b.readChunkPart(v, loc)
	}
	return project.PartContent{Text: b.readText(v, loc)}, []string{key}
}

// isBlank reports whether v is null or a text without content.
func isBlank(v value) bool { return v.is('n') || v.is('"') && !protocol.HasText(v.text) }

// mayBeEmpty reports whether part is a text that a system wrote, in a unit that shows more
// than that: the system returned nothing, which can be labeled.
func (b *builder) mayBeEmpty(part protocol.Part) bool {
	if b.protocol.Unit.RecordKind != protocol.RecordNone {
		return part.Key == "answer"
	}
	return part.Judged && part.Kind == protocol.PartText && slices.ContainsFunc(b.protocol.Unit.Parts,
		func(p protocol.Part) bool { return !p.Judged && !p.Supporting })
}

// isListPart reports whether part is a list, which CSV cannot hold.
func isListPart(part protocol.Part) bool {
	return part.Kind == protocol.PartConversation || part.Kind == protocol.PartChunks
}

// turnsKey returns the key of a conversation: the part's own, or "turns".
func (b *builder) turnsKey(part protocol.Part) string {
	_, hasOwn := b.row.get(part.Key)
	_, hasTurns := b.row.get("turns")
	if hasOwn || !hasTurns {
		return part.Key
	}
	return "turns"
}

// readTurns returns the turns of a conversation. Turns may be texts, of the user and the
// assistant in turn, and messages as providers of models write them.
func (b *builder) readTurns(v value, loc *location) (turns []project.Turn) {
	if !v.is('[') || len(v.list) == 0 {
		b.addError(loc, "A conversation is a list of at least one turn. Write [{\"role\": …, \"content\": …}].")
		return nil
	}
	before := b.errs.count()
	if !slices.ContainsFunc(v.list, func(turn value) bool { return !turn.is('"') }) {
		for i, text := range v.list {
			turns = append(turns, project.Turn{Role: turnRoles[i%2], Text: b.readAnyText(text, loc.element(i))})
		}
	}
	reader := messageReader{toolNames: map[string]string{}}
	for i, message := range v.list[len(turns):] {
		if !isForeignMessage(message) {
			turns = append(turns, b.readTurn(message, loc.element(i)))
			continue
		}
		reader.blocks = nil
		reader.readMessage(message)
		for _, block := range reader.blocks {
			turns = append(turns, b.readTurn(turnValue(block.Turn), loc.element(i)))
			for _, rest := range block.rest {
				b.keepExtra(rest.members, loc.element(i))
			}
		}
	}
	isSaid := func(t project.Turn) bool { return t.Kind != project.TurnMessage || protocol.HasText(t.Text) }
	isReported := func(turn value) bool {
		return slices.ContainsFunc(turn.members, func(m member) bool { return m.reported })
	}
	if b.errs.count() == before && !slices.ContainsFunc(v.list, isReported) && !slices.ContainsFunc(turns, isSaid) {
		b.addError(loc, "All turns of this conversation are empty. Add text.")
	}
	return turns
}

// foreignKeys are those that only providers of models write in a message.
var foreignKeys = slices.Concat([]string{"tool_calls", "toolCalls", "invalid_tool_calls", "additional_kwargs",
	"function_call", "functionCall"},
	[]string{"reasoning_content", "reasoning", "thinking", "refusal", "audio", "parts", "contents", "from",
		"kwargs", "data"})

// isForeignMessage reports whether a turn is a message as a provider of models writes it.
func isForeignMessage(v value) bool {
	hasRole, isForeign := false, false
	for _, m := range v.members {
		isText := m.key == "content" || m.key == "text"
		hasRole = hasRole || m.key == "role"
		isForeign = isForeign || isText && (m.is('[') || m.is('{')) || !m.is('n') && slices.Contains(foreignKeys, m.key)
	}
	return (isForeign || !hasRole) && isMessage(v)
}

// turnKeys are the keys of a turn. Its text may be under content, too.
var turnKeys = []string{"role", "kind", "name", "call_id", "tool_call_id", "address", "content", "text"}

func (b *builder) readTurn(v value, loc *location) (turn project.Turn) {
	if !v.is('{') {
		b.addError(loc, "This is %s. A turn is an object with role and content.", v.describe())
		return turn
	}
	b.matchNames(v.members, turnKeys)
	content, key := "content", "text"
	if _, ok := findMember(v.members, key); ok {
		content, key = key, content
	}
	if _, hasBoth := findMember(v.members, key); hasBoth {
		b.addError(loc.child(key), "This turn has both content and text. Keep one.")
	}
	b.keepExtra(otherMembers(v.members, turnKeys...), loc)
	turn = project.Turn{Role: b.readRole(v, loc), Kind: b.readKind(v, loc)}
	for key, field := range map[string]*string{"name": &turn.Name, "call_id": &turn.CallID,
		"tool_call_id": &turn.CallID, "address": &turn.Address} {
		if v, ok := findMember(v.members, key); ok && !v.is('n') {
			*field = b.readAnyText(v, loc.child(key))
		}
	}
	text, ok := findMember(v.members, content)
	if !ok {
		b.addError(loc.child(content), "This is missing. Add text.")
		return turn
	}
	turn.Text = b.readAnyText(text, loc.child(content))
	return turn
}

// readKind returns the kind of a turn. What a tool says is a result.
func (b *builder) readKind(v value, loc *location) project.TurnKind {
	kinds := []string{"message", "thinking", "tool_call", "tool_result", "image", "document"}
	kind, ok := findMember(v.members, "kind")
	role, _ := findMember(v.members, "role")
	switch {
	case (!ok || kind.is('n')) && role.text == "tool":
		return project.TurnToolResult
	case !ok || kind.is('n') || kind.text == "message":
		return project.TurnMessage
	case !slices.Contains(kinds, kind.text):
		b.addError(loc.child("kind"), "“%s” is not a kind of turn. Use one of %s.", plaintext.Shorten(kind.text),
			strings.Join(kinds, ", "))
	}
	return project.TurnKind(kind.text)
}

// readAnyText returns a text that may be empty.
func (b *builder) readAnyText(v value, loc *location) string {
	if v.is('n') || v.is('"') && !protocol.HasText(v.text) && !v.reported {
		return v.text
	}
	return b.readText(v, loc)
}

func (b *builder) readRole(v value, loc *location) string {
	role := b.readRequired(v, "role", loc)
	isCounted := func(f protocol.Fact) bool { return f.Role == role }
	if role != "" && !slices.Contains(turnRoles, role) && !slices.ContainsFunc(b.protocol.Facts, isCounted) {
		b.addError(loc.child("role"), "“%s” is not a role. Use one of %s.", plaintext.Shorten(role),
			strings.Join(turnRoles, ", "))
	}
	return role
}

// readRequired returns the required text under key of an object.
func (b *builder) readRequired(v value, key string, loc *location) string {
	textValue, ok := findMember(v.members, key)
	if !ok {
		b.addError(loc.child(key), "This is missing. Add text.")
		return ""
	}
	return b.readText(textValue, loc.child(key))
}

// otherMembers returns the members with other keys.
func otherMembers(members []member, known ...string) []member {
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool { return slices.Contains(known, m.key) })
}

// keepExtra adds unknown members of an object inside a list to the metadata, under
// their path.
func (b *builder) keepExtra(members []member, loc *location) {
	for _, m := range members {
		b.extraMeta[loc.child(m.key).String()] = m.json()
		b.extraKeys[loc.child(m.key).general()] = true
	}
}

// readChunkPart returns the chunk of a flat row: a text with its id, source and rank in
// other columns, or an object with all of them.
func (b *builder) readChunkPart(v value, loc *location) (project.PartContent, []string) {
	if v.is('{') {
		chunk, extra := b.readChunk(v, loc)
		b.keepExtra(extra, loc)
		return project.PartContent{Chunks: []project.Chunk{chunk}}, []string{loc.key}
	}
	rowValue := value{members: b.row.members}
	chunk := b.readChunkOrigin(rowValue, nil)
	chunk.Text = b.readAnyText(v, loc)
	return project.PartContent{Chunks: []project.Chunk{chunk}}, []string{loc.key, "chunk_id", "doc_id", "chunk_rank"}
}

// readChunks returns a context set, written as a list of texts or chunks, or as one text.
func (b *builder) readChunks(v value, loc *location) (chunks []project.Chunk) {
	if v.is('"') {
		return splitChunks(b.readText(v, loc))
	}
	if !v.is('[') || len(v.list) == 0 {
		b.addError(loc, "Write the chunks as a list of at least one text, or as one text with %s between them.",
			chunkSeparator)
		return nil
	}
	for i, element := range v.list {
		chunk := project.Chunk{Text: element.text}
		if element.is('{') {
			var extra []member
			chunk, extra = b.readChunk(element, loc.element(i))
			b.keepExtra(extra, loc.element(i))
		} else {
			chunk.Text = b.readAnyText(element, loc.element(i))
		}
		chunks = append(chunks, chunk)
	}
	return chunks
}

func splitChunks(text string) (chunks []project.Chunk) {
	for part := range strings.SplitSeq(text, chunkSeparator) {
		chunks = append(chunks, project.Chunk{Text: part})
	}
	return chunks
}

// readChunk returns the chunk that an object describes, and its unknown members. Only
// the text is required.
func (b *builder) readChunk(v value, loc *location) (c project.Chunk, extra []member) {
	if !v.is('{') {
		b.addError(loc, "This is %s. A chunk is an object with chunk_id, doc_id, chunk_rank and text.", v.describe())
		return c, nil
	}
	known := []string{"chunk_id", "doc_id", "chunk_rank", "text"}
	b.matchNames(v.members, known)
	c = b.readChunkOrigin(v, loc)
	c.Text = b.readChunkText(v, loc)
	return c, otherMembers(v.members, known...)
}

// readChunkText returns the text of a chunk, which may be empty: a system can retrieve nothing.
func (b *builder) readChunkText(v value, loc *location) string {
	text, ok := findMember(v.members, "text")
	if !ok {
		b.addError(loc.child("text"), "This is missing. Add text.")
		return ""
	}
	return b.readAnyText(text, loc.child("text"))
}

// readChunkOrigin returns the id, source and rank of a chunk, each optional.
func (b *builder) readChunkOrigin(v value, loc *location) project.Chunk {
	chunk := project.Chunk{
		ID:     b.readOptionalCell(v, "chunk_id", loc, idLimit),
		Source: b.readOptionalCell(v, "doc_id", loc, sourceLimit),
	}
	rank, ok := findMember(v.members, "chunk_rank")
	if ok && !rank.is('n') && !(b.isCSV && rank.text == "") {
		chunk.Rank = b.readRank(rank, loc.child("chunk_rank"))
	}
	return chunk
}

// readOptionalCell returns a name, or "". In CSV the cell may be empty.
func (b *builder) readOptionalCell(v value, key string, loc *location, limit int) string {
	if cellValue, ok := findMember(v.members, key); ok && b.isCSV && cellValue.text == "" {
		return ""
	}
	return b.readOptionalName(v.members, key, loc, limit)
}

// readRank returns a rank: a whole number from 1.
func (b *builder) readRank(v value, loc *location) int {
	digits := string(v.raw)
	if b.isCSV {
		digits = v.text
	}
	n, err := strconv.Atoi(digits)
	if v.reported {
		return 0
	}
	if (!v.is('0') && !b.isCSV) || err != nil || n < 1 || n > itemLimit || strconv.Itoa(n) != digits {
		b.addError(loc, "Ranks are whole numbers from 1.")
		return 0
	}
	return n
}
