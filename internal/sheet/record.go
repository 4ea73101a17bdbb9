package sheet

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A chunk is a passage of a record, with what else the file says of it.
type chunk struct {
	project.Passage
	more []member
}

// record makes the items of a RAG record: query, answer, the chunks retrieved
// and the context set made of them. It is judged whole whatever unit it is read
// for, so that projects on retrieval, grounding and generation take the same
// files.
func (b *builder) record(v value) {
	before := b.faults.count()
	b.extras = map[string]json.RawMessage{}
	chunks := b.chunks(v, top("chunks"))
	content, used := b.shared()
	content["context_set"] = project.Piece{Passages: b.contextSet(chunks)}
	id, key := b.id()
	record := b.optional(b.row.members, "record_id", nil, IDLimit)
	if id == "" && record == "" {
		id = b.nth("r-" + digest(identity(content, chunks)...))
	}
	item := project.Item{SourceID: cmp.Or(id, record), RecordID: cmp.Or(record, id), Content: content}
	if b.claim(item.SourceID); b.faults.count() > before {
		return
	}
	item.Meta = b.meta(append(used, key, "record_id", "chunks", "context_set"))
	b.fan(item, chunks)
}

// shared returns the pieces that every unit of a record may show, and their
// columns.
func (b *builder) shared() (project.Content, []string) {
	content, used := project.Content{}, []string{}
	parts := []protocol.Part{{Key: "query", Kind: protocol.Text}, {Key: "answer", Kind: protocol.Text}}
	for _, part := range b.p.Unit.Parts {
		whole := part.Kind == protocol.Text || part.Kind == protocol.Conversation
		if whole && part.Key != "query" && part.Key != "answer" {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		piece, keys := b.piece(part)
		content[part.Key] = piece
		used = append(used, keys...)
	}
	return content, used
}

// identity returns what makes two records the same.
func identity(c project.Content, chunks []chunk) []string {
	texts := []string{c["query"].Text, c["answer"].Text}
	for _, chunk := range chunks {
		texts = append(texts, chunk.ID)
	}
	return texts
}

// chunks returns the chunks of a record, each with an id and a rank of its own.
func (b *builder) chunks(v value, at *place) (chunks []chunk) {
	if !v.is('[') || len(v.list) == 0 || len(v.list) > ChunkLimit {
		b.tell(at, "Write the chunks as a list of 1 to %d objects with chunk_id, doc_id, chunk_rank and text.", ChunkLimit)
		return nil
	}
	for i, element := range v.list {
		p, more := b.chunk(element, at.nth(i))
		chunks = append(chunks, chunk{p, more})
		for _, key := range []string{"chunk_id", "chunk_rank"} {
			given, ok := find(element.members, key)
			if element.is('{') && (!ok || given.is('n')) {
				b.tell(at.nth(i).at(key), "This is missing. Each chunk of a record needs it.")
			}
		}
	}
	b.distinct(chunks, at)
	return chunks
}

// distinct tells ids and ranks that chunks share, and ranks without a first.
func (b *builder) distinct(chunks []chunk, at *place) {
	ids, ranks := map[string]int{"": 0}, map[int]int{0: 0}
	for i, c := range chunks {
		if first, met := ids[c.ID]; met && c.ID != "" {
			b.tell(at.nth(i).at("chunk_id"), "Chunk %d has the id “%s” already. Each needs one of its own.", first, shown(c.ID))
		}
		if first, met := ranks[c.Rank]; met && c.Rank != 0 {
			b.tell(at.nth(i).at("chunk_rank"), "Chunk %d has rank %d already. Each needs one of its own.", first, c.Rank)
		}
		ids[c.ID], ranks[c.Rank] = i+1, i+1
	}
	if ranks[0] == 0 && ranks[1] == 0 {
		b.tell(at, "No chunk has rank 1. Ranks are whole numbers that count from 1.")
	}
}

// contextSet returns the passages of a record's context set. Where they are
// the chunks' texts in the same order, they are those chunks.
func (b *builder) contextSet(chunks []chunk) []project.Passage {
	v, ok := b.row.get("context_set")
	if !ok {
		b.tell(top("context_set"), "This is missing. Every line needs it.")
		return nil
	}
	passages := b.passages(v, top("context_set"))
	if !slices.EqualFunc(passages, chunks, func(p project.Passage, c chunk) bool { return p.Text == c.Text }) {
		return passages
	}
	for i, c := range chunks {
		passages[i] = c.Passage
	}
	return passages
}

// fan adds the items of a record: one, or one for each chunk.
func (b *builder) fan(whole project.Item, chunks []chunk) {
	if b.p.Unit.Record == protocol.RAG {
		for i, c := range chunks {
			b.keep(c.more, top("chunks").nth(i)) // in whole.Meta
		}
		b.add(b.view(whole, nil))
		return
	}
	for _, c := range chunks {
		item := b.view(whole, []project.Passage{c.Passage})
		item.SourceID += "#" + c.ID
		item.Meta = maps.Clone(whole.Meta)
		for _, m := range c.more {
			item.Meta["chunk."+m.key] = m.json()
		}
		if b.claim(item.SourceID) && b.spread <= SpreadLimit {
			b.add(item)
		}
	}
}

// view returns whole with only what the unit shows of it.
func (b *builder) view(whole project.Item, chunk []project.Passage) project.Item {
	content := project.Content{}
	for _, part := range b.p.Unit.Parts {
		piece := whole.Content[part.Key]
		switch part.Kind {
		case protocol.Passages:
			piece = whole.Content["context_set"]
		case protocol.Passage:
			piece = project.Piece{Passages: chunk}
		}
		if !empty(piece) {
			content[part.Key] = piece
		}
	}
	whole.Content = content
	return whole
}
