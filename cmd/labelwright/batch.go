package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

type batchCommand struct {
	Open        batchOpen        `cmd:"" help:"Assign items that are in no batch yet to annotators."`
	List        batchList        `cmd:"" help:"Show the progress of batches and annotators."`
	UseRevision batchUseRevision `cmd:"" help:"Show what a new revision of the protocol changes in an open batch, and accept it."`
}

type batchOpen struct {
	Project      string   `required:"" help:"Key of the project."`
	Name         string   `required:"" help:"Name of the batch."`
	Annotators   []string `required:"" placeholder:"EMAIL" help:"Email addresses of the annotators, separated by commas."`
	Overlap      int      `default:"2" help:"Number of annotators who label each item."`
	Items        int      `help:"Number of items, sampled at random. Default: all items that are in no batch yet."`
	Seed         int64    `help:"Seed of every random choice. Default: random, and recorded."`
	Calibration  int      `default:"-1" help:"Number of calibration items before the work. Default: the protocol's number, or as many as there are."`
	Duplicates   int      `default:"-1" help:"Number of hidden duplicates for each annotator. Default: the protocol's number, at most one in five items."`
	BreakEvery   int      `default:"-1" help:"Number of items between breaks; 0 for no breaks. Default: the protocol's."`
	BreakMinutes int      `default:"-1" help:"Length of a break in minutes. Default: the protocol's."`
	Plan         bool     `help:"Print the expected workload and precision, and open nothing."`
}

// Run opens a batch, or previews it.
func (b batchOpen) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, b.Project)
		if err != nil {
			return err
		}
		if b.Plan {
			_, preview, err := db.PreviewBatch(ctx, operator.ID, p, b.batchSpec(p))
			if err != nil {
				return err
			}
			printPreview(s, preview)
			return nil
		}
		opened, err := db.OpenBatch(ctx, 0, p, b.batchSpec(p))
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Opened batch %s: %s, %s, overlap %d, seed %d. Each annotator gets %s and %s.\n", opened.Name,
			pluralize(opened.Items, "item"), pluralize(opened.Annotators, "annotator"), opened.Overlap, opened.Seed,
			pluralize(opened.CalibrationCount, "calibration item"), pluralize(opened.DuplicateCount, "hidden duplicate"))
		return nil
	})
}

func (b batchOpen) batchSpec(p project.Project) project.BatchSpec {
	spec := project.BatchSpec{Name: b.Name, Annotators: b.Annotators, Overlap: b.Overlap, Items: b.Items, Seed: b.Seed,
		BreakEvery: b.BreakEvery, BreakMinutes: b.BreakMinutes, CalibrationCount: b.Calibration, DuplicateCount: b.Duplicates}
	if spec.BreakEvery < 0 {
		spec.BreakEvery = p.Protocol.Plan.BreakEveryItems
	}
	if spec.BreakMinutes < 0 {
		spec.BreakMinutes = p.Protocol.Plan.BreakMinutes
	}
	return spec
}

func printPreview(s streams, p project.BatchPreview) {
	fmt.Fprintf(s.out, "%s, %s, overlap %d: %s.\n", pluralize(p.Items, "item"), pluralize(p.Annotators, "annotator"), p.Overlap, pluralize(p.Slots, "label"))
	fmt.Fprintf(s.out, "Each annotator labels %s items in %s minutes, and has %d minutes of breaks.\n", formatSpan(p.ItemsPerAnnotator), formatSpan(p.Minutes), p.BreakMinutes)
	fmt.Fprintf(s.out, "The minutes include %s and %s.\n", pluralize(p.CalibrationCount, "calibration item"), pluralize(p.DuplicateCount, "hidden duplicate"))
	if p.SharedItems > 0 {
		fmt.Fprintf(s.out, "Two annotators share about %.0f items.\n", p.SharedItems)
	}
	if p.KappaCIWidth > 0 {
		fmt.Fprintf(s.out, "If κ is %g, its 95%% confidence interval will be about %.2f wide, according to simulated batches.\n", report.ExpectedKappa, p.KappaCIWidth)
	}
	fmt.Fprintln(s.out, "Nothing was opened. Run the command without --plan to open the batch.")
}

func formatSpan(s project.IntRange) string {
	if s.Min == s.Max {
		return formatCount(s.Min)
	}
	return formatCount(s.Min) + "–" + formatCount(s.Max)
}

type batchList struct {
	Project string `required:"" help:"Key of the project."`
}

// Run prints the batches of a project.
func (b batchList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, b.Project)
		if err != nil {
			return err
		}
		batches, err := db.Batches(ctx, p.ID)
		if err != nil {
			return err
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
	annotators, err := db.AnnotatorProgress(ctx, b.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %s of %s, overlap %d, seed %d\n", b.Name, formatCount(b.Submitted), pluralize(b.Slots, "label"), b.Overlap, b.Seed)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  ANNOTATOR\tLABELED\tSKIPPED\tSECONDS PER ITEM")
	for _, a := range annotators {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d\n", a.Name, a.Submitted, a.Skipped, a.MedianActiveMS/1000)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	duplicates, err := db.DuplicateSummary(ctx, operator.ID, b.ID)
	if err == nil && duplicates.Lost() > 0 {
		fmt.Fprintf(s.out, "  %s of %s lost: %d skipped, %d released after a long absence, %d without a labeled item far enough back, %d because the work ended before.\n",
			formatCount(duplicates.Lost()), pluralize(duplicates.Planned, "hidden duplicate"), duplicates.Skipped, duplicates.Reassigned, duplicates.Dropped, duplicates.NotReached)
	}
	return err
}

type batchUseRevision struct {
	Project string `required:"" help:"Key of the project."`
	Name    string `required:"" help:"Name of the batch."`
	Accept  int    `placeholder:"REVISION" help:"Revision to use. Without it, the command prints the changes only."`
}

// Run prints what the latest revision changes, or has the batch use it.
func (b batchUseRevision) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, b.Project)
		if err != nil {
			return err
		}
		if b.Accept != 0 {
			if err := db.UseRevision(ctx, operator, p, b.Name, b.Accept); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "The batch %s uses revision %d of the protocol.\n", b.Name, b.Accept)
			return nil
		}
		batch, err := db.Batch(ctx, p.ID, b.Name)
		if err != nil {
			return err
		}
		return printRevision(ctx, s, db, p, batch)
	})
}

func printRevision(ctx runContext, s streams, db *postgres.DB, p project.Project, b project.Batch) error {
	if !b.HasNewRevision() {
		fmt.Fprintf(s.out, "The batch %s uses revision %d of the protocol. There is no later one for it.\n", b.Name, b.ProtocolRevision)
		return nil
	}
	changes, err := db.RevisionChanges(ctx, p, b)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The batch %s uses revision %d of the protocol. Revision %d changes these texts:\n", b.Name, b.ProtocolRevision, b.LatestRevision)
	for _, change := range changes {
		fmt.Fprintf(s.out, "\n%s\n- %s\n+ %s\n", change.Place, change.Before, change.After)
	}
	fmt.Fprintf(s.out, "\nNothing changed yet. To use the revision, run the command with --accept %d.\n", b.LatestRevision)
	return nil
}
