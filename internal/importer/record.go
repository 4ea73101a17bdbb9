package importer

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A recordChunk is a passage of a record, with what else the file says of it.
type recordChunk struct {
	project.Chunk
	extra []member
}

// addRecord makes the items of a RAG record: query, answer, the chunks retrieved
// and the context set made of them. It is judged whole whatever unit it is read
// for, so that projects on retrieval, grounding and generation take the same
// files.
func (b *builder) addRecord(v value) {
	before := b.errs.count()
	b.extraMeta = map[string]json.RawMessage{}
	chunks := b.readRecordChunks(v, topLocation("chunks"))
	content, used := b.readSharedParts()
	content["context_set"] = project.PartContent{Chunks: b.readContextSet(chunks)}
	id, key := b.readID()
	record := b.readOptionalName(b.row.members, "record_id", nil, IDLimit)
	if id == "" && record == "" {
		id = b.makeUnique("r-" + hashTexts(recordKey(content, chunks)...))
	}
	item := project.Item{SourceID: cmp.Or(id, record), RecordID: cmp.Or(record, id), Content: content}
	if b.registerID(item.SourceID); b.errs.count() > before {
		return
	}
	item.Meta = b.collectMeta(append(used, key, "record_id", "chunks", "context_set"))
	b.addRecordItems(item, chunks)
}

// readSharedParts returns the pieces that every unit of a record may show, and their
// columns.
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

// recordKey returns what makes two records the same.
func recordKey(c project.Content, chunks []recordChunk) []string {
	texts := []string{c["query"].Text, c["answer"].Text}
	for _, chunk := range chunks {
		texts = append(texts, chunk.ID)
	}
	return texts
}

// readRecordChunks returns the chunks of a record, each with an id and a rank of its own.
func (b *builder) readRecordChunks(v value, loc *location) (chunks []recordChunk) {
	if !v.is('[') || len(v.list) == 0 || len(v.list) > ChunkLimit {
		b.addError(loc, "Write the chunks as a list of 1 to %d objects with chunk_id, doc_id, chunk_rank and text.", ChunkLimit)
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

// checkDistinct tells ids and ranks that chunks share, and ranks without a first.
func (b *builder) checkDistinct(chunks []recordChunk, loc *location) {
	ids, ranks := map[string]int{"": 0}, map[int]int{0: 0}
	for i, c := range chunks {
		if first, seen := ids[c.ID]; seen && c.ID != "" {
			b.addError(loc.element(i).child("chunk_id"), "Chunk %d has the id “%s” already. Each needs one of its own.", first, sanitizeName(c.ID))
		}
		if first, seen := ranks[c.Rank]; seen && c.Rank != 0 {
			b.addError(loc.element(i).child("chunk_rank"), "Chunk %d has rank %d already. Each needs one of its own.", first, c.Rank)
		}
		ids[c.ID], ranks[c.Rank] = i+1, i+1
	}
	if ranks[0] == 0 && ranks[1] == 0 {
		b.addError(loc, "No chunk has rank 1. Ranks are whole numbers that count from 1.")
	}
}

// readContextSet returns the passages of a record's context set. Where they are
// the chunks' texts in the same order, they are those chunks.
func (b *builder) readContextSet(chunks []recordChunk) []project.Chunk {
	v, ok := b.row.get("context_set")
	if !ok {
		b.addError(topLocation("context_set"), "This is missing. Every line needs it.")
		return nil
	}
	contextChunks := b.readChunks(v, topLocation("context_set"))
	if !slices.EqualFunc(contextChunks, chunks, func(p project.Chunk, c recordChunk) bool { return p.Text == c.Text }) {
		return contextChunks
	}
	for i, c := range chunks {
		contextChunks[i] = c.Chunk
	}
	return contextChunks
}

// addRecordItems adds the items of a record: one, or one for each chunk.
func (b *builder) addRecordItems(record project.Item, chunks []recordChunk) {
	if b.protocol.Unit.RecordKind == protocol.RecordRAG {
		for i, c := range chunks {
			b.keepExtra(c.extra, topLocation("chunks").element(i)) // in whole.Meta
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
		}
		if b.registerID(item.SourceID) && b.contentBytes <= ContentLimit {
			b.addItem(item)
		}
	}
}

// selectParts returns whole with only what the unit shows of it.
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
