package importer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A recordChunk is a chunk of a record, with its unknown members.
type recordChunk struct {
	project.Chunk
	extra []member
}

// addRecord adds the items of a RAG record: query, answer, retrieved chunks and context
// set. All of it is checked, whatever the unit shows, so that projects on retrieval,
// grounding and generation accept the same files. A record without chunks has an item for
// generation and one for grounding, and none for retrieval.
func (b *builder) addRecord(v value) {
	before := b.errs.count()
	b.resetExtra()
	chunks := b.readRecordChunks(v, topLocation("chunks"))
	content, used := b.readSharedParts()
	content["context_set"] = project.PartContent{Chunks: b.readContextSet(chunks)}
	id, key := b.readID()
	record := b.readOptionalName(b.row.members, "record_id", nil, idLimit)
	if id == "" && record == "" {
		id = b.makeUnique("r-" + hashTexts(recordKey(content, chunks)...))
	}
	item := project.Item{SourceID: cmp.Or(id, record), RecordID: cmp.Or(record, id), Content: content}
	if !b.registerValidID(item.SourceID, before) {
		return
	}
	item.Meta = b.collectMeta(append(used, key, "record_id", "chunks", "context_set"))
	b.addRecordItems(item, chunks)
	b.classifyRecordRow(item, chunks)
}

// readSharedParts returns the parts that all items of a record share, and their columns.
func (b *builder) readSharedParts() (project.Content, []string) {
	content, used := project.Content{}, []string{}
	parts := []protocol.Part{{Key: "query", Kind: protocol.PartText}, {Key: "answer", Kind: protocol.PartText}}
	for _, part := range b.protocol.Unit.Parts {
		isWholePart := part.Kind == protocol.PartText || part.Kind == protocol.PartConversation
		if isWholePart && part.Key != "query" && part.Key != "answer" {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		partContent, keys := b.readPart(part)
		content[part.Key] = partContent
		used = append(used, keys...)
	}
	return content, used
}

// recordKey returns the texts that identify a record without an id.
func recordKey(c project.Content, chunks []recordChunk) []string {
	texts := []string{c["query"].Text, c["answer"].Text}
	for _, chunk := range chunks {
		texts = append(texts, chunk.ID)
	}
	return texts
}

// readRecordChunks returns the chunks of a record, which have distinct ids and ranks. The
// system may have retrieved none.
func (b *builder) readRecordChunks(v value, loc *location) (chunks []recordChunk) {
	if hasNoElements(v) {
		return nil
	}
	if !v.is('[') || len(v.list) > chunkLimit {
		b.addError(loc, "Write the chunks as a list of up to %d objects with chunk_id, doc_id, chunk_rank and text.",
			chunkLimit)
		return nil
	}
	for i, element := range v.list {
		c, extra := b.readChunk(element, loc.element(i))
		chunks = append(chunks, recordChunk{c, extra})
		for _, key := range []string{"chunk_id", "chunk_rank"} {
			required, ok := findMember(element.members, key)
			if element.is('{') && (!ok || required.is('n')) {
				b.addError(loc.element(i).child(key), "This is missing. Each chunk of a record needs it.")
			}
		}
	}
	b.checkDistinct(chunks, loc)
	return chunks
}

func hasNoElements(v value) bool { return v.is('n') || v.is('[') && len(v.list) == 0 }

// checkDistinct reports repeated ids and ranks, and a missing rank 1.
func (b *builder) checkDistinct(chunks []recordChunk, loc *location) {
	ids, ranks := map[string]int{"": 0}, map[int]int{0: 0}
	for i, c := range chunks {
		if first, seen := ids[c.ID]; seen && c.ID != "" {
			b.addError(loc.element(i).child("chunk_id"), "Chunk %d has the same id “%s”. Each chunk needs its own id.",
				first, plaintext.Shorten(c.ID))
		}
		if first, seen := ranks[c.Rank]; seen && c.Rank != 0 {
			b.addError(loc.element(i).child("chunk_rank"),
				"Chunk %d has the same rank %d. Each chunk needs its own rank.", first, c.Rank)
		}
		ids[c.ID], ranks[c.Rank] = i+1, i+1
	}
	if ranks[0] == 0 && ranks[1] == 0 {
		b.addError(loc, "No chunk has rank 1. Ranks are whole numbers from 1.")
	}
}

// readContextSet returns the context set of a record: its chunks, if there is no other or
// their texts are equal and in the same order, or else the texts as chunks without an id.
func (b *builder) readContextSet(chunks []recordChunk) (contextChunks []project.Chunk) {
	v, ok := b.row.get("context_set")
	if !ok || v.is('n') || len(chunks) == 0 && (hasNoElements(v) || isBlank(v)) {
		for _, c := range chunks {
			contextChunks = append(contextChunks, c.Chunk)
		}
		return contextChunks
	}
	contextChunks = b.readChunks(v, topLocation("context_set"))
	if !slices.EqualFunc(contextChunks, chunks, func(p project.Chunk, c recordChunk) bool { return p.Text == c.Text }) {
		return contextChunks
	}
	for i, c := range chunks {
		contextChunks[i] = c.Chunk
	}
	return contextChunks
}

// addRecordItems adds the items of a record: one, or one per chunk.
func (b *builder) addRecordItems(record project.Item, chunks []recordChunk) {
	if b.protocol.Unit.RecordKind == protocol.RecordRAG {
		for i, c := range chunks {
			b.keepExtra(c.extra, topLocation("chunks").element(i)) // extraMeta is record.Meta
		}
		b.addItem(b.selectParts(record, nil))
		return
	}
	for _, c := range chunks {
		item := b.selectParts(record, []project.Chunk{c.Chunk})
		item.SourceID += "#" + c.ID
		item.Meta = maps.Clone(record.Meta)
		for _, m := range c.extra {
			item.Meta["chunk."+m.key] = m.json()
			b.extraKeys["chunks[]."+m.key] = true
		}
		if b.registerID(item.SourceID) && b.contentBytes <= b.limits.content {
			b.addItem(item)
		}
	}
}

// selectParts returns item with only the parts that the unit shows.
func (b *builder) selectParts(item project.Item, chunk []project.Chunk) project.Item {
	content := project.Content{}
	for _, part := range b.protocol.Unit.Parts {
		partContent := item.Content[part.Key]
		switch part.Kind {
		case protocol.PartChunks:
			partContent = item.Content["context_set"]
		case protocol.PartChunk:
			partContent = project.PartContent{Chunks: chunk}
		}
		if !isEmpty(partContent) {
			content[part.Key] = partContent
		}
	}
	item.Content = content
	return item
}
