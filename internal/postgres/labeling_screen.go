package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A LabelingScreen is everything the labelling page shows, read in one round trip.
type LabelingScreen struct {
	labeling.Assignment
	OnBreak         bool // a break is under way
	Content         project.Content
	WordCount       int
	ProjectTitle    string // its title
	ProjectKey      string
	SupportURL      string
	ContentWarning  string // to acknowledge before anything else is shown; empty: done, or none
	Draft           protocol.Answers
	DraftSavedAt    *time.Time
	DraftVersion    int64 // of the draft
	ActiveMS        int64 // spent on this item so far
	IsCalibration   bool  // of the set that comes before the work
	IsRetake        bool  // of the set, and not for the first time
	Reopened        bool  // it was submitted before, and the lead opened it once more
	CompletedItems  int   // items submitted in this batch, or done of the set
	ExpectedItems   int   // about how many will be this annotator's
	ItemsSinceBreak int   // items since the last break, taken or not
	BreakEvery      int
	PaceMS          int64 // median active time of this annotator's last items; 0: none yet
}

// LabelingScreen returns the labelling page of an open assignment of that account.
// Metadata of the item is not read.
func (db *DB) LabelingScreen(ctx context.Context, actorID account.ID, token string) (LabelingScreen, error) {
	row, err := collectOne[labelingScreenRow](db.pool.Query(ctx, `
		WITH a AS (`+selectAssignment+`)
		SELECT a.id, a.batch_id, a.item_id, a.account_id, a.token, a.state, a.position, a.attempt, a.reopened, a.kind, a.presentation,
		       a.version_id, a.facts, a.break_every, a.break_minutes, a.break_after, a.aside_next, a.aside_before, a.revision,
		       a.since_rest, a.since_break, a.resting, a.tabs, a.passed_ms, i.content, i.words, p.title, p.key AS project_key, p.support_url,
		       CASE WHEN p.warning = '' OR EXISTS (
		           SELECT FROM warnings_read w
		           WHERE w.project_id = p.id AND w.account_id = a.account_id AND w.version = p.warning_version AND w.day = current_date)
		       THEN '' ELSE p.warning END AS warning,
		       coalesce(d.answers, '{}') AS draft, d.saved_at AS drafted_at,
		       coalesce(d.version, 0) AS draft_version,
		       done.done, done.total, recent.pace_ms,
		       a.state = 'returned' AND EXISTS (
		           SELECT FROM slots WHERE slots.batch_id = a.batch_id AND slots.item_id = a.item_id AND slots.account_id IS NULL) AS free
		FROM a
		JOIN items i ON i.id = a.item_id
		JOIN projects p ON p.id = i.project_id
		JOIN batches b ON b.id = a.batch_id
		LEFT JOIN drafts d ON d.assignment_id = a.id
		CROSS JOIN LATERAL (`+selectItemProgress+`) done
		CROSS JOIN LATERAL (
			SELECT coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY n.active_ms) FILTER (WHERE n.active_ms > 0), 0) AS pace_ms
			FROM (
				SELECT active_ms FROM annotations
				WHERE batch_id = a.batch_id AND account_id = a.account_id AND protocol_version_id = a.version_id
				ORDER BY position DESC
				LIMIT 50) n) recent`, token))
	if err != nil {
		return LabelingScreen{}, err
	}
	s := row.toLabelingScreen()
	if row.State == labeling.Released && row.AccountID == actorID {
		if !row.HasFreeSlot {
			return LabelingScreen{}, labeling.ErrReassigned
		}
		s.State = labeling.Open
	}
	if err := s.CheckOpen(actorID); err != nil {
		return LabelingScreen{}, err
	}
	s.Protocol, err = db.protocolRevision(ctx, db.pool, row.VersionID, row.Revision)
	return s, err
}

// selectItemProgress is how far the annotator of assignment a is: in the calibration set,
// or in the work, where duplicates count like any item.
const selectItemProgress = `
	SELECT CASE WHEN a.kind = 'calibration' THEN (
	           SELECT count(*) FROM assignments e
	           WHERE e.batch_id = a.batch_id AND e.account_id = a.account_id
	             AND e.kind = 'calibration' AND e.presentation = a.presentation AND e.state <> 'open')
	       ELSE ba.work + (
	           SELECT count(*) FROM repeats r JOIN assignments e ON e.id = r.assignment_id
	           WHERE r.batch_id = a.batch_id AND r.account_id = a.account_id AND (e.state = 'submitted' OR e.reopened)) END AS done,
	       CASE WHEN a.kind = 'calibration' THEN (
	           SELECT cardinality(run.path) FROM calibration_runs run
	           WHERE run.batch_id = a.batch_id AND run.account_id = a.account_id AND run.n = a.presentation)
	       ELSE ba.share + b.duplicates END AS total
	FROM batch_annotators ba
	WHERE ba.batch_id = a.batch_id AND ba.account_id = a.account_id`

type labelingScreenRow struct {
	assignmentRow
	Content                       project.Content
	WordCount                     int
	Title                         string
	ProjectKey                    string
	SupportURL                    string
	ContentWarning                string
	Draft                         protocol.Answers
	DraftSavedAt                  *time.Time
	DraftVersion                  int64
	CompletedItems, ExpectedItems int
	PaceMS                        int64
	HasFreeSlot                   bool // it went back to the pool, and is there still
}

func (r labelingScreenRow) toLabelingScreen() LabelingScreen {
	return LabelingScreen{
		Assignment: r.toAssignment(), OnBreak: r.OnBreak,
		Content: r.Content, WordCount: r.WordCount, ProjectTitle: r.Title, ProjectKey: r.ProjectKey, SupportURL: r.SupportURL, ContentWarning: r.ContentWarning,
		Draft: r.Draft, DraftSavedAt: r.DraftSavedAt, DraftVersion: r.DraftVersion, ActiveMS: r.TabTimes.ActiveMS(r.elapsed()),
		IsCalibration: r.Kind == sequence.KindCalibration, IsRetake: r.Kind == sequence.KindCalibration && r.PresentationNo > 1, Reopened: r.Reopened, CompletedItems: r.CompletedItems, ExpectedItems: r.ExpectedItems, ItemsSinceBreak: r.ItemsSinceBreak, BreakEvery: r.BreakEvery, PaceMS: r.PaceMS,
	}
}
