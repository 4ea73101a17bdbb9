package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
)

// An ItemNote is what a lead noted about an item.
type ItemNote struct {
	Note      string
	WrittenBy string // the name; empty: a command
	WrittenAt time.Time
}

// ItemTags returns the tags that leads gave to an item.
func (db *DB) ItemTags(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID) (
	[]string, error) {
	if err := requireVisible(ctx, db.pool, actorID, p.ID, itemID); err != nil {
		return nil, err
	}
	return collectColumn[string](db.pool.Query(ctx, `SELECT tag FROM item_tags WHERE item_id = $1 AND project_id = $2
		ORDER BY tag`, itemID, p.ID))
}

// ItemNotes returns what leads noted about an item, oldest first.
func (db *DB) ItemNotes(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID) (
	[]ItemNote, error) {
	if err := requireVisible(ctx, db.pool, actorID, p.ID, itemID); err != nil {
		return nil, err
	}
	return collectAll[ItemNote](db.pool.Query(ctx, `
		SELECT n.note, coalesce(u.name, '') AS written_by, n.written_at
		FROM item_notes n
		JOIN items i ON i.id = n.item_id AND i.project_id = $2
		LEFT JOIN identity.users u ON u.account_id = n.written_by
		WHERE n.item_id = $1
		ORDER BY n.id`, itemID, p.ID))
}

// Tags returns the tags of a project.
func (db *DB) Tags(ctx context.Context, projectID project.ID) ([]string, error) {
	return collectColumn[string](db.pool.Query(ctx, `SELECT DISTINCT tag FROM item_tags WHERE project_id = $1
		ORDER BY tag`, projectID))
}

// MaxItemNote is the length of a note about an item, in characters.
const MaxItemNote = 2000

// NoteItems notes something about the items that a filter selects, and returns how many these are. Notes stay: a later
// one corrects an earlier one.
func (db *DB) NoteItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter,
	note string) (count int, err error) {
	if note, err = checkText(note, MaxItemNote, "Enter a note of 1 to 2,000 characters."); err != nil {
		return 0, err
	}
	err = db.changeItems(ctx, actorID, p, f, func(tx pgx.Tx, ids []project.ItemID) error {
		count = len(ids)
		if _, err := tx.Exec(ctx, `
			INSERT INTO item_notes (item_id, note, written_by)
			SELECT id, $3, nullif($4, 0) FROM items WHERE project_id = $1 AND id = ANY ($2)`, p.ID, ids, note,
			actorID); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.note_items", projectSubject(p.Key),
			selectionDetails(f, ids, count, ""))
	})
	return count, err
}

// A Tagging gives tags to items, and takes others from them.
type Tagging struct{ Add, Remove []string }

var errTag = fault.Invalid.Errorf("A tag has 1 to 50 characters on one line, without a comma.")

func (t Tagging) check() (Tagging, error) {
	for _, list := range []*[]string{&t.Add, &t.Remove} {
		tags := slices.Clone(*list)
		for i := range tags {
			tag, err := plaintext.ReadLine(tags[i], 1, 50, errTag)
			if err == nil && strings.Contains(tag, ",") {
				err = errTag
			}
			if err != nil {
				return t, project.FormProblems{{Field: "tags", Err: err}}
			}
			tags[i] = tag
		}
		*list = tags
	}
	if len(t.Add)+len(t.Remove) == 0 {
		return t, project.FormProblems{{Field: "tags", Err: fault.Invalid.Errorf("Name a tag to add or to remove.")}}
	}
	return t, nil
}

// TagItems changes the tags of the items that a filter selects, and returns how many items it selects.
func (db *DB) TagItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter, t Tagging) (
	count int, err error) {
	if t, err = t.check(); err != nil {
		return 0, err
	}
	err = db.changeItems(ctx, actorID, p, f, func(tx pgx.Tx, ids []project.ItemID) error {
		count = len(ids)
		if _, err := tx.Exec(ctx, `
			WITH removed AS (DELETE FROM item_tags WHERE project_id = $1 AND item_id = ANY ($2) AND tag = ANY ($4))
			INSERT INTO item_tags (project_id, item_id, tag, tagged_by)
			SELECT $1, i.id, t.tag, nullif($5, 0)
			FROM items i, unnest($3::text[]) AS t (tag)
			WHERE i.project_id = $1 AND i.id = ANY ($2)
			ON CONFLICT DO NOTHING`, p.ID, ids, t.Add, t.Remove, actorID); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.tag_items", projectSubject(p.Key),
			selectionDetails(f, ids, count, ""))
	})
	return count, err
}
