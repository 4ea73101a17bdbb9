package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A NewBatch is the body that opens a batch. Its fields are the flags of `labelwright batch
// open`.
type NewBatch struct {
	Name          string                 `json:"name" minLength:"1" maxLength:"100"`
	Annotators    []string               `json:"annotators" minItems:"1" maxItems:"500" doc:"Email addresses."`
	Overlap       int                    `json:"overlap" minimum:"1" maximum:"100" doc:"Number of annotators who label each item."`
	OverlapSample string                 `json:"overlap_sample,omitempty" maxLength:"20" doc:"Another number of labels for a sample of the items: 20%:3 gives a fifth of them three."`
	Assignment    project.AssignmentMode `json:"assignment,omitempty" enum:"planned,pool" default:"planned"`
	Shares        map[string]float64     `json:"shares,omitempty" doc:"Shares of the work by email address. Default: 1 for each."`
	Sample        string                 `json:"sample,omitempty" maxLength:"20" doc:"Number or percentage of the items, drawn at random: 120 or 25%. Default: all that are in no batch."`
	StratifyBy    string                 `json:"stratify_by,omitempty" maxLength:"200" doc:"Metadata column whose proportions the sample keeps."`
	ByRecord      bool                   `json:"by_record,omitempty" doc:"Draw and assign whole records."`
	Items         []project.ItemID       `json:"items,omitempty" maxItems:"100000" doc:"Numbers of the items to draw from. Default: all that are in no batch."`
	Round         project.RoundItems     `json:"round,omitempty" enum:"labeled,disagreements" doc:"Open a round: draw items that have their labels, or those among them whose labels differ, and label them again. Its labels are compared with the first ones and count nowhere else."`
	Draw          string                 `json:"draw,omitempty" maxLength:"2000" doc:"The draw of get-next-labels: the batch gets its items. Without sample, items and stratify_by."`
	Matching      *ItemConditions        `json:"matching,omitempty" doc:"Draw from all items that match, instead of numbers."`
	Seed          int64                  `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991" doc:"Seed of every random choice. Default: random, and recorded."`
	Calibration   *int                   `json:"calibration,omitempty" minimum:"0" maximum:"1000" doc:"Calibration items before the work. Default: the protocol's number."`
	FewerReason   string                 `json:"fewer_calibration,omitempty" maxLength:"1000" doc:"Why fewer calibration items than the protocol asks for are enough. Recorded in the audit log."`
	Duplicates    *int                   `json:"duplicates,omitempty" minimum:"0" maximum:"1000" doc:"Hidden duplicates for each annotator. Default: the protocol's number."`
	Gold          int                    `json:"gold,omitempty" minimum:"0" maximum:"1000" doc:"Items with reference answers that each annotator gets without a mark among the work."`
	GoldMinimum   int                    `json:"gold_minimum,omitempty" minimum:"0" maximum:"100" doc:"Percent of right answers to gold items below which an annotator is paused; 0: never. The annotator and the leads see why."`
	BreakEvery    *int                   `json:"break_every,omitempty" minimum:"0" maximum:"1000" doc:"Items between breaks; 0 for none. Default: the protocol's."`
	BreakMinutes  *int                   `json:"break_minutes,omitempty" minimum:"0" maximum:"120" doc:"Default: the protocol's."`
	AtEnd         bool                   `json:"reference_at_end,omitempty" doc:"Show the reference answers after the whole calibration set. Default: right after each answer."`
	PlanDigest    string                 `json:"plan_digest,omitempty" maxLength:"200" doc:"That of a preview: open only if the plan is still the same."`
}

// batchSpec returns what a body asks for.
func (a *API) batchSpec(ctx context.Context, c caller, n NewBatch) (s project.BatchSpec, err error) {
	if s, err = n.spec(c.project); err != nil || n.Matching == nil {
		return s, err
	}
	f, err := a.itemFilter(ctx, c, ItemSelection{Items: n.Items, Matching: n.Matching})
	if err == nil {
		s.ItemIDs, err = a.DB.SelectItems(ctx, c.id(), c.project, f)
	}
	return s, err
}

func (n NewBatch) spec(p project.Project) (s project.BatchSpec, err error) {
	s = project.BatchSpec{Name: n.Name, Annotators: n.Annotators, Assignment: n.Assignment, Overlap: n.Overlap,
		StratifyBy: n.StratifyBy, ByRecord: n.ByRecord, Round: n.Round,
		ItemIDs: n.Items, Seed: n.Seed, PlanDigest: n.PlanDigest, FewerCalibration: n.FewerReason,
		ReferenceAtEnd:   n.AtEnd,
		CalibrationCount: orDefault(n.Calibration, project.UseDefault), DuplicateCount: orDefault(n.Duplicates,
			project.UseDefault), GoldCount: n.Gold, GoldMinimum: n.GoldMinimum,
		BreakEvery: orDefault(n.BreakEvery, p.Protocol.Plan.BreakEveryItems), BreakMinutes: orDefault(n.BreakMinutes,
			p.Protocol.Plan.BreakMinutes)}
	for address, share := range n.Shares {
		if s.Shares == nil {
			s.Shares = map[string]float64{}
		}
		s.Shares[strings.ToLower(address)] = share
	}
	if s.Sample, err = project.ParseSample(n.Sample); err != nil {
		return s, err
	}
	if s.Draw, err = project.ParseJudgeDraw(n.Draw); err != nil {
		return s, err
	}
	s.OverlapSample, err = project.ParseOverlapSample(n.OverlapSample)
	return s, err
}

func orDefault(value *int, other int) int {
	if value != nil {
		return *value
	}
	return other
}

// A BatchPreview is what to expect of a batch.
type BatchPreview struct {
	Seed              int64             `json:"seed"`
	PlanDigest        string            `json:"plan_digest" doc:"Identifies the plan."`
	Items             int               `json:"items"`
	Records           int               `json:"records" doc:"0: not known."`
	CompleteRecords   int               `json:"complete_records"`
	Annotators        int               `json:"annotators"`
	LabelsPerItem     Range             `json:"labels_per_item"`
	LabelsWanted      int               `json:"labels_wanted"`
	ItemsPerAnnotator Range             `json:"items_per_annotator"`
	Minutes           Range             `json:"minutes" doc:"Of each annotator, at the protocol's pace; 0: it has none."`
	BreakMinutes      int               `json:"break_minutes"`
	CalibrationCount  int               `json:"calibration"`
	DuplicateCount    int               `json:"duplicates"`
	GoldCount         int               `json:"gold"`
	SharedItems       Range             `json:"shared_items" doc:"Items that both annotators of a pair label."`
	Unassigned        int               `json:"unassigned" doc:"Labels that no annotator can give."`
	UnavailableItems  int               `json:"unavailable_items" doc:"Chosen, but in a batch already or not to be drawn."`
	Precision         project.Precision `json:"precision"`
	Problem           string            `json:"problem" doc:"Why a batch like this cannot be opened yet; empty: it can."`
}

func newBatchPreview(rules protocol.Protocol, spec project.BatchSpec, p project.BatchPreview) BatchPreview {
	problem := ""
	if err := spec.CheckCalibration(rules.Plan); err != nil {
		problem = err.Error()
	}
	return BatchPreview{Seed: spec.Seed, PlanDigest: spec.PlanDigest, Items: p.Items, Records: p.Records,
		CompleteRecords: p.CompleteRecords, Annotators: p.Annotators, LabelsPerItem: Range(p.LabelsPerItem),
		LabelsWanted: p.Labels, ItemsPerAnnotator: Range(p.ItemsPerAnnotator), Minutes: Range(p.Minutes),
		BreakMinutes: p.BreakMinutes, CalibrationCount: p.CalibrationCount, DuplicateCount: p.DuplicateCount,
		GoldCount:   p.GoldCount,
		SharedItems: Range(p.SharedItems), Unassigned: p.Unassigned, UnavailableItems: p.UnavailableItems,
		Precision: p.Precision, Problem: problem}
}

// A Range is a range of whole numbers, both ends included.
type Range struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

func previewBatch(ctx context.Context, a *API, c caller, in *ProjectBody[NewBatch]) (BatchPreview, error) {
	spec, err := a.batchSpec(ctx, c, in.Body)
	if err != nil {
		return BatchPreview{}, err
	}
	spec, p, err := a.DB.PreviewBatch(ctx, c.id(), c.project, spec)
	return newBatchPreview(c.project.Protocol, spec, p), err
}

func openBatch(ctx context.Context, a *API, c caller, in *ProjectBody[NewBatch]) (Batch, error) {
	spec, err := a.batchSpec(ctx, c, in.Body)
	if err != nil {
		return Batch{}, err
	}
	// a test recorder has no deadlines
	_ = http.NewResponseController(exchangeFrom(ctx).w).SetWriteDeadline(time.Now().Add(maxSendTime))
	b, err := a.DB.OpenBatchWithProgress(ctx, c.id(), c.project, spec, progressFrom(ctx))
	if errors.Is(err, postgres.ErrPlanChanged) {
		return Batch{}, fault.Conflict.Errorf(
			"The plan changed since the preview: items, annotators or settings are different. Preview the batch again.")
	}
	return a.reloadBatch(ctx, c, b.Name, err)
}

// A BatchChange is the body that changes a batch. Its fields are the flags of `labelwright
// batch change`.
type BatchChange struct {
	Reason
	Add                 []string       `json:"add,omitempty" maxItems:"500" doc:"Annotators to add."`
	Pause               []string       `json:"pause,omitempty" maxItems:"500" doc:"Annotators who get no new items for now."`
	Resume              []string       `json:"resume,omitempty" maxItems:"500" doc:"Paused annotators who continue."`
	AllowSeen           []string       `json:"allow_seen,omitempty" maxItems:"500" doc:"Annotators who may label items although they have seen answers to them. Their labels are not blind. Only an admin allows it."`
	Remove              []string       `json:"remove,omitempty" maxItems:"500" doc:"Annotators to remove. What they have left goes to the others."`
	Reassign            *Reassigning   `json:"reassign,omitempty"`
	AddItems            string         `json:"add_items,omitempty" maxLength:"20" doc:"Number or percentage of the available items to add: 120 or 25%."`
	Overlap             int            `json:"overlap,omitempty" minimum:"0" maximum:"100" doc:"New number of labels per item."`
	OverlapItems        *ItemSelection `json:"overlap_items,omitempty" doc:"Items that get that number of labels, or that give_to gets. Default: all of the batch."`
	GiveTo              string         `json:"give_to,omitempty" maxLength:"254" doc:"Annotator who gets the items of overlap_items, instead of a number of labels: of each a label that no annotator has, or one more."`
	Rule                string         `json:"rule,omitempty" maxLength:"200" doc:"More labels where the first ones differ: any>=1:3."`
	KeepRule            bool           `json:"keep_rule,omitempty" doc:"Apply the rule to future labels, too."`
	DropRule            bool           `json:"drop_rule,omitempty"`
	BreakEvery          *int           `json:"break_every,omitempty" minimum:"0" maximum:"1000"`
	BreakMinutes        *int           `json:"break_minutes,omitempty" minimum:"0" maximum:"120"`
	DailyItemLimit      *int           `json:"daily_item_limit,omitempty" minimum:"-1" maximum:"10000" doc:"0: none; -1: that of the project."`
	SessionLimitMinutes *int           `json:"session_limit_minutes,omitempty" minimum:"-1" maximum:"720" doc:"0: none; -1: that of the project."`
	Deadline            *string        `json:"deadline,omitempty" maxLength:"10" doc:"Day, such as 2026-11-30; empty for none."`
}

// A Reassigning moves items from one annotator to others.
type Reassigning struct {
	From  string                  `json:"from" minLength:"1" maxLength:"254"`
	To    string                  `json:"to,omitempty" maxLength:"254" doc:"Default: all others, evenly."`
	Items project.ReassignedItems `json:"items,omitempty" enum:"waiting,open,all" default:"waiting"`
	Count int                     `json:"count,omitempty" minimum:"0" maximum:"1000000" doc:"How many waiting items. Default: all."`
}

func (b BatchChange) change() (c project.BatchChange, err error) {
	c = project.BatchChange{Reason: b.Reason.Reason, Add: b.Add, Pause: b.Pause, Resume: b.Resume,
		AllowSeen: b.AllowSeen, Remove: b.Remove,
		Labels: b.Overlap, GiveTo: b.GiveTo, KeepRule: b.KeepRule, DropRule: b.DropRule,
		Settings: project.BatchSettings{BreakEvery: b.BreakEvery, BreakMinutes: b.BreakMinutes,
			DailyItemLimit: b.DailyItemLimit, SessionLimitMinutes: b.SessionLimitMinutes, Deadline: b.Deadline}}
	if r := b.Reassign; r != nil {
		c.Reassign = project.Reassignment{From: r.From, To: r.To, Items: r.Items, Count: r.Count}
	}
	if b.AddItems != "" {
		sample, err := project.ParseSample(b.AddItems)
		if err != nil {
			return c, err
		}
		c.AddItems = &sample
	}
	if b.Rule != "" {
		c.Rule, err = project.ParseOverlapRule(b.Rule)
	}
	return c, err
}
