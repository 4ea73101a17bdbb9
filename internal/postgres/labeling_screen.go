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

// A LabelingScreen is the content of the labeling page, read in one query.
type LabelingScreen struct {
	labeling.Assignment
	OnBreak      bool
	Content      project.Content
	WordCount    int
	ProjectTitle string
	ProjectKey   string
	SupportURL   string
	ScreenState
	Instructions  string // of the project
	Citations     project.CitationPattern
	Session       project.SessionFacts
	Draft         labeling.Draft
	DraftSavedAt  *time.Time
	DraftVersion  int64
	ActiveMS      int64 // so far
	IsCalibration bool  // part of the calibration set
	IsRetake      bool  // part of a second or later calibration attempt
	Reopened      bool  // a lead reopened it for another attempt
	IsUndone      bool  // its annotator took back its submit
	CanUndo       bool  // the last submit can be taken back
	AllowsUndo    bool  // the project has undo
	labeling.Progress
	Questions []OwnQuestion // about this presentation of the item, oldest first
}

// selectLabelingScreen reads the labeling page of the assignment of token $1. Each table is
// joined once: most of the time of such a statement is the start of its plan.
const selectLabelingScreen = `
	SELECT ` + assignmentColumns +
	`, i.content, i.word_count, p.title, p.key AS project_key, p.support_url, p.instructions, p.text_formats, p.citation_pattern,
	       b.calibration_count, b.duplicate_count, b.gold_count, b.gold_minimum,
	       b.break_every, p.break_after_minutes, ` + screenStateColumns + `,
	       coalesce(d.answers, '{}') AS draft, d.saved_at AS draft_saved_at, coalesce(d.version, 0) AS draft_version,
	       progress.completed_items, progress.expected_items, progress.items_to_break,
	       a.reopened AND ba.last_submit_undone AND ba.last_submit_id = a.id AS is_undone, p.allows_undo, ` + canUndo +
	` AS can_undo,
	       a.state = 'released' AND is_reclaimable(a.id) AS is_reclaimable, asked.questions, asked.answered_questions
	` + fromAssignment + `
	CROSS JOIN LATERAL (
		SELECT coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'message', q.message, 'createdAt', q.created_at, 'answer', coalesce(q.answer, '')) ORDER BY q.id), '[]') AS questions,
		       count(q.answer) AS answered_questions
		FROM questions q
		WHERE q.assignment_id = a.id) asked
	JOIN annotator_progress progress ON progress.batch_id = a.batch_id AND progress.account_id = a.account_id
	WHERE a.token = $1`

// LabelingScreen returns the labeling page of an open assignment of that account. It does
// not read the item's metadata.
func (db *DB) LabelingScreen(ctx context.Context, accountID account.ID, token string) (LabelingScreen, error) {
	row, err := collectOne[labelingScreenRow](db.pool.Query(ctx, selectLabelingScreen, token))
	if err != nil {
		return LabelingScreen{}, err
	}
	s := row.toLabelingScreen()
	if row.State == labeling.Released && row.AccountID == accountID && !row.Removed {
		if !row.IsReclaimable {
			return LabelingScreen{}, labeling.ErrReassigned
		}
		s.State = labeling.Open
	}
	if err := s.CheckOpen(accountID); err != nil {
		return LabelingScreen{}, err
	}
	s.Protocol, err = db.protocolRevision(ctx, db.pool, row.VersionID, row.Revision)
	s.Protocol = s.Protocol.WithFormats(row.TextFormats)
	return s, err
}

type labelingScreenRow struct {
	assignmentRow
	Content         project.Content
	WordCount       int
	Title           string
	ProjectKey      string
	SupportURL      string
	Instructions    string
	TextFormats     map[string]protocol.TextFormat
	CitationPattern project.CitationPattern
	ScreenState
	Draft        labeling.Draft
	DraftSavedAt *time.Time
	DraftVersion int64
	labeling.Progress
	Questions         []OwnQuestion
	CalibrationCount  int
	DuplicateCount    int
	GoldCount         int
	GoldMinimum       int
	BreakEvery        int
	BreakAfterMinutes int
	IsUndone          bool
	CanUndo           bool
	AllowsUndo        bool
	IsReclaimable     bool // a released item that can be opened again
}

func (r labelingScreenRow) toLabelingScreen() LabelingScreen {
	isCalibration := r.Kind == sequence.KindCalibration
	if r.MustRead {
		r.Content = nil
	}
	return LabelingScreen{
		Assignment: r.toAssignment(), OnBreak: r.OnBreak, Content: r.Content, WordCount: r.WordCount,
		ProjectTitle: r.Title, ProjectKey: r.ProjectKey, SupportURL: r.SupportURL, Instructions: r.Instructions,
		Citations: r.CitationPattern, ScreenState: r.ScreenState,
		Draft: r.Draft, DraftSavedAt: r.DraftSavedAt, DraftVersion: r.DraftVersion,
		ActiveMS:      r.TabTimes.ActiveMS(r.elapsed()),
		IsCalibration: isCalibration, IsRetake: isCalibration && r.PresentationNo > 1, Reopened: r.Reopened &&
			!r.IsUndone,
		IsUndone: r.IsUndone, CanUndo: r.CanUndo, AllowsUndo: r.AllowsUndo,
		Session: project.SessionFacts{CalibrationItems: r.CalibrationCount, HiddenDuplicates: r.DuplicateCount,
			GoldItems: r.GoldCount, GoldMinimum: r.GoldMinimum,
			BreakEvery: r.BreakEvery, BreakMinutes: r.BreakMinutes, BreakAfterMinutes: r.BreakAfterMinutes},
		Progress: r.Progress, Questions: r.Questions,
	}
}
