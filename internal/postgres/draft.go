package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
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

// SaveDraft keeps a form as it was typed, also of an item that went back to the
// pool. A version the page counted earlier never replaces a later one.
func (db *DB) SaveDraft(ctx context.Context, by int64, token string, version int64, s labeling.Submission) error {
	var state labeling.State
	var owner int64
	err := db.pool.QueryRow(ctx, `
		WITH a AS (
			SELECT id, state, account_id FROM assignments WHERE token = $1 FOR SHARE
		), kept AS (
			INSERT INTO drafts (assignment_id, version, answers, tabs)
			SELECT id, $3, $4, $5 FROM a WHERE state IN ('open', 'returned') AND account_id = $2
			ON CONFLICT (assignment_id) DO UPDATE
			SET version = greatest(drafts.version, excluded.version), saved_at = now(),
			    answers = CASE WHEN drafts.version < excluded.version THEN excluded.answers ELSE drafts.answers END, `+keepTabs+`
		)
		SELECT state, account_id FROM a`, token, by, version, s.Answers, tabsOf(s)).Scan(&state, &owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.NotFound
	}
	if err != nil {
		return err
	}
	if state == labeling.Returned {
		state = labeling.Open // it may be free still
	}
	return labeling.Assignment{AccountID: owner, State: state}.Takes(by)
}

// KeepUnsigned keeps what was sent for an item by somebody whose session was
// over. Without a session it replaces nothing but the very draft that the form
// was made from.
func (db *DB) KeepUnsigned(ctx context.Context, token string, version int64, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers)
		SELECT id, 1, $3 FROM assignments WHERE token = $1 AND state IN ('open', 'returned')
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, answers = excluded.answers, saved_at = now()
		WHERE drafts.version = $2`, token, version, s.Answers)
	return err
}

// KeepDraft keeps what its annotator sent for an item that is not closed: in a
// break, with problems, or with another button.
func (db *DB) KeepDraft(ctx context.Context, token string, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers, tabs)
		SELECT id, 1, $2, $3 FROM assignments WHERE token = $1 AND state IN ('open', 'returned')
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, answers = excluded.answers, saved_at = now(), `+keepTabs, token, s.Answers, tabsOf(s))
	return err
}

func tabsOf(s labeling.Submission) labeling.Tabs { return labeling.Tabs{s.Tab: s.ActiveMS} }
