package postgres

import (
	"context"
	"fmt"

	"github.com/labelwright/labelwright/internal/labeling"
)

// mostTabs bounds how many tabs of one item are measured.
const mostTabs = `100`

// keepTabs merges what a tab measured into a draft; a tab never takes time
// back.
const keepTabs = `tabs = CASE
	WHEN excluded.tabs <@ drafts.tabs THEN drafts.tabs
	WHEN (SELECT count(*) FROM jsonb_object_keys(drafts.tabs || excluded.tabs)) > ` + mostTabs + ` THEN drafts.tabs
	ELSE drafts.tabs || (
	    SELECT jsonb_object_agg(key, greatest(value::bigint, (drafts.tabs ->> key)::bigint)) FROM jsonb_each_text(excluded.tabs))
	END`

// NewerDraft says that another page has kept something different since the
// version that a page works from. What is kept stays.
type NewerDraft struct{ Version int64 }

func (NewerDraft) Error() string { return "another page has kept something newer" }

// A heldDraft is how a draft stands once a page has tried to keep its own.
type heldDraft struct {
	Version int64
	KeptBy  string
}

// check tells the page of that name, which works from a version, what it does
// not know of.
func (h heldDraft) check(page string, from int64) error {
	if h.Version == 0 || h.Version == from || h.KeptBy == page {
		return nil
	}
	return NewerDraft{h.Version}
}

// replaceDraft replaces the draft of a table with what a page has typed: where
// it was made from the version that is kept, where the page itself kept that,
// or where nothing differs. A version counted earlier never replaces a later
// one; version 0 is no draft, and tells the time alone.
func replaceDraft(table, typed, from string) string {
	next := fmt.Sprintf(`excluded.version > 0 AND (%[1]s.%[2]s = excluded.%[2]s
		OR %[1]s.version < excluded.version AND (%[1]s.version = %[3]s OR %[1]s.kept_by = excluded.kept_by))`, table, typed, from)
	return fmt.Sprintf(`saved_at = now(),
		version = CASE WHEN %[3]s THEN greatest(%[1]s.version, excluded.version) ELSE %[1]s.version END,
		kept_by = CASE WHEN %[3]s THEN excluded.kept_by ELSE %[1]s.kept_by END,
		%[2]s = CASE WHEN %[3]s THEN excluded.%[2]s ELSE %[1]s.%[2]s END`, table, typed, next)
}

var saveDraft = `
	WITH a AS (
		SELECT id, state, account_id FROM assignments WHERE token = $1 FOR SHARE
	), kept AS (
		INSERT INTO drafts (assignment_id, version, kept_by, answers, tabs)
		SELECT id, $3, $6, $4, $5 FROM a WHERE state IN ('open', 'returned') AND account_id = $2
		ON CONFLICT (assignment_id) DO UPDATE
		SET ` + replaceDraft("drafts", "answers", "$7") + `, ` + keepTabs + `
		RETURNING version, kept_by
	)
	SELECT a.state, a.account_id, coalesce(kept.version, 0) AS version, coalesce(kept.kept_by, '') AS kept_by
	FROM a LEFT JOIN kept ON true`

// SaveDraft keeps a form as it was typed, also of an item that went back to the
// pool. It returns a NewerDraft where another page has kept something different
// since; the time is kept in any case.
func (db *DB) SaveDraft(ctx context.Context, by int64, token string, version int64, s labeling.Submission) error {
	row, err := one[struct {
		State     labeling.State
		AccountID int64
		heldDraft
	}](db.pool.Query(ctx, saveDraft, token, by, version, s.Answers, tabsOf(s), s.Tab, s.From))
	if err != nil {
		return err
	}
	if row.State == labeling.Returned {
		row.State = labeling.Open // it may be free still
	}
	if err := (labeling.Assignment{AccountID: row.AccountID, State: row.State}).Takes(by); err != nil {
		return err
	}
	return row.check(s.Tab, s.From)
}

// KeepUnsigned keeps what was sent for an item by somebody whose session was
// over. Without a session it replaces nothing but the very draft that the form
// was made from.
func (db *DB) KeepUnsigned(ctx context.Context, token string, version int64, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers)
		SELECT id, 1, $3 FROM assignments WHERE token = $1 AND state IN ('open', 'returned') FOR SHARE
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, kept_by = '', answers = excluded.answers, saved_at = now()
		WHERE drafts.version = $2`, token, version, s.Answers)
	return err
}

// KeepDraft keeps what its annotator sent for an item that is not closed: in a
// break, with problems, or with another button.
func (db *DB) KeepDraft(ctx context.Context, token string, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers, tabs)
		SELECT id, 1, $2, $3 FROM assignments WHERE token = $1 AND state IN ('open', 'returned') FOR SHARE
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, kept_by = '', answers = excluded.answers, saved_at = now(), `+keepTabs, token, s.Answers, tabsOf(s))
	return err
}

func tabsOf(s labeling.Submission) labeling.Tabs { return labeling.Tabs{s.Tab: s.ActiveMS} }
