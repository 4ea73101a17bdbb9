package postgres

import (
	"context"
	"fmt"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
)

// maxTabs bounds how many tabs of one item are measured.
const maxTabs = `100`

// mergeTabTimes merges what a tab measured into a draft; a tab never takes time
// back.
const mergeTabTimes = `tabs = CASE
	WHEN excluded.tabs <@ drafts.tabs THEN drafts.tabs
	WHEN (SELECT count(*) FROM jsonb_object_keys(drafts.tabs || excluded.tabs)) > ` + maxTabs + ` THEN drafts.tabs
	ELSE drafts.tabs || (
	    SELECT jsonb_object_agg(key, greatest(value::bigint, (drafts.tabs ->> key)::bigint)) FROM jsonb_each_text(excluded.tabs))
	END`

// NewerDraftError says that another page has kept something different since the
// version that a page works from. What is kept stays.
type NewerDraftError struct{ Version int64 }

func (NewerDraftError) Error() string { return "another page has kept something newer" }

// A storedDraft is how a draft stands once a page has tried to keep its own.
type storedDraft struct {
	Version    int64
	SavedByTab string
}

// checkNewer tells the page of that name, which works from a version, what it does
// not know of.
func (d storedDraft) checkNewer(tab string, baseVersion int64) error {
	if d.Version == 0 || d.Version == baseVersion || d.SavedByTab == tab {
		return nil
	}
	return NewerDraftError{d.Version}
}

// replaceDraftClause replaces the draft of a table with what a page has typed: where
// it was made from the version that is kept, where the page itself kept that,
// or where nothing differs. A version counted earlier never replaces a later
// one; version 0 is no draft, and tells the time alone.
func replaceDraftClause(table, contentColumn, baseVersionParam string) string {
	replaces := fmt.Sprintf(`excluded.version > 0 AND (%[1]s.%[2]s = excluded.%[2]s
		OR %[1]s.version < excluded.version AND (%[1]s.version = %[3]s OR %[1]s.kept_by = excluded.kept_by))`, table, contentColumn, baseVersionParam)
	return fmt.Sprintf(`saved_at = now(),
		version = CASE WHEN %[3]s THEN greatest(%[1]s.version, excluded.version) ELSE %[1]s.version END,
		kept_by = CASE WHEN %[3]s THEN excluded.kept_by ELSE %[1]s.kept_by END,
		%[2]s = CASE WHEN %[3]s THEN excluded.%[2]s ELSE %[1]s.%[2]s END`, table, contentColumn, replaces)
}

var upsertDraft = `
	WITH a AS (
		SELECT id, state, account_id FROM assignments WHERE token = $1 FOR SHARE
	), kept AS (
		INSERT INTO drafts (assignment_id, version, kept_by, answers, tabs)
		SELECT id, $3, $6, $4, $5 FROM a WHERE state IN ('open', 'returned') AND account_id = $2
		ON CONFLICT (assignment_id) DO UPDATE
		SET ` + replaceDraftClause("drafts", "answers", "$7") + `, ` + mergeTabTimes + `
		RETURNING version, kept_by
	)
	SELECT a.state, a.account_id, coalesce(kept.version, 0) AS version, coalesce(kept.kept_by, '') AS kept_by
	FROM a LEFT JOIN kept ON true`

// SaveDraft keeps a form as it was typed, also of an item that went back to the
// pool. It returns a NewerDraftError where another page has kept something different
// since; the time is kept in any case.
func (db *DB) SaveDraft(ctx context.Context, actorID account.ID, token string, version int64, s labeling.Submission) error {
	row, err := collectOne[struct {
		State     labeling.State
		AccountID account.ID
		storedDraft
	}](db.pool.Query(ctx, upsertDraft, token, actorID, version, s.Answers, tabTimes(s), s.Tab, s.DraftVersion))
	if err != nil {
		return err
	}
	if row.State == labeling.Released {
		row.State = labeling.Open // it may be free still
	}
	if err := (labeling.Assignment{AccountID: row.AccountID, State: row.State}).CheckOpen(actorID); err != nil {
		return err
	}
	return row.checkNewer(s.Tab, s.DraftVersion)
}

// SaveSignedOutForm keeps what was sent for an item by somebody whose session was
// over. Without a session it replaces nothing but the very draft that the form
// was made from.
func (db *DB) SaveSignedOutForm(ctx context.Context, token string, version int64, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers)
		SELECT id, 1, $3 FROM assignments WHERE token = $1 AND state IN ('open', 'returned') FOR SHARE
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, kept_by = '', answers = excluded.answers, saved_at = now()
		WHERE drafts.version = $2`, token, version, s.Answers)
	return err
}

// SaveFormAsDraft keeps what its annotator sent for an item that is not closed: in a
// break, with problems, or with another button.
func (db *DB) SaveFormAsDraft(ctx context.Context, token string, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers, tabs)
		SELECT id, 1, $2, $3 FROM assignments WHERE token = $1 AND state IN ('open', 'returned') FOR SHARE
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, kept_by = '', answers = excluded.answers, saved_at = now(), `+mergeTabTimes, token, s.Answers, tabTimes(s))
	return err
}

func tabTimes(s labeling.Submission) labeling.TabTimes { return labeling.TabTimes{s.Tab: s.ActiveMS} }
