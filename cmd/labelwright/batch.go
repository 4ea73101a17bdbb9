package main

import (
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/round"
	"github.com/labelwright/labelwright/web/api"
)

type batchCommand struct {
	Open        batchOpen        `cmd:"" help:"Assign items that are in no batch yet to annotators."`
	Change      batchChange      `cmd:"" help:"Change an open batch: its annotators, items, labels per item or settings."`
	Close       batchClose       `cmd:"" help:"Close a batch. Items without all labels become available for other batches."`
	Reopen      batchReopen      `cmd:"" help:"Reopen a closed batch."`
	Archive     batchArchive     `cmd:"" help:"Archive a closed batch."`
	List        batchList        `cmd:"" help:"List the batches of a project, newest first."`
	Show        batchShow        `cmd:"" help:"Show the progress of a batch and its annotators."`
	Compare     batchCompare     `cmd:"" help:"Compare the labels of a round with the first labels of its items."`
	UseRevision batchUseRevision `cmd:"" help:"Show what a new revision of the protocol changes in an open batch, and accept it."`
}

type batchOpen struct {
	Project       string          `required:"" help:"Key of the project."`
	Batch         string          `required:"" help:"Name of the batch."`
	Annotators    []string        `required:"" placeholder:"EMAIL" help:"Email addresses of the annotators, separated by commas."`
	Overlap       int             `default:"2" help:"Number of annotators who label each item."`
	OverlapSample string          `placeholder:"20%:3" help:"Another number of labels for a sample of the items: 20%:3 gives a fifth of them three."`
	Assign        string          `enum:"planned,pool" default:"planned" help:"planned: each annotator has a fixed queue, with balanced loads and pairs; pool: first come, first served."`
	Share         []string        `placeholder:"EMAIL=WEIGHT" help:"Share of an annotator in a planned batch, such as ann@example.org=0.5. Default: 1 for each."`
	Sample        string          `placeholder:"N|P%" help:"Number or percentage of the items, drawn at random. Default: all items that are in no batch yet."`
	Round         string          `enum:",labeled,disagreements" default:"" placeholder:"ITEMS" help:"Open a round: label items again that have their labels (labeled), or those whose labels differ (disagreements). Its labels are compared with the first ones and count nowhere else."`
	Draw          string          `placeholder:"DRAW" help:"Open the items that judge --next has drawn. Without --sample, --items-… and --stratify."`
	Stratify      string          `placeholder:"meta.COLUMN" help:"Metadata column whose proportions the sample keeps."`
	Items         itemFilterFlags `embed:"" prefix:"items-"`
	By            string          `enum:"item,record" default:"item" help:"record: draw whole records, and give them to the same annotators; --sample then counts records."`
	Seed          int64           `help:"Seed of every random choice. Default: random, and recorded."`
	Calibration   *int            `placeholder:"N" help:"Number of calibration items before the work. Default: the protocol's number, or as many as there are."`
	FewerReason   string          `name:"fewer-calibration" placeholder:"REASON" help:"Why fewer calibration items than the protocol asks for are enough. Recorded in the audit log."`
	AtEnd         bool            `name:"reference-at-end" help:"Show the reference answers after the whole calibration set, not right after each answer."`
	Duplicates    *int            `placeholder:"N" help:"Number of hidden duplicates for each annotator. Default: the protocol's number, at most one in five items."`
	Gold          int             `placeholder:"N" help:"Number of items with reference answers that each annotator gets without a mark among the work."`
	GoldMinimum   int             `placeholder:"PERCENT" help:"Pause an annotator whose share of right answers to gold items is below. Default: never."`
	BreakEvery    *int            `placeholder:"N" help:"Number of items between breaks; 0 for no breaks. Default: the protocol's."`
	BreakMinutes  *int            `placeholder:"N" help:"Length of a break in minutes. Default: the protocol's."`
	Plan          bool            `help:"Print the expected workload and precision, and open nothing."`
	resultFlags
}

// Run opens a batch, or previews it.
func (b batchOpen) Run(c *cli, s streams, ctx runContext) error {
	body, err := b.body()
	if err != nil {
		return usageError{err}
	}
	in := api.ProjectBody[api.NewBatch]{ProjectPath: projectPath(b.Project), Body: body}
	return c.withClient(ctx, func(client *api.Client) error {
		if b.Plan {
			preview, err := api.PreviewBatch.Call(ctx, client, in)
			if err != nil {
				return err
			}
			return printPreview(s, b.Format, preview)
		}
		opened, err := api.OpenBatch.Call(api.WithProgress(ctx, s.bar.track("Opening the batch", "rows")), client, in)
		if err != nil {
			return err
		}
		return b.show(s, opened, "Opened batch %s: %s, %s, overlap %d, seed %d. Each annotator gets %s and %s.\n",
			opened.Name, pluralize(opened.Items, "item"), pluralize(opened.Annotators, "annotator"), opened.Overlap,
			opened.Seed, pluralize(opened.CalibrationItems, "calibration item"),
			pluralize(opened.Duplicates, "hidden duplicate"))
	})
}

func (b batchOpen) body() (n api.NewBatch, err error) {
	n = api.NewBatch{Name: b.Batch, Annotators: b.Annotators, Overlap: b.Overlap, OverlapSample: b.OverlapSample,
		Assignment: project.AssignmentMode(b.Assign), Sample: b.Sample, StratifyBy: b.Stratify,
		ByRecord: b.By == "record", Round: project.RoundItems(b.Round), Draw: b.Draw,
		Matching: b.Items.conditions(), Seed: b.Seed,
		Calibration: b.Calibration, FewerReason: b.FewerReason, AtEnd: b.AtEnd, Duplicates: b.Duplicates,
		Gold: b.Gold, GoldMinimum: b.GoldMinimum, BreakEvery: b.BreakEvery,
		BreakMinutes: b.BreakMinutes}
	n.Shares, err = project.ParseShares(b.Share)
	return n, err
}

func printPreview(s streams, format string, p api.BatchPreview) error {
	if format == "json" {
		return printJSON(s.out, p)
	}
	fmt.Fprintf(s.out, "%s, %s, %s labels per item: %s.\n", pluralize(p.Items, "item"), pluralize(p.Annotators,
		"annotator"), formatSpan(p.LabelsPerItem), pluralize(p.LabelsWanted, "label"))
	if p.Records > 0 && p.Records < p.Items {
		fmt.Fprintf(s.out, "The items belong to %s, of which %d have all their items in the batch.\n",
			pluralize(p.Records, "record"), p.CompleteRecords)
	}
	fmt.Fprintf(s.out, "Each annotator labels %s items in %s minutes, and has %d minutes of breaks.\n",
		formatSpan(p.ItemsPerAnnotator), formatSpan(p.Minutes), p.BreakMinutes)
	fmt.Fprintf(s.out, "The minutes include %s, %s and %s.\n", pluralize(p.CalibrationCount, "calibration item"),
		pluralize(p.DuplicateCount, "hidden duplicate"), pluralize(p.GoldCount, "gold item"))
	if p.SharedItems.Max > 0 {
		fmt.Fprintf(s.out, "Two annotators share %s items.\n", formatSpan(p.SharedItems))
	}
	if p.Unassigned > 0 {
		fmt.Fprintf(s.out, "%s can be given by no annotator, because all of them had the item.\n",
			pluralize(p.Unassigned, "label"))
	}
	printPrecision(s, p.Precision)
	if p.Problem != "" {
		fmt.Fprintf(s.out, "Nothing was opened, and this batch cannot be opened yet. %s\n", p.Problem)
		return nil
	}
	fmt.Fprintf(s.out, "Nothing was opened. To open this batch, run the command with --seed %d and without --plan.\n",
		p.Seed)
	return nil
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

func formatSpan(s api.Range) string {
	if s.Min == s.Max {
		return formatCount(s.Min)
	}
	return formatCount(s.Min) + "–" + formatCount(s.Max)
}

type batchList struct {
	Project string `required:"" help:"Key of the project."`
	resultFlags
}

// Run lists the batches of a project.
func (b batchList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, b.resultFlags, api.ListBatches, projectPath(b.Project),
		func(list api.BatchList) error {
			if len(list.Batches) == 0 {
				fmt.Fprintln(s.out, "There are no batches yet. Open one with `labelwright batch open`.")
				return nil
			}
			table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "BATCH\tVERSION\tSTATE\tITEMS\tANNOTATORS\tLABELS\tOVERLAP\tSEED")
			for _, batch := range list.Batches {
				fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%d\t%s of %s\t%d\t%d\n", batch.Name, batch.ProtocolVersion,
					batch.State, batch.Items, batch.Annotators, formatCount(batch.LabelsGiven),
					formatCount(batch.LabelsWanted), batch.Overlap, batch.Seed)
			}
			return table.Flush()
		})
}

type batchShow struct {
	batchSelection
	resultFlags
}

// Run prints how far a batch is.
func (b batchShow) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, b.resultFlags, api.ShowBatch, b.path(), func(batch api.BatchProgress) error {
		fmt.Fprintf(s.out, "%s, %s: %s of %s, overlap %d, seed %d\n", batch.Name, batch.State,
			formatCount(batch.LabelsGiven), pluralize(batch.LabelsWanted, "label"), batch.Overlap, batch.Seed)
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "  ANNOTATOR\tDONE\tSKIPPED\tSECONDS PER ITEM\tGOLD RIGHT")
		for _, a := range batch.Progress {
			fmt.Fprintf(table, "  %s\t%d\t%d\t%.0f\t%s\n", a.Name, a.Done, a.Skipped, a.MedianSeconds,
				goldText(a.Gold))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		d := batch.LostDuplicates
		if lost := d.Skipped + d.Reassigned + d.Dropped + d.NotReached; lost > 0 {
			fmt.Fprintf(s.out, "  %s of %s lost: %d skipped, %d released after a long absence, %d without a labeled item far enough back, %d because the work ended before.\n",
				formatCount(lost), pluralize(d.Planned, "hidden duplicate"), d.Skipped, d.Reassigned, d.Dropped,
				d.NotReached)
		}
		return nil
	})
}

type batchCompare struct {
	batchSelection
	resultFlags
}

// Run prints what a round moved.
func (b batchCompare) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, b.resultFlags, api.CompareRound, b.path(), func(r round.Comparison) error {
		fmt.Fprintf(s.out, "%s, %s of the round\n", pluralize(r.Items, "item"), pluralize(r.Labels, "label"))
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "FIELD\tRESULT\tUNCHANGED\tSHIFT\t95% CI\tKAPPA BEFORE\tIN THE ROUND")
		for _, f := range r.Fields {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Key, f.Verdict, f.Equal.Percent(), f.Shift.Signed(),
				f.Shift.SignedRange(), f.FirstKappa.Text(), f.SecondKappa.Text())
		}
		fmt.Fprintln(table, "ANNOTATOR\tITEMS\tSAME ANSWERS\t95% CI\t\t\t")
		for _, p := range r.Repeaters {
			fmt.Fprintf(table, "%s\t%d\t%s\t%s\t\t\t\n", p.Annotator, p.Items, p.Equal.Percent(),
				p.Equal.PercentRange())
		}
		return table.Flush()
	})
}

// goldText says how many answers to gold items are right, with the interval.
func goldText(g api.GoldAccuracy) string {
	if g.Low == nil {
		return "–"
	}
	return fmt.Sprintf("%d of %d (95%% CI %.0f–%.0f%%)", g.Right, g.Answers, 100**g.Low, 100**g.High)
}

type batchUseRevision struct {
	batchSelection
	Accept int `placeholder:"REVISION" help:"Revision to use. Without it, the command prints the changes only."`
	resultFlags
}

// Run prints what the latest revision changes, or has the batch use it.
func (b batchUseRevision) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		path := b.path()
		if b.Accept != 0 {
			used, err := api.UseRevision.Call(ctx, client, api.BatchBody[api.RevisionChoice]{BatchPath: path,
				Body: api.RevisionChoice{Revision: b.Accept}})
			if err != nil {
				return err
			}
			return b.show(s, used, "The batch %s uses revision %d of the protocol.\n", b.Batch, b.Accept)
		}
		revision, err := api.ShowRevision.Call(ctx, client, path)
		if err != nil || b.Format == "json" {
			return printUnless(err, s, revision)
		}
		if revision.LatestRevision <= revision.Revision {
			fmt.Fprintf(s.out, "The batch %s uses revision %d of the protocol. There is no later one for it.\n", b.Batch,
				revision.Revision)
			return nil
		}
		fmt.Fprintf(s.out, "The batch %s uses revision %d of the protocol. Revision %d changes these texts:\n", b.Batch,
			revision.Revision, revision.LatestRevision)
		for _, change := range revision.Changes {
			fmt.Fprintf(s.out, "\n%s\n- %s\n+ %s\n", change.Place, change.Before, change.After)
		}
		fmt.Fprintf(s.out, "\nNothing changed yet. To use the revision, run the command with --accept %d.\n",
			revision.LatestRevision)
		return nil
	})
}
