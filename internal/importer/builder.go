package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A builder turns the rows of a file into items, or passes them to handleRow, and
// collects errors.
type builder struct {
	protocol        protocol.Protocol
	options         Options
	errs            *errorList
	knownNames      []string // columns with a meaning; names that differ from them in case and spaces are corrected
	requiredColumns []string // of CSV, if rows are not items
	isExport        bool     // the current row is one of an export
	handleRow       func()   // called for each row instead of making items
	afterRow        func(itemsBefore int)
	source          Source                   // of a Parquet file; nil: its content is in memory
	handleRecord    func(record value) error // called for each record instead of making items
	handleDocument  func(document value)     // called with an object that may hold all records; nil: not wanted
	ctx             context.Context
	group           *messageGroup // of messages whose conversation is not complete
	groupLines      nameIndex     // lines where conversations start
	heldMessage     *row          // the first row, if it looks like one message of a conversation
	limits          fileLimits
	rowLimit        int

	isCSV           bool // column names have been checked in the header
	row             row  // the current row
	rowCount        int
	recordNo        int             // of the current record of another program, from 1
	skipped         int             // records of another program
	reportedColumns map[string]bool // of CSV, with an error that is reported once

	items        []project.Item           // of the current row only, with yield
	yield        func(project.Item) error // takes the items after each row
	itemCount    int
	idLines      nameIndex                  // lines of the source ids
	repeats      map[string]int             // further items with an id derived from their content
	contentBytes int                        // of all items
	extraMeta    map[string]json.RawMessage // metadata from inside the lists of the current row
	extraKeys    map[string]bool            // general paths of extraMeta
	rowIDs       []string                   // of the current record
	firstItem    int                        // of the current record, in items
}

func newBuilder(p protocol.Protocol, fileName string) *builder {
	return &builder{protocol: p, errs: &errorList{file: fileName}, knownNames: unitColumns(p.Unit), limits: heldLimits,
		rowLimit:        itemLimit,
		reportedColumns: map[string]bool{}, idLines: newNameIndex(), groupLines: newNameIndex(),
		repeats: map[string]int{}, extraKeys: map[string]bool{}}
}

// unitColumns returns the columns with a meaning for u.
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

// addColumnError adds an error of a column or key. In CSV it is added once per column.
func (b *builder) addColumnError(key string, parent *location, format string, args ...any) {
	if !b.isCSV || !b.reportedColumns[key] {
		b.reportedColumns[key] = true
		b.addError(parent.child(key), format, args...)
	}
}

// addRow reads one row. It returns errAborted after a limit is exceeded.
func (b *builder) addRow(r row) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.errs.count() > maxErrors {
		b.errs.addFirst(r.line, messagef("The file has more than %s errors. The rest of the file was not read.",
			formatCount(maxErrors)))
		return errAborted
	}
	if isExport, err := b.addExport(r); isExport {
		return err
	}
	if isHeld, err := b.holdMessage(r); isHeld || err != nil {
		return err
	}
	switch {
	case b.options.GroupBy != "" && b.handleRecord == nil:
		return b.addMessage(r)
	case b.isForeign():
		return b.addForeignRow(r)
	}
	return b.addOwnRow(r)
}

// addOwnRow reads a row whose columns are those of the unit.
func (b *builder) addOwnRow(r row) error {
	if b.row = r; !b.isCSV && !b.isForeign() {
		b.matchNames(r.members, b.knownNames)
	}
	before := len(b.items)
	chunks, ok := r.get("chunks")
	switch {
	case b.handleRow != nil:
		b.handleRow()
	case ok && b.protocol.Unit.RecordKind != protocol.RecordNone && !b.isCSV:
		b.addRecord(chunks)
	default:
		b.addFlatItem()
	}
	if b.afterRow != nil {
		b.afterRow(before)
	}
	b.rowCount++
	if problem := b.checkLimits(); problem != "" {
		b.errs.addFirst(r.line, messagef("%s", problem))
		return errAborted
	}
	if b.isForeign() {
		return nil // its items are passed on with those of the whole record
	}
	return b.finishRecord(r.line, value{members: r.members})
}

// finishRecord passes on the items of a record, or leaves it out if it has errors.
func (b *builder) finishRecord(line int, record value) error {
	b.options.ledger().Records++
	if b.skipInvalid(line, record, nil) {
		for _, id := range b.rowIDs {
			b.idLines.remove(id)
		}
		b.itemCount -= len(b.items) - b.firstItem
		b.items = b.items[:b.firstItem]
	}
	b.rowIDs = b.rowIDs[:0]
	err := b.yieldItems()
	b.firstItem = len(b.items)
	return err
}

// yieldItems passes on the items of a row, so that a whole file is never in memory.
func (b *builder) yieldItems() error {
	if b.yield == nil {
		return nil
	}
	for _, item := range b.items {
		if err := b.yield(item); err != nil {
			return err
		}
	}
	clear(b.items)
	b.items = b.items[:0]
	return nil
}

// checkLimits returns which limit is exceeded, or "". Rows without an item count too,
// because their errors cost time and memory.
func (b *builder) checkLimits() string {
	switch {
	case b.itemCount > b.limits.items:
		return fmt.Sprintf("The file has more than %s items. Split it.", formatCount(b.limits.items))
	case b.rowCount > b.rowLimit:
		return fmt.Sprintf("The file has more than %s rows. Fix the errors listed here, then split the file.",
			formatCount(b.rowLimit))
	case b.contentBytes > b.limits.content:
		return fmt.Sprintf("The items have more than %d MiB of text, because each holds its whole record. Split the file.", b.limits.content>>20)
	}
	return ""
}

// matchNames corrects names that differ from a known one in case and spaces, unless that is there, too.
func (b *builder) matchNames(members []member, known []string) {
	for i, m := range members {
		members[i].key = b.correctName(m.key, known, func(name string) bool {
			_, exists := findMember(members, name)
			return exists
		})
	}
}

// correctName returns the known name that name differs from in case and spaces, unless exists says that it is there,
// too.
func (b *builder) correctName(name string, known []string, exists func(name string) bool) string {
	intended := matchName(name, known)
	if intended == "" || exists(intended) || intended == "id" && exists(b.protocol.Unit.IDColumn) {
		return name
	}
	return intended
}

// matchName returns the known name that differs from name only in case and surrounding
// spaces, or "".
func matchName(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	i := slices.IndexFunc(known, func(k string) bool {
		return strings.EqualFold(plaintext.Trim(name), k)
	})
	if i < 0 {
		return ""
	}
	return known[i]
}

// addFlatItem adds the item of a row whose columns are the parts.
func (b *builder) addFlatItem() {
	before := b.errs.count()
	content, used := project.Content{}, []string{}
	b.resetExtra()
	for _, part := range b.protocol.Unit.Parts {
		partContent, keys := b.readPart(part)
		used = append(used, keys...)
		if !isEmpty(partContent) {
			content[part.Key] = partContent
		}
	}
	id, key := b.readID()
	record := b.readOptionalName(b.row.members, "record_id", nil, idLimit)
	if id == "" {
		id = b.makeUnique("i-" + hashTexts(canonicalText(content)))
	}
	if !b.registerValidID(id, before) {
		return
	}
	b.classifyRow(used, nil)
	if record == "" && b.protocol.Unit.RecordKind == protocol.RecordRAGByChunk {
		record = "r-" + hashTexts(content["query"].Text, content["answer"].Text)
	}
	b.addItem(project.Item{SourceID: id, RecordID: record, Content: content,
		Meta: b.collectMeta(append(used, key, "record_id"))})
}

func isEmpty(c project.PartContent) bool {
	return c.Text == "" && len(c.Turns) == 0 && len(c.Chunks) == 0
}

func (b *builder) addItem(item project.Item) {
	item.Facts, item.Row = project.DeriveFacts(b.protocol, item.Content), b.row.line
	b.contentBytes += item.Size()
	b.items = append(b.items, item)
	b.itemCount++
}

// readOptionalName returns the name under key, or "".
func (b *builder) readOptionalName(members []member, key string, loc *location, limit int) string {
	v, ok := findMember(members, key)
	if !ok || v.is('n') {
		return ""
	}
	return b.readName(v, loc.child(key), limit)
}

// readName returns an id verbatim. It may be a number in JSON, whose digits it has.
func (b *builder) readName(v value, loc *location, limit int) string {
	problem := checkName(v.text, limit)
	switch {
	case v.reported:
	case v.is('0'):
		return v.text
	case !v.is('"'):
		b.addError(loc, "This is %s. Write it as text, in quotes.", v.describe())
	case !protocol.HasText(v.text):
		b.addError(loc, "This is empty. Add a value, or remove “%s” from every row.", plaintext.Shorten(loc.key))
	case problem != "":
		b.addError(loc, "%s", problem)
	default:
		return v.text
	}
	return ""
}

// readText returns a required text. It may be a number, true or false, as the file writes it.
func (b *builder) readText(v value, loc *location) string {
	if v.is('t') || v.is('f') {
		return string(v.json())
	}
	switch n := utf8.RuneCountInString(v.text); {
	case v.reported:
	case !v.is('"') && !v.is('0'):
		b.addError(loc, "This is %s. Write text here.", v.describe())
	case !protocol.HasText(v.text):
		b.addError(loc, "This is empty. Add text.")
	case n > cellLimit:
		b.addError(loc, "This has %s characters. The limit is %s.", formatCount(n), formatCount(cellLimit))
	}
	return v.text
}

// collectMeta returns the columns that are not used as content.
func (b *builder) collectMeta(used []string) map[string]json.RawMessage {
	meta := b.extraMeta
	for _, m := range b.row.members {
		if !slices.Contains(used, m.key) {
			meta[m.key] = m.json()
		}
	}
	return meta
}
