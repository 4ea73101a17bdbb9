package importer

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
	protocol        protocol.Protocol
	errs            *errorList
	knownNames      []string        // names that mean something here
	requiredColumns []string        // of CSV, if rows are not items
	isCSV           bool            // CSV: names were judged once, in the header
	idLines         map[string]int  // source ids, with the line they stand in
	contentCount    map[string]int  // items so far with the same content
	reported        map[string]bool // columns of CSV with an error that is reported once
	rowLimit        int
	rowCount        int // so far, those that gave no item included
	contentBytes    int // bytes of content so far
	items           []project.Item
	row             row                        // at hand
	extraMeta       map[string]json.RawMessage // metadata of the row, from inside its lists
	afterRow        func(b *builder, before int)
	handleRow       func(b *builder) // takes each row, where rows are not items
}

func newBuilder(p protocol.Protocol, errs *errorList) *builder {
	return &builder{protocol: p, errs: errs, knownNames: unitColumns(p.Unit),
		idLines: map[string]int{}, contentCount: map[string]int{}, reported: map[string]bool{}, rowLimit: ItemLimit}
}

// unitColumns returns the columns that mean something for u.
func unitColumns(u protocol.Unit) []string {
	known := []string{"id", "record_id"}
	if u.IDColumn != "" {
		known = append(known, u.IDColumn)
	}
	if u.RecordKind != protocol.RecordNone {
		known = append(known, "query", "answer", "chunks", "context_set")
	}
	for _, part := range u.Parts {
		known = append(known, part.Key)
		switch part.Kind {
		case protocol.PartConversation:
			known = append(known, "turns")
		case protocol.PartChunk:
			known = append(known, "chunk_id", "doc_id", "chunk_rank")
		}
	}
	return known
}

func (b *builder) addError(loc *location, format string, args ...any) {
	b.errs.add(b.row.line, loc.String(), format, args...)
}

// addColumnError adds an error of a column: once if the file is CSV.
func (b *builder) addColumnError(key string, parent *location, format string, args ...any) {
	if !b.isCSV || !b.reported[key] {
		b.reported[key] = true
		b.addError(parent.child(key), format, args...)
	}
}

// addRow makes the items of one row.
func (b *builder) addRow(r row) error {
	if b.row = r; !b.isCSV {
		b.matchNames(r.members, b.knownNames, nil)
	}
	before := len(b.items)
	chunks, ok := r.get("chunks")
	switch {
	case b.handleRow != nil:
		b.handleRow(b)
	case ok && b.protocol.Unit.RecordKind != protocol.RecordNone && !b.isCSV:
		b.addRecord(chunks)
	default:
		b.addFlatItem()
	}
	if b.afterRow != nil {
		b.afterRow(b, before)
	}
	b.rowCount++
	if problem := b.checkLimits(); problem != "" {
		b.errs.addFirst(r.line, problem)
		return errAborted
	}
	return nil
}

// checkLimits says which limit the rows so far pass, if one. Rows that give no item
// count too: what is wrong with them takes time and room.
func (b *builder) checkLimits() string {
	switch {
	case len(b.items) > ItemLimit:
		return fmt.Sprintf("Here the file passes %s items. Split it.", formatCount(ItemLimit))
	case b.rowCount > b.rowLimit:
		return fmt.Sprintf("The file has more than %s rows. Fix the errors listed here, then split the file.", formatCount(b.rowLimit))
	case b.contentBytes > ContentLimit:
		return fmt.Sprintf("Here the items pass %d MiB of text, for each holds all of its record. Split the file.", ContentLimit>>20)
	}
	return ""
}

// matchNames tells names that are nearly one of known, and reads them as meant.
func (b *builder) matchNames(members []member, known []string, loc *location) {
	for i, m := range members {
		if intended := matchName(m.key, known); intended != "" {
			b.addError(loc.child(m.key), "%s", describeMisspelling(intended))
			if _, exists := findMember(members, intended); !exists {
				members[i].key = intended
			}
		}
	}
}

// matchName returns the one of known that name is but for capitals and blanks
// around, or "".
func matchName(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(strings.Trim(name, protocol.BlankChars), k) })
	if i < 0 {
		return ""
	}
	return known[i]
}

func describeMisspelling(intended string) string {
	return "Write this name as “" + intended + "”: capitals and blanks tell names apart."
}

// addFlatItem makes the one item of a row that holds the parts by their keys.
func (b *builder) addFlatItem() {
	before := b.errs.count()
	content, used := project.Content{}, []string{"record_id"}
	b.extraMeta = map[string]json.RawMessage{}
	for _, part := range b.protocol.Unit.Parts {
		partContent, keys := b.readPart(part)
		used = append(used, keys...)
		if !isEmpty(partContent) {
			content[part.Key] = partContent
		}
	}
	id, key := b.readID()
	record := b.readOptionalName(b.row.members, "record_id", nil, IDLimit)
	if id == "" {
		id = b.makeUnique("i-" + hashTexts(canonicalText(content)))
	}
	if b.registerID(id); b.errs.count() > before {
		return
	}
	if record == "" && b.protocol.Unit.RecordKind == protocol.RecordRAGByChunk {
		record = "r-" + hashTexts(content["query"].Text, content["answer"].Text)
	}
	b.addItem(project.Item{SourceID: id, RecordID: record, Content: content, Meta: b.collectMeta(append(used, key))})
}

func isEmpty(c project.PartContent) bool {
	return c.Text == "" && len(c.Turns) == 0 && len(c.Chunks) == 0
}

func (b *builder) addItem(item project.Item) {
	item.Facts, item.Row = project.DeriveFacts(b.protocol, item.Content), b.row.line
	b.contentBytes += itemSize(item)
	b.items = append(b.items, item)
}

// readOptionalName returns the name that members have under key, or "".
func (b *builder) readOptionalName(members []member, key string, loc *location, limit int) string {
	v, ok := findMember(members, key)
	if !ok || v.is('n') {
		return ""
	}
	return b.readName(v, loc.child(key), limit)
}

// readName returns an id as it was written. Whole numbers of JSON are names too.
func (b *builder) readName(v value, loc *location, limit int) string {
	problem := checkName(v.text, limit)
	switch {
	case v.reported:
	case v.is('0') && !strings.ContainsAny(string(v.raw), ".eE"):
		return string(v.raw)
	case !v.is('"'):
		b.addError(loc, "This is %s. Write it as a text, in quotes.", v.describe())
	case !protocol.HasText(v.text):
		b.addError(loc, "This is empty. Give a name, or leave “%s” out everywhere.", sanitizeName(loc.key))
	case problem != "":
		b.addError(loc, "%s", problem)
	default:
		return v.text
	}
	return ""
}

// readText returns a text that has to be there.
func (b *builder) readText(v value, loc *location) string {
	switch n := utf8.RuneCountInString(v.text); {
	case v.reported:
	case !v.is('"'):
		b.addError(loc, "This is %s. Write a text here.", v.describe())
	case !protocol.HasText(v.text):
		b.addError(loc, "This is empty. Write a text here.")
	case n > CellLimit:
		b.addError(loc, "This has %s characters; %s is the most.", formatCount(n), formatCount(CellLimit))
	}
	return v.text
}

// collectMeta returns what the row holds besides the columns used.
func (b *builder) collectMeta(used []string) map[string]json.RawMessage {
	meta := b.extraMeta
	for _, m := range b.row.members {
		if !slices.Contains(used, m.key) {
			meta[m.key] = m.json()
		}
	}
	return meta
}

// itemSize returns about how many bytes an item takes, metadata included.
func itemSize(item project.Item) (n int) {
	for _, part := range item.Content {
		n += len(part.Text)
		for _, t := range part.Turns {
			n += len(t.Role) + len(t.Text)
		}
		for _, p := range part.Chunks {
			n += len(p.ID) + len(p.Source) + len(p.Text)
		}
	}
	for key, raw := range item.Meta {
		n += len(key) + len(raw)
	}
	return n
}
