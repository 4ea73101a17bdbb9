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
	return part.Judged && part.Kind == protocol.PartText && slices.ContainsFunc(b.protocol.Unit.Parts, func(p protocol.Part) bool { return !p.Judged && !p.Supporting })
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

// readTurns returns the turns of a conversation.
func (b *builder) readTurns(v value, loc *location) (turns []project.Turn) {
	if !v.is('[') || len(v.list) == 0 {
		b.addError(loc, "A conversation is a list of at least one turn. Write [{\"role\": …, \"content\": …}].")
		return nil
	}
	for i, turn := range v.list {
		turns = append(turns, b.readTurn(turn, loc.element(i)))
	}
	return turns
}

func (b *builder) readTurn(v value, loc *location) project.Turn {
	if !v.is('{') {
		b.addError(loc, "This is %s. A turn is an object with role and content.", v.describe())
		return project.Turn{}
	}
	b.matchNames(v.members, []string{"role", "content", "text"}, loc)
	content, key := "content", "text"
	if _, ok := findMember(v.members, key); ok {
		content, key = key, content
	}
	if _, hasBoth := findMember(v.members, key); hasBoth {
		b.addError(loc.child(key), "This turn has both content and text. Keep one.")
	}
	b.keepExtra(otherMembers(v.members, "role", "content", "text"), loc)
	return project.Turn{Role: b.readRole(v, loc), Text: b.readRequired(v, content, loc)}
}

func (b *builder) readRole(v value, loc *location) string {
	role := b.readRequired(v, "role", loc)
	isCounted := func(f protocol.Fact) bool { return f.Role == role }
	if role != "" && !slices.Contains(turnRoles, role) && !slices.ContainsFunc(b.protocol.Facts, isCounted) {
		b.addError(loc.child("role"), "“%s” is not a role. Use one of %s.", plaintext.Shorten(role), strings.Join(turnRoles, ", "))
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
	chunk.Text = b.readText(v, loc)
	return project.PartContent{Chunks: []project.Chunk{chunk}}, []string{loc.key, "chunk_id", "doc_id", "chunk_rank"}
}

// readChunks returns a context set, written as a list of texts or chunks, or as one text.
func (b *builder) readChunks(v value, loc *location) (chunks []project.Chunk) {
	if v.is('"') {
		return b.splitChunks(b.readText(v, loc), loc)
	}
	if !v.is('[') || len(v.list) == 0 {
		b.addError(loc, "Write the chunks as a list of at least one text, or as one text with %s between them.", chunkSeparator)
		return nil
	}
	for i, element := range v.list {
		chunk := project.Chunk{Text: element.text}
		if element.is('{') {
			var extra []member
			chunk, extra = b.readChunk(element, loc.element(i))
			b.keepExtra(extra, loc.element(i))
		} else {
			b.readText(element, loc.element(i))
		}
		chunks = append(chunks, chunk)
	}
	return chunks
}

func (b *builder) splitChunks(text string, loc *location) (chunks []project.Chunk) {
	parts := strings.Split(text, chunkSeparator)
	for i, part := range parts {
		if len(parts) > 1 && !protocol.HasText(part) {
			b.addError(loc.element(i), "This chunk is empty. Remove one %s.", chunkSeparator)
		}
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
	b.matchNames(v.members, known, loc)
	c = b.readChunkOrigin(v, loc)
	c.Text = b.readRequired(v, "text", loc)
	return c, otherMembers(v.members, known...)
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
