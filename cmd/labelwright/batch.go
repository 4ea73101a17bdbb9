package main

import (
	"fmt"
	"math"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/api"
)

type batchCommand struct {
	Open        batchOpen        `cmd:"" help:"Assign items that are in no batch yet to annotators."`
	Change      batchChange      `cmd:"" help:"Change an open batch: its annotators, items, labels per item or settings."`
	Close       batchClose       `cmd:"" help:"Close a batch. Items without all labels become available for other batches."`
	Reopen      batchReopen      `cmd:"" help:"Reopen a closed batch."`
	Archive     batchArchive     `cmd:"" help:"Archive a closed batch."`
	List        batchList        `cmd:"" help:"Show the progress of batches and annotators."`
	UseRevision batchUseRevision `cmd:"" help:"Show what a new revision of the protocol changes in an open batch, and accept it."`
}

type batchOpen struct {
	Project       string          `required:"" help:"Key of the project."`
	Name          string          `required:"" help:"Name of the batch."`
	Annotators    []string        `required:"" placeholder:"EMAIL" help:"Email addresses of the annotators, separated by commas."`
	Overlap       int             `default:"2" help:"Number of annotators who label each item."`
	OverlapSample string          `placeholder:"20%:3" help:"Another number of labels for a sample of the items: 20%:3 gives a fifth of them three."`
	Assign        string          `enum:"planned,pool" default:"planned" help:"planned: each annotator has a fixed queue, with balanced loads and pairs; pool: first come, first served."`
	Share         []string        `placeholder:"EMAIL=WEIGHT" help:"Share of an annotator in a planned batch, such as ann@example.org=0.5. Default: 1 for each."`
	Sample        string          `placeholder:"N|P%" help:"Number or percentage of the items, drawn at random. Default: all items that are in no batch yet."`
	Draw          string          `placeholder:"DRAW" help:"Open the items that judge --next has drawn. Without --sample, --items-… and --stratify."`
	Stratify      string          `placeholder:"meta.COLUMN" help:"Metadata column whose proportions the sample keeps."`
	Items         itemFilterFlags `embed:"" prefix:"items-"`
	By            string          `enum:"item,record" default:"item" help:"record: draw whole records, and give them to the same annotators; --sample then counts records."`
	Seed          int64           `help:"Seed of every random choice. Default: random, and recorded."`
	Calibration   int             `default:"-1" help:"Number of calibration items before the work. Default: the protocol's number, or as many as there are."`
	FewerReason   string          `name:"fewer-calibration" placeholder:"REASON" help:"Why fewer calibration items than the protocol asks for are enough. Recorded in the audit log."`
	Duplicates    int             `default:"-1" help:"Number of hidden duplicates for each annotator. Default: the protocol's number, at most one in five items."`
	BreakEvery    int             `default:"-1" help:"Number of items between breaks; 0 for no breaks. Default: the protocol's."`
	BreakMinutes  int             `default:"-1" help:"Length of a break in minutes. Default: the protocol's."`
	Plan          bool            `help:"Print the expected workload and precision, and open nothing."`
	resultFlags
}

// Run opens a batch, or previews it.
func (b batchOpen) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), b.Project)
		if err != nil {
			return err
		}
		spec, err := b.batchSpec(p)
		if err != nil {
			return usageError{err}
		}
		if f := b.Items.filter(); !f.IsEmpty() {
			if spec.ItemIDs, err = db.SelectItems(ctx, actor(ctx).ID, p, f); err != nil {
				return err
			}
		}
		if b.Plan {
			spec, preview, err := db.PreviewBatch(ctx, actor(ctx).ID, p, spec)
			if err != nil {
				return err
			}
			if b.Format == "json" {
				return printJSON(s.out, api.NewBatchPreview(spec, preview))
			}
			printPreview(s, p.Protocol, spec, preview)
			return nil
		}
		opened, err := db.OpenBatchWithProgress(ctx, actor(ctx).ID, p, spec, s.bar.track("Opening the batch", "rows"))
		if err != nil {
			return err
		}
		return b.print(s, map[string]any{"project": p.Key, "batch": opened.Name, "items": opened.Items,
			"annotators": opened.Annotators, "overlap": opened.Overlap,
			"seed": opened.Seed, "calibration_items": opened.CalibrationCount, "duplicates": opened.DuplicateCount},
			"Opened batch %s: %s, %s, overlap %d, seed %d. Each annotator gets %s and %s.\n", opened.Name,
			pluralize(opened.Items, "item"), pluralize(opened.Annotators, "annotator"), opened.Overlap, opened.Seed,
			pluralize(opened.CalibrationCount, "calibration item"), pluralize(opened.DuplicateCount,
				"hidden duplicate"))
	})
}

func (b batchOpen) batchSpec(p project.Project) (spec project.BatchSpec, err error) {
	spec = project.BatchSpec{Name: b.Name, Annotators: b.Annotators, Assignment: project.AssignmentMode(b.Assign),
		Overlap:    b.Overlap,
		StratifyBy: b.Stratify, ByRecord: b.By == "record", Seed: b.Seed,
		BreakEvery: b.BreakEvery, BreakMinutes: b.BreakMinutes, CalibrationCount: b.Calibration,
		FewerCalibration: b.FewerReason, DuplicateCount: b.Duplicates}
	if spec.BreakEvery < 0 {
		spec.BreakEvery = p.Protocol.Plan.BreakEveryItems
	}
	if spec.BreakMinutes < 0 {
		spec.BreakMinutes = p.Protocol.Plan.BreakMinutes
	}
	if spec.Sample, err = project.ParseSample(b.Sample); err != nil {
		return spec, err
	}
	if spec.Draw, err = project.ParseJudgeDraw(b.Draw); err != nil {
		return spec, err
	}
	if spec.OverlapSample, err = project.ParseOverlapSample(b.OverlapSample); err != nil {
		return spec, err
	}
	spec.Shares, err = project.ParseShares(b.Share)
	return spec, err
}

func printPreview(s streams, rules protocol.Protocol, spec project.BatchSpec, p project.BatchPreview) {
	fmt.Fprintf(s.out, "%s, %s, %s labels per item: %s.\n", pluralize(p.Items, "item"), pluralize(p.Annotators,
		"annotator"), formatSpan(p.LabelsPerItem), pluralize(p.Labels, "label"))
	if p.Records > 0 && p.Records < p.Items {
		fmt.Fprintf(s.out, "The items belong to %s, of which %d have all their items in the batch.\n",
			pluralize(p.Records, "record"), p.CompleteRecords)
	}
	fmt.Fprintf(s.out, "Each annotator labels %s items in %s minutes, and has %d minutes of breaks.\n",
		formatSpan(p.ItemsPerAnnotator), formatSpan(p.Minutes), p.BreakMinutes)
	fmt.Fprintf(s.out, "The minutes include %s and %s.\n", pluralize(p.CalibrationCount, "calibration item"),
		pluralize(p.DuplicateCount, "hidden duplicate"))
	if p.SharedItems.Max > 0 {
		fmt.Fprintf(s.out, "Two annotators share %s items.\n", formatSpan(p.SharedItems))
	}
	if p.Unassigned > 0 {
		fmt.Fprintf(s.out, "%s can be given by no annotator, because all of them had the item.\n",
			pluralize(p.Unassigned, "label"))
	}
	printPrecision(s, p.Precision)
	if err := spec.CheckCalibration(rules.Plan); err != nil {
		fmt.Fprintf(s.out, "Nothing was opened, and this batch cannot be opened yet. %s\n", err)
		return
	}
	fmt.Fprintf(s.out, "Nothing was opened. To open this batch, run the command with --seed %d and without --plan.\n",
		spec.Seed)
}

func printPrecision(s streams, p project.Precision) {
	if p.WidthAtTarget > 0 {
		fmt.Fprintf(s.out, "If κ is %.2g, its 95%% confidence interval will be about %.2f wide; if it is %.2g, %.2f, according to simulated batches.\n",
			p.Target, p.WidthAtTarget, p.Target/2, p.WidthAtHalf)
	}
	if p.ItemsForTenth > 0 {
		fmt.Fprintf(s.out, "An interval of ± 0.1 needs about %s.\n", pluralize(p.ItemsForTenth, "item"))
	}
	if p.LabelsForTenth > 0 {
		fmt.Fprintf(s.out, "With the same items, it needs %d labels for each.\n", p.LabelsForTenth)
	}
	if p.Difference > 0 {
		fmt.Fprintf(s.out, "Between two groups of equal size, a difference of %.2f points is shown with 80%% power.\n",
			p.Difference)
	}
	if p.Hours > 0 {
		fmt.Fprintf(s.out, "All labels take about %.0f hours.\n", math.Ceil(p.Hours))
	}
}

func formatSpan(s project.IntRange) string {
	if s.Min == s.Max {
		return formatCount(s.Min)
	}
	return formatCount(s.Min) + "–" + formatCount(s.Max)
}

type batchList struct {
	Project string `required:"" help:"Key of the project."`
	Format  string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

type (
	// A batchEntry is a batch in the JSON output.
	batchEntry struct {
		Name        string                 `json:"name"`
		State       string                 `json:"state"`
		Assignment  project.AssignmentMode `json:"assignment"`
		Items       int                    `json:"items"`
		Overlap     int                    `json:"overlap"`
		Labels      int                    `json:"labels"`
		LabelsTotal int                    `json:"labels_total"`
		InProgress  int                    `json:"in_progress"`
		Seed        int64                  `json:"seed"`
		OpenedAt    time.Time              `json:"opened_at"`
		ClosedAt    *time.Time             `json:"closed_at"`
		Annotators  []batchAnnotatorEntry  `json:"annotators"`
	}
	batchAnnotatorEntry struct {
		Annotator      string             `json:"annotator"` // pseudonym
		Name           string             `json:"name"`
		State          project.BoardState `json:"state"`
		Done           int                `json:"done"`
		Total          int                `json:"total"` // 0: not known, in a pool
		Skipped        int                `json:"skipped"`
		Corrections    int                `json:"corrections"`
		SecondsPerItem float64            `json:"seconds_per_item"` // median; 0: none yet
	}
)

// newBatchEntry reads the annotators of a batch.
func newBatchEntry(ctx runContext, db *postgres.DB, b project.Batch) (batchEntry, error) {
	e := batchEntry{b.Name, "open", b.Assignment, b.Items, b.Overlap, b.Submitted, b.Slots, b.InProgress, b.Seed,
		b.OpenedAt.UTC(), inUTC(b.ClosedAt), []batchAnnotatorEntry{}}
	if b.ArchivedAt != nil {
		e.State = "archived"
	} else if b.ClosedAt != nil {
		e.State = "closed"
	}
	rows, err := db.Board(ctx, actor(ctx).ID, b.ID)
	for _, a := range rows {
		e.Annotators = append(e.Annotators, batchAnnotatorEntry{a.Pseudonym, a.Name, a.State, a.Done, a.Total,
			a.Skipped, a.Corrections, float64(a.MedianActiveMS) / 1000})
	}
	return e, err
}

func printBatchesJSON(ctx runContext, s streams, db *postgres.DB, batches []project.Batch) (err error) {
	entries := make([]batchEntry, len(batches))
	for i, b := range batches {
		if entries[i], err = newBatchEntry(ctx, db, b); err != nil {
			return err
		}
	}
	return printJSON(s.out, map[string]any{"batches": entries})
}

// Run prints the batches of a project.
func (b batchList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), b.Project)
		if err != nil {
			return err
		}
		batches, err := db.Batches(ctx, p.ID)
		if err != nil {
			return err
		}
		for i := range batches {
			if err := db.HideOwnLabels(ctx, actor(ctx).ID, &batches[i]); err != nil {
				return err
			}
		}
		if b.Format == "json" {
			return printBatchesJSON(ctx, s, db, batches)
		}
		if len(batches) == 0 {
			fmt.Fprintln(s.out, "There are no batches yet. Open one with `labelwright batch open`.")
		}
		for _, batch := range batches {
			if err := printBatch(ctx, s, db, batch); err != nil {
				return err
			}
		}
		return nil
	})
}

func printBatch(ctx runContext, s streams, db *postgres.DB, b project.Batch) error {
	annotators, err := db.Board(ctx, actor(ctx).ID, b.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %s of %s, overlap %d, seed %d\n", b.Name, formatCount(b.Submitted),
		pluralize(b.Slots, "label"), b.Overlap, b.Seed)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  ANNOTATOR\tDONE\tSKIPPED\tSECONDS PER ITEM")
	for _, a := range annotators {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d\n", a.Name, a.Done, a.Skipped, a.MedianActiveMS/1000)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	duplicates, err := db.DuplicateSummary(ctx, actor(ctx).ID, b.ID)
	if err == nil && duplicates.Lost() > 0 {
		fmt.Fprintf(s.out, "  %s of %s lost: %d skipped, %d released after a long absence, %d without a labeled item far enough back, %d because the work ended before.\n",
			formatCount(duplicates.Lost()), pluralize(duplicates.Planned, "hidden duplicate"), duplicates.Skipped,
			duplicates.Reassigned, duplicates.Dropped, duplicates.NotReached)
	}
	return err
}

type batchUseRevision struct {
	Project string `required:"" help:"Key of the project."`
	Name    string `required:"" help:"Name of the batch."`
	Accept  int    `placeholder:"REVISION" help:"Revision to use. Without it, the command prints the changes only."`
	resultFlags
}

// Run prints what the latest revision changes, or has the batch use it.
func (b batchUseRevision) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), b.Project)
		if err != nil {
			return err
		}
		if b.Accept != 0 {
			if err := db.UseRevision(ctx, actor(ctx), p, b.Name, b.Accept); err != nil {
				return err
			}
			return b.print(s, map[string]any{"project": p.Key, "batch": b.Name, "revision": b.Accept},
				"The batch %s uses revision %d of the protocol.\n", b.Name, b.Accept)
		}
		batch, err := db.Batch(ctx, p.ID, b.Name)
		if err != nil {
			return err
		}
		return b.printRevision(ctx, s, db, p, batch)
	})
}

// A textChangeEntry is a text that a revision changes in the JSON output.
type textChangeEntry struct {
	Place  string `json:"place"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// printRevision prints what the latest revision would change in a batch.
func (f resultFlags) printRevision(ctx runContext, s streams, db *postgres.DB, p project.Project,
	b project.Batch) error {
	changes, err := db.RevisionChanges(ctx, p, b)
	if err != nil {
		return err
	}
	if f.Format == "json" {
		entries := make([]textChangeEntry, len(changes))
		for i, c := range changes {
			entries[i] = textChangeEntry{c.Place, c.Before, c.After}
		}
		return printJSON(s.out, map[string]any{"project": p.Key, "batch": b.Name, "revision": b.ProtocolRevision,
			"latest_revision": b.LatestRevision, "changes": entries})
	}
	if !b.HasNewRevision() {
		fmt.Fprintf(s.out, "The batch %s uses revision %d of the protocol. There is no later one for it.\n", b.Name,
			b.ProtocolRevision)
		return nil
	}
	fmt.Fprintf(s.out, "The batch %s uses revision %d of the protocol. Revision %d changes these texts:\n", b.Name,
		b.ProtocolRevision, b.LatestRevision)
	for _, change := range changes {
		fmt.Fprintf(s.out, "\n%s\n- %s\n+ %s\n", change.Place, change.Before, change.After)
	}
	fmt.Fprintf(s.out, "\nNothing changed yet. To use the revision, run the command with --accept %d.\n",
		b.LatestRevision)
	return nil
}
