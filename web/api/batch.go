package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/round"
	"github.com/labelwright/labelwright/internal/stats"
)

// A BatchState says what may happen in a batch.
type BatchState string

// The states of a batch.
const (
	BatchOpen     BatchState = "open"
	BatchClosed   BatchState = "closed"
	BatchArchived BatchState = "archived"
)

// A Batch is a batch and how far it is.
type Batch struct {
	Name             string                 `json:"name"`
	State            BatchState             `json:"state" enum:"open,closed,archived"`
	ProtocolVersion  int                    `json:"protocol_version"`
	ProtocolRevision int                    `json:"protocol_revision"`
	Overlap          int                    `json:"overlap"`
	Assignment       project.AssignmentMode `json:"assignment" enum:"planned,pool"`
	Seed             int64                  `json:"seed"`
	BreakEvery       int                    `json:"break_every"`
	BreakMinutes     int                    `json:"break_minutes"`
	CalibrationItems int                    `json:"calibration_items" doc:"Before the work."`
	Duplicates       int                    `json:"duplicates" doc:"Hidden duplicates of each annotator."`
	ReferenceAtEnd   bool                   `json:"reference_at_end" doc:"Annotators see the reference answers after the whole calibration set, not after each answer."`
	Gold             int                    `json:"gold" doc:"Items with reference answers hidden among the work of each annotator."`
	GoldMinimum      int                    `json:"gold_minimum" doc:"Percent of right answers to gold items below which an annotator is paused; 0: never."`
	Round            project.RoundItems     `json:"round,omitempty" enum:"labeled,disagreements" doc:"Of a round: which items are labeled again. Missing: the labels count."`
	Deadline         *time.Time             `json:"deadline"`
	OpenedAt         time.Time              `json:"opened_at"`
	ClosedAt         *time.Time             `json:"closed_at"`
	ArchivedAt       *time.Time             `json:"archived_at"`
	Items            int                    `json:"items"`
	Annotators       int                    `json:"annotators"`
	LabelsWanted     int                    `json:"labels_wanted"`
	LabelsGiven      int                    `json:"labels_given" doc:"Submitted. Of the account's own labels in an open batch: the completed items."`
	OpenItems        int                    `json:"open_items"`
	version          int
}

func (b Batch) objectVersion() int { return b.version }

func newBatch(b project.Batch) Batch {
	state := BatchOpen
	switch {
	case b.ArchivedAt != nil:
		state = BatchArchived
	case b.ClosedAt != nil:
		state = BatchClosed
	}
	return Batch{Name: b.Name, State: state, ProtocolVersion: b.ProtocolVersion,
		ProtocolRevision: b.ProtocolRevision, Overlap: b.Overlap, Assignment: b.Assignment,
		Seed: b.Seed, BreakEvery: b.BreakEvery, BreakMinutes: b.BreakMinutes,
		CalibrationItems: b.CalibrationCount, Duplicates: b.DuplicateCount,
		ReferenceAtEnd: b.ReferenceAtEnd, Gold: b.GoldCount, GoldMinimum: b.GoldMinimum, Round: b.RoundOf,
		Deadline: b.Deadline,
		OpenedAt: b.OpenedAt.UTC(), ClosedAt: b.ClosedAt, ArchivedAt: b.ArchivedAt, Items: b.Items,
		Annotators: b.Annotators, LabelsWanted: b.LabelsWanted, LabelsGiven: b.LabelsGiven, OpenItems: b.InProgress,
		version: b.Version}
}

// A BatchList lists batches.
type BatchList struct {
	Batches []Batch `json:"batches"`
}

// A BatchProgress is a batch with its annotators.
type BatchProgress struct {
	Batch
	DrawnByDisagreement bool                `json:"drawn_by_disagreement" doc:"Its items are those on which judges differed most, so its labels are kept out of comparisons with judges."`
	LostDuplicates      LostDuplicates      `json:"lost_duplicates"`
	Progress            []AnnotatorProgress `json:"progress"`
}

// LostDuplicates are the hidden duplicates of a batch that no annotator labels again, by reason.
type LostDuplicates struct {
	Planned    int `json:"planned" doc:"All hidden duplicates of the batch."`
	Skipped    int `json:"skipped"`
	Reassigned int `json:"reassigned" doc:"Released after a long absence."`
	Dropped    int `json:"dropped" doc:"Without a labeled item far enough back."`
	NotReached int `json:"not_reached" doc:"The work ended before."`
}

// A ChangedBatch is a batch after a change, and what the change did.
type ChangedBatch struct {
	Batch
	Effect project.BatchEffect `json:"effect"`
}

// An AnnotatorProgress is how far an annotator is, as on the board.
type AnnotatorProgress struct {
	Pseudonym     string             `json:"pseudonym"`
	Name          string             `json:"name"`
	State         project.BoardState `json:"state" enum:"removed,paused,waiting,calibrating,on_break,working,done,not_started,idle"`
	Done          int                `json:"done"`
	Total         int                `json:"total" doc:"0: not known, in a pool."`
	Skipped       int                `json:"skipped"`
	Corrections   int                `json:"corrections"`
	MedianSeconds float64            `json:"median_seconds" doc:"Active time per item; 0: none yet."`
	PausedByGold  bool               `json:"paused_by_gold" doc:"Because of the answers to gold items."`
	Gold          GoldAccuracy       `json:"gold"`
}

// A GoldAccuracy is the share of right answers to gold items so far.
type GoldAccuracy struct {
	Items   int      `json:"items" doc:"Labeled gold items."`
	Answers int      `json:"answers"`
	Right   int      `json:"right" doc:"Answers equal to the reference, or one point apart on scales with four points or more."`
	Low     *float64 `json:"low" doc:"Of the 95% confidence interval of the share; null without answers."`
	High    *float64 `json:"high"`
}

func newGoldAccuracy(p stats.Proportion) GoldAccuracy {
	g := GoldAccuracy{Items: p.Interval.Units, Answers: p.Total, Right: p.Hits}
	if p.Total > 0 {
		g.Low, g.High = &p.Interval.Low, &p.Interval.High
	}
	return g
}

// A BatchPath is the input of an operation on a batch.
type BatchPath struct {
	ProjectPath
	Batch string `path:"batch" maxLength:"100" doc:"Name of the batch." example:"first"`
}

// A BatchBody is the input of an operation on a batch with a body.
type BatchBody[B any] struct {
	BatchPath
	Body B
}

// A Closing is the body that closes a batch.
type Closing struct {
	Reason
	ReleaseOpen bool `json:"release_open,omitempty" doc:"Take back open items, which annotators can otherwise still submit."`
}

// The operations on batchs.
var (
	ListBatches = newRead(endpoint{id: "list-batches", path: "/projects/{project}/batches", tag: "Batches",
		scope: account.ScopeRead, summary: "List the batches, newest first"}, listBatches)

	ShowBatch = newRead(endpoint{id: "show-batch", path: "/projects/{project}/batches/{batch}", tag: "Batches",
		scope: account.ScopeRead, summary: "Show a batch and its annotators"},
		func(ctx context.Context, a *API, c caller, in *BatchPath) (BatchProgress, error) {
			return a.showBatch(ctx, c, in.Batch)
		})

	CompareRound = newRead(endpoint{id: "compare-round", path: "/projects/{project}/batches/{batch}/round",
		tag: "Batches", scope: account.ScopeRead, summary: "Compare a round with the first labels",
		text: "Per field, how far the answers to an item moved, and whether the first labels can be kept next to those of the round: kept (with certainty within a tenth of the scale), moved, or open."},
		func(ctx context.Context, a *API, c caller, in *BatchPath) (round.Comparison, error) {
			b, err := a.DB.Batch(ctx, c.id(), c.project.ID, in.Batch)
			if err != nil {
				return round.Comparison{}, err
			}
			return a.DB.CompareRound(ctx, c.id(), c.project, b)
		})

	PreviewBatch = newWrite(endpoint{id: "preview-batch", method: http.MethodPost,
		path: "/projects/{project}/batches/preview",
		tag:  "Batches", scope: account.ScopeManage, summary: "Preview a batch",
		text: "Returns the workload and the precision to expect, and opens nothing. To open just this batch, send `plan_digest` and `seed` of the preview. A preview does not need `fewer_calibration`; opening does if `calibration` is less than the protocol asks for."},
		previewBatch)

	OpenBatch = newWrite(endpoint{id: "open-batch", method: http.MethodPost, path: "/projects/{project}/batches",
		tag:   "Batches",
		scope: account.ScopeManage, status: http.StatusCreated, summary: "Open a batch",
		text: "Assigns items that are in no batch to annotators. A batch of a million labels takes minutes: send an idempotency key."},
		openBatch)

	ChangeBatch = newWrite(endpoint{id: "change-batch", object: postgres.VersionedBatch, method: http.MethodPatch,
		path: "/projects/{project}/batches/{batch}", tag: "Batches", scope: account.ScopeManage,
		summary: "Change an open batch",
		text:    "All changes happen at once, or none. Annotators are named by email address or pseudonym."},
		func(ctx context.Context, a *API, c caller, in *BatchBody[BatchChange]) (ChangedBatch, error) {
			change, err := a.readChange(ctx, c, in.Body)
			if err != nil {
				return ChangedBatch{}, err
			}
			effect, err := a.DB.ChangeBatch(ctx, c.id(), c.project, in.Batch, change)
			return a.changedBatch(ctx, c, in.Batch, effect, err)
		})

	PreviewChange = newWrite(endpoint{id: "preview-change", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/preview", tag: "Batches", scope: account.ScopeManage,
		summary: "Preview a change of an open batch",
		text:    "Returns what change-batch would do with the same body, and changes nothing."},
		func(ctx context.Context, a *API, c caller, in *BatchBody[BatchChange]) (ChangePreview, error) {
			change, err := a.readChange(ctx, c, in.Body)
			if err != nil {
				return ChangePreview{}, err
			}
			p, err := a.DB.PreviewBatchChange(ctx, c.id(), c.project, in.Batch, change)
			return ChangePreview{p.Effect, p.LabelsBefore, p.LabelsAfter, p.Stuck, notNil(p.Annotators)}, err
		})

	CloseBatch = newWrite(endpoint{id: "close-batch", object: postgres.VersionedBatch, method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/close", tag: "Batches", scope: account.ScopeManage,
		summary: "Close a batch",
		text:    "Items without all labels become available for other batches."},
		func(ctx context.Context, a *API, c caller, in *BatchBody[Closing]) (Batch, error) {
			closing := project.BatchClosing{Reason: in.Body.Reason.Reason, ReleaseOpen: in.Body.ReleaseOpen}
			return a.reloadBatch(ctx, c, in.Batch, a.DB.CloseBatch(ctx, c.id(), c.project, in.Batch, closing))
		})

	ReopenBatch  = newBatchEnd("reopen", "Reopen a closed batch", (*postgres.DB).ReopenBatch)
	ArchiveBatch = newBatchEnd("archive", "Archive a closed batch", (*postgres.DB).ArchiveBatch)
)

// newBatchEnd returns an operation that changes the state of a batch for a reason.
func newBatchEnd(name, summary string, end func(*postgres.DB, context.Context, account.ID, project.Project, string,
	string) error) Operation[BatchBody[Reason], Batch] {
	return newWrite(endpoint{id: name + "-batch", object: postgres.VersionedBatch, method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/" + name, tag: "Batches", scope: account.ScopeManage,
		summary: summary},
		func(ctx context.Context, a *API, c caller, in *BatchBody[Reason]) (Batch, error) {
			return a.reloadBatch(ctx, c, in.Batch, end(a.DB, ctx, c.id(), c.project, in.Batch, in.Body.Reason))
		})
}

func listBatches(ctx context.Context, a *API, c caller, _ *ProjectPath) (BatchList, error) {
	batches, err := a.DB.Batches(ctx, c.id(), c.project.ID)
	return BatchList{mapped(batches, newBatch)}, err
}

func (a *API) showBatch(ctx context.Context, c caller, name string) (BatchProgress, error) {
	b, err := a.DB.Batch(ctx, c.id(), c.project.ID, name)
	if err != nil {
		return BatchProgress{}, err
	}
	isDrawn, err := a.DB.IsDrawnByDisagreement(ctx, b.ID)
	if err != nil {
		return BatchProgress{}, err
	}
	duplicates, err := a.DB.DuplicateSummary(ctx, c.id(), b.ID)
	if err != nil {
		return BatchProgress{}, err
	}
	lost := LostDuplicates{duplicates.Planned, duplicates.Skipped, duplicates.Reassigned, duplicates.Dropped,
		duplicates.NotReached}
	rows, err := a.DB.Board(ctx, c.id(), c.project.Protocol, b)
	return BatchProgress{newBatch(b), isDrawn, lost, mapped(rows, func(r project.BoardRow) AnnotatorProgress {
		return AnnotatorProgress{Pseudonym: r.Pseudonym, Name: r.Name, State: r.State, Done: r.Done, Total: r.Total,
			Skipped: r.Skipped, Corrections: r.Corrections, MedianSeconds: float64(r.MedianActiveMS) / 1000,
			PausedByGold: r.PausedByGold, Gold: newGoldAccuracy(r.Gold)}
	})}, err
}

// readChange returns what a body asks for.
func (a *API) readChange(ctx context.Context, c caller, body BatchChange) (project.BatchChange, error) {
	change, err := body.change()
	if err != nil || body.OverlapItems == nil {
		return change, err
	}
	f, err := a.itemFilter(ctx, c, *body.OverlapItems)
	change.LabelItems = &f
	return change, err
}

// A ChangePreview is what a change of a batch would do.
type ChangePreview struct {
	Effect       project.BatchEffect    `json:"effect"`
	LabelsBefore int                    `json:"labels_before" doc:"Wanted before the change."`
	LabelsAfter  int                    `json:"labels_after"`
	Stuck        int                    `json:"stuck" doc:"Labels that no annotator could give afterwards."`
	Annotators   []project.ChangedQueue `json:"annotators"`
}

// changedBatch returns a batch after a change with an effect.
func (a *API) changedBatch(ctx context.Context, c caller, name string, effect project.BatchEffect,
	err error) (ChangedBatch, error) {
	b, err := a.reloadBatch(ctx, c, name, err)
	return ChangedBatch{b, effect}, err
}

// reloadBatch returns a batch after a change.
func (a *API) reloadBatch(ctx context.Context, c caller, name string, err error) (Batch, error) {
	if err != nil {
		return Batch{}, err
	}
	b, err := a.showBatch(ctx, c, name)
	return b.Batch, err
}
