package sheet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
)

// id returns the row's own id, or "", and the column it stands in.
func (b *builder) id() (id, column string) {
	column = "id"
	if _, ok := b.row.get(b.p.Unit.ID); ok {
		column = b.p.Unit.ID
	}
	if _, ok := b.row.get("id"); ok && column != "id" {
		b.tell(top("id"), "Both “id” and “%s” are here. Keep one, and give the other another name.", shown(column))
	}
	return b.optional(b.row.members, column, nil, IDLimit), column
}

func (b *builder) idPlace() *place {
	for _, column := range []string{b.p.Unit.ID, "id", "record_id"} {
		if _, ok := b.row.get(column); ok && column != "" {
			return top(column)
		}
	}
	return nil
}

// claim tells an id that was met before.
func (b *builder) claim(id string) bool {
	if line, ok := b.ids[id]; ok {
		b.tell(b.idPlace(), "The id “%s” stands in line %d already. Each needs an id of its own.", shown(id), line)
		return false
	}
	b.ids[id] = b.row.line
	return true
}

// nth returns id, with a number from the second time on.
func (b *builder) nth(id string) string {
	b.same[id]++
	if n := b.same[id]; n > 1 {
		return fmt.Sprintf("%s-%d", id, n)
	}
	return id
}

// digest returns 80 bits of a hash of texts, each told apart by its length.
func digest(texts ...string) string {
	hash := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(hash, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil)[:10])
}

// canonical returns the same text for the same content.
func canonical(c project.Content) string {
	var text strings.Builder
	write := func(s string) { fmt.Fprintf(&text, "%d:%s", len(s), s) }
	for _, key := range slices.Sorted(maps.Keys(c)) {
		write(key)
		write(c[key].Text)
		for _, t := range c[key].Turns {
			write(t.Role)
			write(t.Text)
		}
		for _, p := range c[key].Passages {
			write(p.ID)
			write(p.Text)
		}
	}
	return text.String()
}
