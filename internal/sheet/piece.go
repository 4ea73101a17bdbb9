package sheet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// separator parts the passages of a context set that is one text.
const separator = "[CTX_SEP]"

// roles are who may speak in a conversation, besides those that a protocol's
// facts count.
var roles = []string{"user", "assistant", "system", "tool"}

// piece returns the content of a part of a flat row, and the columns it was
// read from; none: there is no such piece.
func (b *builder) piece(part protocol.Part) (project.Piece, []string) {
	key := part.Key
	if part.Kind == protocol.Conversation {
		key = b.turnsKey(part)
	}
	at := (*place)(nil).at(key)
	v, ok := b.row.get(key)
	switch {
	case !ok && (part.Supporting || b.table):
		return project.Piece{}, nil
	case b.table && listed(part):
		return project.Piece{}, []string{key} // told in the header
	case !ok:
		b.tell(at, "This is missing. Every line needs it.")
		return project.Piece{}, nil
	case part.Supporting && (v.is('n') || v.is('"') && !protocol.Written(v.text)):
		return project.Piece{}, []string{key}
	}
	switch part.Kind {
	case protocol.Conversation:
		return project.Piece{Turns: b.turns(v, at)}, []string{key}
	case protocol.Passages:
		return project.Piece{Passages: b.passages(v, at)}, []string{key}
	case protocol.Passage:
		return b.passage(v, at)
	}
	return project.Piece{Text: b.text(v, at)}, []string{key}
}

// listed reports whether part holds a list, for which CSV has no room.
func listed(part protocol.Part) bool {
	return part.Kind == protocol.Conversation || part.Kind == protocol.Passages
}

// turnsKey returns the key of a conversation: the part's own, or "turns".
func (b *builder) turnsKey(part protocol.Part) string {
	_, own := b.row.get(part.Key)
	_, turns := b.row.get("turns")
	if own || !turns {
		return part.Key
	}
	return "turns"
}

// turns returns the turns of a conversation.
func (b *builder) turns(v value, at *place) (turns []project.Turn) {
	if !v.is('[') || len(v.list) == 0 {
		b.tell(at, "A conversation is a list of turns, and has at least one. Write [{\"role\": …, \"content\": …}].")
		return nil
	}
	for i, turn := range v.list {
		turns = append(turns, b.turn(turn, at.nth(i)))
	}
	return turns
}

func (b *builder) turn(v value, at *place) project.Turn {
	if !v.is('{') {
		b.tell(at, "This is %s. A turn is an object with role and content.", v.noun())
		return project.Turn{}
	}
	b.rename(v.members, []string{"role", "content", "text"}, at)
	content, key := "content", "text"
	if _, ok := find(v.members, key); ok {
		content, key = key, content
	}
	if _, both := find(v.members, key); both {
		b.tell(at.at(key), "This turn has both content and text. Keep one.")
	}
	b.keep(others(v.members, "role", "content", "text"), at)
	return project.Turn{Role: b.role(v, at), Text: b.need(v, content, at)}
}

func (b *builder) role(v value, at *place) string {
	role := b.need(v, "role", at)
	counted := func(f protocol.Fact) bool { return f.Role == role }
	if role != "" && !slices.Contains(roles, role) && !slices.ContainsFunc(b.p.Facts, counted) {
		b.tell(at.at("role"), "“%s” is not a role. Use one of %s.", shown(role), strings.Join(roles, ", "))
	}
	return role
}

// need returns the text that an object must have under key.
func (b *builder) need(v value, key string, at *place) string {
	inner, ok := find(v.members, key)
	if !ok {
		b.tell(at.at(key), "This is missing. Write a text here.")
		return ""
	}
	return b.text(inner, at.at(key))
}

// others returns the members that are not known.
func others(members []member, known ...string) []member {
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool { return slices.Contains(known, m.key) })
}

// keep puts what an object inside a list holds besides the known among the
// metadata, under its place.
func (b *builder) keep(members []member, at *place) {
	for _, m := range members {
		b.extras[at.at(m.key).String()] = m.json()
	}
}

// passage returns the chunk of a flat row: a text with its id, source and rank
// in columns beside it, or an object that has them all.
func (b *builder) passage(v value, at *place) (project.Piece, []string) {
	if v.is('{') {
		p, more := b.chunk(v, at)
		b.keep(more, at)
		return project.Piece{Passages: []project.Passage{p}}, []string{at.key}
	}
	beside := value{members: b.row.members}
	p := b.origin(beside, nil)
	p.Text = b.text(v, at)
	return project.Piece{Passages: []project.Passage{p}}, []string{at.key, "chunk_id", "doc_id", "chunk_rank"}
}

// passages returns a context set: a list of texts or chunks, or one text.
func (b *builder) passages(v value, at *place) (passages []project.Passage) {
	if v.is('"') {
		return b.split(b.text(v, at), at)
	}
	if !v.is('[') || len(v.list) == 0 {
		b.tell(at, "Write the passages as a list of texts, at least one, or as one text with %s between them.", separator)
		return nil
	}
	for i, element := range v.list {
		p := project.Passage{Text: element.text}
		if element.is('{') {
			var more []member
			p, more = b.chunk(element, at.nth(i))
			b.keep(more, at.nth(i))
		} else {
			b.text(element, at.nth(i))
		}
		passages = append(passages, p)
	}
	return passages
}

func (b *builder) split(text string, at *place) (passages []project.Passage) {
	parts := strings.Split(text, separator)
	for i, part := range parts {
		if len(parts) > 1 && !protocol.Written(part) {
			b.tell(at.nth(i), "This passage is empty. Take one %s out.", separator)
		}
		passages = append(passages, project.Passage{Text: part})
	}
	return passages
}

// chunk returns the passage that an object holds, of which all but the text may
// be absent, and what else is in it.
func (b *builder) chunk(v value, at *place) (p project.Passage, more []member) {
	if !v.is('{') {
		b.tell(at, "This is %s. A chunk is an object with chunk_id, doc_id, chunk_rank and text.", v.noun())
		return p, nil
	}
	known := []string{"chunk_id", "doc_id", "chunk_rank", "text"}
	b.rename(v.members, known, at)
	p = b.origin(v, at)
	p.Text = b.need(v, "text", at)
	return p, others(v.members, known...)
}

// origin returns a passage's id, source and rank, as far as they are given.
func (b *builder) origin(v value, at *place) project.Passage {
	p := project.Passage{
		ID:     b.cell(v, "chunk_id", at, IDLimit),
		Source: b.cell(v, "doc_id", at, SourceLimit),
	}
	rank, ok := find(v.members, "chunk_rank")
	if ok && !rank.is('n') && !(b.table && rank.text == "") {
		p.Rank = b.rank(rank, at.at("chunk_rank"))
	}
	return p
}

// cell returns a name that may be absent: in CSV, an empty cell.
func (b *builder) cell(v value, key string, at *place, limit int) string {
	if inner, ok := find(v.members, key); ok && b.table && inner.text == "" {
		return ""
	}
	return b.optional(v.members, key, at, limit)
}

// rank returns a whole number from 1.
func (b *builder) rank(v value, at *place) int {
	digits := string(v.raw)
	if b.table {
		digits = v.text
	}
	n, err := strconv.Atoi(digits)
	if v.told {
		return 0
	}
	if (!v.is('0') && !b.table) || err != nil || n < 1 || n > ItemLimit || strconv.Itoa(n) != digits {
		b.tell(at, "Ranks are whole numbers that count from 1.")
		return 0
	}
	return n
}
