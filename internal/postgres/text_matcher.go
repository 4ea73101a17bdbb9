package postgres

import (
	"context"
	"encoding/json"
	"hash/maphash"

	"golang.org/x/text/unicode/norm"

	"github.com/labelwright/labelwright/internal/project"
)

// maxMatchedItems is how many items of a project are compared with those of a file.
const maxMatchedItems = 50_000

// A textMatcher finds items whose texts the project has under other ids.
type textMatcher struct {
	seed maphash.Seed
	ids  map[uint64]string // of items, by a hash of their texts
}

// newTextMatcher returns a matcher of the items that p has; of very many items it matches the newest.
func (db *DB) newTextMatcher(ctx context.Context, p project.Project) (m textMatcher, err error) {
	m = textMatcher{maphash.MakeSeed(), map[uint64]string{}}
	rows, err := db.pool.Query(ctx, `SELECT source_id, content FROM items WHERE project_id = $1 ORDER BY id DESC
		LIMIT $2`, p.ID, maxMatchedItems)
	if err != nil {
		return m, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var content project.Content
		if err := rows.Scan(&id, &content); err != nil {
			return m, err
		}
		m.ids[m.hash(content)] = id
	}
	return m, rows.Err()
}

func (m textMatcher) hash(content project.Content) uint64 {
	text, _ := json.Marshal(content) // with its keys sorted; it has only texts and numbers
	return maphash.Bytes(m.seed, text)
}

// count returns 1 if the project has the texts of item under another id, else 0.
func (m textMatcher) count(item project.Item) int {
	if id, isKnown := m.ids[m.hash(item.Content)]; isKnown && id != item.SourceID {
		return 1
	}
	return 0
}

// isDecomposed reports whether the id or a text has letters that are written as several characters, such as e
// and an accent, although there is one for them. Two such ids can look the same.
func isDecomposed(item project.Item) bool {
	for _, text := range append(item.Content.Texts(), item.SourceID) {
		if !norm.NFC.IsNormalString(text) {
			return true
		}
	}
	return false
}
