package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A builder makes items of rows, and tells what is wrong with them.
type builder struct {
	p      protocol.Protocol
	faults *ledger
	known  []string       // names that mean something here
	table  bool           // CSV: names were judged once, in the header
	ids    map[string]int // source ids, with the line they stand in
	same   map[string]int // how often equal content was met
	rows   int            // so far, those that gave no item included
	spread int            // bytes of content so far
	items  []project.Item
	row    row                        // at hand
	extras map[string]json.RawMessage // metadata of the row, from inside its lists
	also   func(b *builder, before int)
	only   func(b *builder) // takes each row, where rows are not items
}

func newBuilder(p protocol.Protocol, faults *ledger) *builder {
	return &builder{p: p, faults: faults, known: names(p.Unit), ids: map[string]int{}, same: map[string]int{}}
}

// names returns the columns that mean something for u.
func names(u protocol.Unit) []string {
	known := []string{"id", "record_id"}
	if u.ID != "" {
		known = append(known, u.ID)
	}
	if u.Record != protocol.NoRecord {
		known = append(known, "query", "answer", "chunks", "context_set")
	}
	for _, part := range u.Parts {
		known = append(known, part.Key)
		switch part.Kind {
		case protocol.Conversation:
			known = append(known, "turns")
		case protocol.Passage:
			known = append(known, "chunk_id", "doc_id", "chunk_rank")
		}
	}
	return known
}

func (b *builder) tell(at *place, format string, args ...any) {
	b.faults.add(b.row.line, at.String(), format, args...)
}

// take makes the items of one row.
func (b *builder) take(r row) error {
	if b.row = r; !b.table {
		b.rename(r.members, b.known, nil)
	}
	before := len(b.items)
	chunks, ok := r.get("chunks")
	switch {
	case b.only != nil:
		b.only(b)
	case ok && b.p.Unit.Record != protocol.NoRecord && !b.table:
		b.record(chunks)
	default:
		b.flat()
	}
	if b.also != nil {
		b.also(b, before)
	}
	b.rows++
	if says := b.tooMuch(); says != "" {
		b.faults.first(r.line, says)
		return errLost
	}
	return nil
}

// tooMuch says which limit the rows so far pass, if one. Rows that give no item
// count too: what is wrong with them takes time and room.
func (b *builder) tooMuch() string {
	switch {
	case len(b.items) > ItemLimit:
		return fmt.Sprintf("Here the file passes %s items. Split it.", thousands(ItemLimit))
	case b.rows > ItemLimit:
		return fmt.Sprintf("Here the file passes %s rows. Mend what was found so far, and split it.", thousands(ItemLimit))
	case b.spread > SpreadLimit:
		return fmt.Sprintf("Here the items pass %d MiB of text, for each holds all of its record. Split the file.", SpreadLimit>>20)
	}
	return ""
}

// rename tells names that are nearly one of known, and reads them as meant.
func (b *builder) rename(members []member, known []string, at *place) {
	for i, m := range members {
		if meant := nearly(m.key, known); meant != "" {
			b.tell(at.at(m.key), "%s", nearSays(meant))
			if _, there := find(members, meant); !there {
				members[i].key = meant
			}
		}
	}
}

// nearly returns the one of known that name is but for capitals and blanks
// around, or "".
func nearly(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(strings.Trim(name, protocol.Blank), k) })
	if i < 0 {
		return ""
	}
	return known[i]
}

func nearSays(meant string) string {
	return "Write this name as “" + meant + "”: capitals and blanks tell names apart."
}

// flat makes the one item of a row that holds the parts by their keys.
func (b *builder) flat() {
	before := b.faults.count()
	content, used := project.Content{}, []string{"record_id"}
	b.extras = map[string]json.RawMessage{}
	for _, part := range b.p.Unit.Parts {
		piece, keys := b.piece(part)
		used = append(used, keys...)
		if !empty(piece) {
			content[part.Key] = piece
		}
	}
	id, key := b.id()
	record := b.optional(b.row.members, "record_id", nil, IDLimit)
	if id == "" {
		id = b.nth("i-" + digest(canonical(content)))
	}
	if b.claim(id); b.faults.count() > before {
		return
	}
	if record == "" && b.p.Unit.Record == protocol.RAGByChunk {
		record = "r-" + digest(content["query"].Text, content["answer"].Text)
	}
	b.add(project.Item{SourceID: id, RecordID: record, Content: content, Meta: b.meta(append(used, key))})
}

func empty(p project.Piece) bool {
	return p.Text == "" && len(p.Turns) == 0 && len(p.Passages) == 0
}

func (b *builder) add(item project.Item) {
	item.Facts, item.Row = project.FactsOf(b.p, item.Content), b.row.line
	b.spread += bytesOf(item)
	b.items = append(b.items, item)
}

// optional returns the name that members have under key, or "".
func (b *builder) optional(members []member, key string, at *place, limit int) string {
	v, ok := find(members, key)
	if !ok || v.is('n') {
		return ""
	}
	return b.name(v, at.at(key), limit)
}

// name returns an id as it was written. Whole numbers of JSON are names too.
func (b *builder) name(v value, at *place, limit int) string {
	says := nameFlaw(v.text, limit)
	switch {
	case v.told:
	case v.is('0') && !strings.ContainsAny(string(v.raw), ".eE"):
		return string(v.raw)
	case !v.is('"'):
		b.tell(at, "This is %s. Write it as a text, in quotes.", v.noun())
	case !protocol.Written(v.text):
		b.tell(at, "This is empty. Give a name, or leave “%s” out everywhere.", shown(at.key))
	case says != "":
		b.tell(at, "%s", says)
	default:
		return v.text
	}
	return ""
}

// text returns a text that has to be there.
func (b *builder) text(v value, at *place) string {
	switch n := utf8.RuneCountInString(v.text); {
	case v.told:
	case !v.is('"'):
		b.tell(at, "This is %s. Write a text here.", v.noun())
	case !protocol.Written(v.text):
		b.tell(at, "This is empty. Write a text here.")
	case n > CellLimit:
		b.tell(at, "This has %s characters; %s is the most.", thousands(n), thousands(CellLimit))
	}
	return v.text
}

// meta returns what the row holds besides the columns used.
func (b *builder) meta(used []string) map[string]json.RawMessage {
	meta := b.extras
	for _, m := range b.row.members {
		if !slices.Contains(used, m.key) {
			meta[m.key] = m.json()
		}
	}
	return meta
}

// bytesOf returns about how many bytes an item takes, metadata included.
func bytesOf(item project.Item) (n int) {
	for _, piece := range item.Content {
		n += len(piece.Text)
		for _, t := range piece.Turns {
			n += len(t.Role) + len(t.Text)
		}
		for _, p := range piece.Passages {
			n += len(p.ID) + len(p.Source) + len(p.Text)
		}
	}
	for key, raw := range item.Meta {
		n += len(key) + len(raw)
	}
	return n
}
