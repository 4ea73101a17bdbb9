package importer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// resetExtra starts a row without metadata from inside its lists.
func (b *builder) resetExtra() {
	b.extraMeta = map[string]json.RawMessage{}
	clear(b.extraKeys)
}

// general returns l as a general path, with "[]" for each element.
func (l *location) general() string {
	switch {
	case l == nil:
		return ""
	case l.elementNo > 0:
		return l.parent.general() + "[]"
	}
	return childKey(l.parent.general(), l.key)
}

// classifyRow adds the values of a row whose columns are those of an item to the ledger: the columns that
// parts were read from are shown, those that no item has are left out, and others are ids or metadata.
func (b *builder) classifyRow(shown, leftOut []string) {
	if b.isForeign() || b.options.Ledger == nil {
		return // the values of the record are classified
	}
	idColumn := b.idColumn()
	var fates []keyFate
	for _, m := range b.row.members {
		f := fateMetadata
		switch {
		case slices.Contains(leftOut, m.key):
			f = fateLeftOut
		case slices.Contains(shown, m.key):
			f = fateShown
		case m.key == idColumn || m.key == "record_id":
			f = fateID
		}
		m.value.walkLeaves(childKey("", m.key), func(path string, _ value) {
			if b.isExtra(path) {
				fates = append(fates, keyFate{path, fateMetadata})
			} else {
				fates = append(fates, keyFate{path, f})
			}
		})
	}
	b.options.Ledger.add(fates)
}

// isExtra reports whether a value inside a list became metadata.
func (b *builder) isExtra(path string) bool {
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		if b.extraKeys[path[:end]] {
			return true
		}
	}
	return false
}

// classifyRecordRow does the same for a record: what the unit does not show is left out.
func (b *builder) classifyRecordRow(record project.Item, chunks []recordChunk) {
	unit := b.protocol.Unit
	has := func(is func(protocol.Part) bool) bool { return slices.ContainsFunc(unit.Parts, is) }
	if unit.RecordKind == protocol.RecordRAGByChunk && len(chunks) == 0 {
		b.options.ledger().leaveOut(omittedNoChunks, "", 1)
		if b.options.OnEmptyRecord != nil {
			b.options.OnEmptyRecord(record.RecordID)
		}
		clear(b.extraKeys)
		b.classifyRow(nil, memberKeys(b.row.members))
		return
	}
	showsSet := has(func(p protocol.Part) bool { return p.Kind == protocol.PartChunks })
	isSame := slices.EqualFunc(record.Content["context_set"].Chunks, chunks, func(p project.Chunk, c recordChunk) bool {
		return p.Text == c.Text
	})
	var shown, leftOut []string
	for _, m := range b.row.members {
		isShown := has(func(p protocol.Part) bool { return p.Key == m.key })
		switch m.key {
		case "query", "answer":
		case "chunks":
			isShown = has(func(p protocol.Part) bool { return p.Kind == protocol.PartChunk }) || showsSet && isSame
		case "context_set":
			isShown = showsSet || isSame
		default:
			if isShown {
				shown = append(shown, m.key)
			}
			continue
		}
		if isShown {
			shown = append(shown, m.key)
			continue
		}
		leftOut = append(leftOut, m.key)
		b.options.ledger().leaveOut(omittedRAGKey, m.key, 1)
	}
	b.classifyRow(shown, leftOut)
}

func memberKeys(members []member) (keys []string) {
	for _, m := range members {
		keys = append(keys, m.key)
	}
	return keys
}
