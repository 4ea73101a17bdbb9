package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
)

// readID returns the row's own id, or "", and the column it stands in.
func (b *builder) readID() (id, column string) {
	column = "id"
	if _, ok := b.row.get(b.protocol.Unit.IDColumn); ok {
		column = b.protocol.Unit.IDColumn
	}
	if _, ok := b.row.get("id"); ok && column != "id" {
		b.addError(topLocation("id"), "Both “id” and “%s” are here. Keep one, and give the other another name.", sanitizeName(column))
	}
	return b.readOptionalName(b.row.members, column, nil, IDLimit), column
}

func (b *builder) idLocation() *location {
	for _, column := range []string{b.protocol.Unit.IDColumn, "id", "record_id"} {
		if _, ok := b.row.get(column); ok && column != "" {
			return topLocation(column)
		}
	}
	return nil
}

// registerID tells an id that was met before.
func (b *builder) registerID(id string) bool {
	if line, ok := b.idLines[id]; ok {
		b.addError(b.idLocation(), "The id “%s” stands in line %d already. Each needs an id of its own.", sanitizeName(id), line)
		return false
	}
	b.idLines[id] = b.row.line
	return true
}

// makeUnique returns id, with a number from the second time on.
func (b *builder) makeUnique(id string) string {
	b.contentCount[id]++
	if n := b.contentCount[id]; n > 1 {
		return fmt.Sprintf("%s-%d", id, n)
	}
	return id
}

// hashTexts returns 80 bits of a hash of texts, each told apart by its length.
func hashTexts(texts ...string) string {
	hash := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(hash, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil)[:10])
}

// canonicalText returns the same text for the same content.
func canonicalText(c project.Content) string {
	var text strings.Builder
	write := func(s string) { fmt.Fprintf(&text, "%d:%s", len(s), s) }
	for _, key := range slices.Sorted(maps.Keys(c)) {
		write(key)
		write(c[key].Text)
		for _, t := range c[key].Turns {
			write(t.Role)
			write(t.Text)
		}
		for _, p := range c[key].Chunks {
			write(p.ID)
			write(p.Text)
		}
	}
	return text.String()
}
