package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
)

// readID returns the row's own id, or "", and its column. Next to the unit's own column, "id" is
// metadata.
func (b *builder) readID() (id, column string) {
	column = b.idColumn()
	return b.readOptionalName(b.row.members, column, nil, idLimit), column
}

func (b *builder) idColumn() string {
	if _, ok := b.row.get(b.protocol.Unit.IDColumn); ok && b.protocol.Unit.IDColumn != "" {
		return b.protocol.Unit.IDColumn
	}
	return "id"
}

func (b *builder) idLocation() *location {
	for _, column := range []string{b.protocol.Unit.IDColumn, "id", "record_id"} {
		if _, ok := b.row.get(column); ok && column != "" {
			return topLocation(column)
		}
	}
	return nil
}

// registerID stores the id of an item and reports a repeated one.
func (b *builder) registerID(id string) bool {
	if line, ok := b.idLines.line(id); ok {
		b.addError(b.idLocation(), "Line %d has the same id “%s”. Each item needs its own id.", line,
			plaintext.Shorten(id))
		return false
	}
	b.idLines.add(id, b.row.line)
	if b.skipsInvalid() {
		b.rowIDs = append(b.rowIDs, id)
	}
	return true
}

// registerValidID stores the id of the item of a row, unless the row has errors.
func (b *builder) registerValidID(id string, before int) bool {
	if b.skipsInvalid() && !b.isValid(before) {
		return false
	}
	b.registerID(id)
	return b.isValid(before)
}

// makeUnique returns id, with a number appended if an item has it already.
func (b *builder) makeUnique(id string) string {
	if _, isRepeated := b.idLines.line(id); !isRepeated {
		return id
	}
	b.repeats[id]++
	return fmt.Sprintf("%s-%d", id, b.repeats[id]+1)
}

// A nameIndex stores a line for each name. Of a name it has 64 bits of a hash with a random seed,
// so that the names of a million rows take 30 MB: two of ten million names are taken for the same
// one in one of 300,000 readings.
type nameIndex struct {
	seed  maphash.Seed
	lines map[uint64]uint32
}

func newNameIndex() nameIndex { return nameIndex{maphash.MakeSeed(), map[uint64]uint32{}} }

func (x nameIndex) add(name string, line int) {
	x.lines[maphash.String(x.seed, name)] = uint32(min(line, math.MaxUint32))
}

func (x nameIndex) remove(name string) { delete(x.lines, maphash.String(x.seed, name)) }

func (x nameIndex) line(name string) (line int, isKnown bool) {
	n, isKnown := x.lines[maphash.String(x.seed, name)]
	return int(n), isKnown
}

// hashTexts returns 80 bits of a hash of texts. Length prefixes keep them apart.
func hashTexts(texts ...string) string {
	hash := sha256.New()
	var buffer [64]byte
	for _, text := range texts {
		hash.Write(append(strconv.AppendInt(buffer[:0], int64(len(text)), 10), ':'))
		_, _ = io.WriteString(hash, text) // a hash never fails
	}
	return hex.EncodeToString(hash.Sum(buffer[:0])[:10])
}

// canonicalText returns equal texts for equal content.
func canonicalText(c project.Content) string {
	var text strings.Builder
	write := func(s string) { text.WriteString(strconv.Itoa(len(s)) + ":" + s) }
	for _, key := range slices.Sorted(maps.Keys(c)) {
		write(key)
		write(c[key].Text)
		for _, t := range c[key].Turns {
			write(t.Role)
			write(t.Text)
			if t.Kind != project.TurnMessage {
				write(string(t.Kind) + " " + t.Name + " " + t.Address)
			}
		}
		for _, p := range c[key].Chunks {
			write(p.ID)
			write(p.Text)
		}
	}
	return text.String()
}

// readItemID returns the source id of an existing item that the row names.
func (b *builder) readItemID() (id string, ok bool) {
	v, exists := b.row.get("item")
	switch {
	case exists:
		id = b.readName(v, topLocation("item"), sourceIDLimit)
	case !b.isCSV: // a missing column is reported once, in the header
		b.addError(topLocation("item"), "This is missing. Add the id of the item.")
	}
	return id, id != ""
}

func describeUnknownItem(id string) string {
	return fmt.Sprintf("The project has no item “%s”.", plaintext.Shorten(id))
}
