package postgres

import (
	"context"
	"fmt"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
)

// maxTabs is the maximum number of tabs measured per item.
const maxTabs = `100`

// mergeTabTimes merges the times of a tab into a draft. The time of a tab never decreases.
const mergeTabTimes = `tab_times = CASE
	WHEN excluded.tab_times <@ drafts.tab_times THEN drafts.tab_times
	WHEN (SELECT count(*) FROM jsonb_object_keys(drafts.tab_times || excluded.tab_times)) > ` + maxTabs +
	` THEN drafts.tab_times
	ELSE drafts.tab_times || (
	    SELECT jsonb_object_agg(key, greatest(value::bigint, (drafts.tab_times ->> key)::bigint)) FROM jsonb_each_text(excluded.tab_times))
	END`

// A NewerDraftError reports that another tab saved a different draft since the version that
// this tab started from. The saved draft stays.
type NewerDraftError struct{ Version int64 }

func (NewerDraftError) Error() string { return "another tab saved a newer draft" }

// A storedDraft is the state of a draft after a tab tried to save its own.
type storedDraft struct {
	Version    int64
	SavedByTab string
}

// checkNewer returns a NewerDraftError if d is newer than what the tab knows.
func (d storedDraft) checkNewer(tab string, baseVersion int64) error {
	if d.Version == 0 || d.Version == baseVersion || d.SavedByTab == tab {
		return nil
	}
	return NewerDraftError{d.Version}
}

// replaceDraftClause returns the SET clause that replaces a draft if the tab started from
// the saved version, saved that version itself, or changed nothing. A lower version never
// replaces a higher one. Version 0 is no draft and only reports active time.
func replaceDraftClause(table, contentColumn, baseVersionParam string) string {
	replaces := fmt.Sprintf(`excluded.version > 0 AND (%[1]s.%[2]s = excluded.%[2]s
		OR %[1]s.version < excluded.version AND (%[1]s.version = %[3]s OR %[1]s.saved_by_tab = excluded.saved_by_tab))`,
		table, contentColumn, baseVersionParam)
	return fmt.Sprintf(`saved_at = now(),
		version = CASE WHEN %[3]s THEN greatest(%[1]s.version, excluded.version) ELSE %[1]s.version END,
		saved_by_tab = CASE WHEN %[3]s THEN excluded.saved_by_tab ELSE %[1]s.saved_by_tab END,
		%[2]s = CASE WHEN %[3]s THEN excluded.%[2]s ELSE %[1]s.%[2]s END`, table, contentColumn, replaces)
}

var upsertDraft = `
	WITH a AS (
		SELECT id, CASE WHEN set_back THEN 'open' ELSE state END AS state, account_id,
		NOT ` + isActive + ` AS removed FROM assignments a WHERE token = $1 FOR SHARE
	), saved AS (
		INSERT INTO drafts (assignment_id, version, saved_by_tab, answers, tab_times)
		SELECT id, $3, $6, $4, $5 FROM a WHERE state IN ('open', 'released') AND account_id = $2 AND NOT removed
		ON CONFLICT (assignment_id) DO UPDATE
		SET ` + replaceDraftClause("drafts", "answers", "$7") + `, ` + mergeTabTimes + `
		RETURNING version, saved_by_tab
	)
	SELECT a.state, a.account_id, a.removed, a.state = 'released' AND NOT is_reclaimable(a.id) AS reassigned,
	       coalesce(saved.version, 0) AS version, coalesce(saved.saved_by_tab, '') AS saved_by_tab
	FROM a LEFT JOIN saved ON true`

// SaveDraft saves a form as typed, also for a released item.
// It returns labeling.ErrReassigned if another annotator has that now, or a NewerDraftError
// if another tab saved a different draft since; the active time is saved in any case.
func (db *DB) SaveDraft(ctx context.Context, accountID account.ID, token string, version int64,
	s labeling.Submission) error {
	row, err := collectOne[struct {
		State     labeling.State
		AccountID account.ID
		Removed   bool
		// Another annotator has the item. The draft is saved in any case.
		Reassigned bool
		storedDraft
	}](db.pool.Query(ctx, upsertDraft, token, accountID, version, draftOf(s), tabTimes(s), s.Tab, s.DraftVersion))
	if err != nil {
		return err
	}
	if row.State == labeling.Released {
		row.State = labeling.Open
	}
	if err := (labeling.Assignment{AccountID: row.AccountID, State: row.State, Removed: row.Removed}).CheckOpen(
		accountID); err != nil {
		return err
	}
	if row.Reassigned {
		return labeling.ErrReassigned
	}
	return row.checkNewer(s.Tab, s.DraftVersion)
}

// SaveSignedOutForm saves a form sent after its author's session ended. It only replaces
// the draft version that the form was made from.
func (db *DB) SaveSignedOutForm(ctx context.Context, token string, version int64, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers)
		SELECT id, 1, $3 FROM assignments a WHERE token = $1 AND (state IN ('open', 'released') OR set_back)
		AND `+isActive+` FOR SHARE
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, saved_by_tab = '', answers = excluded.answers, saved_at = now()
		WHERE drafts.version = $2`, token, version, draftOf(s))
	return err
}

// SaveFormAsDraft saves the form of an item that was sent but not submitted: during a break,
// with problems, or with another button.
func (db *DB) SaveFormAsDraft(ctx context.Context, token string, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers, tab_times)
		SELECT id, 1, $2, $3 FROM assignments a WHERE token = $1 AND (state IN ('open', 'released') OR set_back)
		AND `+isActive+` FOR SHARE
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, saved_by_tab = '', answers = excluded.answers, saved_at = now(), `+
		mergeTabTimes, token, draftOf(s), tabTimes(s))
	return err
}

func draftOf(s labeling.Submission) labeling.Draft {
	return labeling.Draft{Answers: s.Answers, FilledIn: s.FilledIn}
}

func tabTimes(s labeling.Submission) labeling.TabTimes { return labeling.TabTimes{s.Tab: s.ActiveMS} }
