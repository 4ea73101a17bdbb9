package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

type batchCommand struct {
	Open batchOpen `cmd:"" help:"Hand items that are in no batch yet to annotators."`
	List batchList `cmd:"" help:"Show how far a project's batches and their annotators are."`
}

type batchOpen struct {
	Project      string   `required:"" help:"The project's key."`
	Name         string   `required:"" help:"The batch's name."`
	Annotators   []string `required:"" placeholder:"EMAIL" help:"Who labels it: e-mail addresses, separated by commas."`
	Overlap      int      `default:"2" help:"How many annotators label each item."`
	Items        int      `help:"How many items, drawn by the seed. Default: all that are in no batch yet."`
	Seed         int64    `help:"What every shuffle follows from. Default: drawn by chance and recorded."`
	Calibration  int      `default:"-1" help:"How many items with a reference come before the work. Default: the protocol's number, or as many as there are."`
	Duplicates   int      `default:"-1" help:"How many items come back hidden, for each annotator. Default: the protocol's number, one in five at most."`
	BreakEvery   int      `default:"-1" help:"Remind of a break after so many items; 0 for never. Default: the protocol's."`
	BreakMinutes int      `default:"-1" help:"How long a break is. Default: the protocol's."`
	Preview      bool     `help:"Say what it would mean, and open nothing."`
}

// Run opens a batch, or says what it would mean.
func (b batchOpen) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, b.Project)
		if err != nil {
			return err
		}
		if b.Preview {
			return b.printPreview(ctx, s, db, p)
		}
		opened, err := db.OpenBatch(ctx, 0, p, b.batchSpec(p))
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "The batch %s is open: %s for %s, overlap %d, seed %d; %s of calibration, %s for each.\n", opened.Name,
			pluralize(opened.Items, "item"), pluralize(opened.Annotators, "annotator"), opened.Overlap, opened.Seed,
			pluralize(opened.CalibrationCount, "item"), pluralize(opened.DuplicateCount, "hidden duplicate"))
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

type batchList struct {
	Project string `required:"" help:"The project's key."`
}

// Run shows the batches of a project.
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
			fmt.Fprintln(s.out, "There are no batches yet. `labelwright batch open` opens one.")
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
	fmt.Fprintf(s.out, "%s: %d of %d labels given, overlap %d, seed %d\n", b.Name, b.Submitted, b.Slots, b.Overlap, b.Seed)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  ANNOTATOR\tLABELLED\tSET ASIDE\tMEDIAN TIME")
	for _, annotator := range annotators {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d s\n", annotator.Name, annotator.Submitted, annotator.Skipped, annotator.MedianActiveMS/1000)
	}
	return table.Flush()
}

func (b batchOpen) printPreview(ctx runContext, s streams, db *postgres.DB, p project.Project) error {
	spec, preview, err := db.PreviewBatch(ctx, p, b.batchSpec(p))
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s for %s, overlap %d: %s in all.\n", pluralize(preview.Items, "item"), pluralize(preview.Annotators, "annotator"), preview.Overlap, pluralize(preview.Slots, "label"))
	fmt.Fprintf(s.out, "Each labels %s items: %s minutes of work, and %d of breaks.\n", formatSpan(preview.ItemsPerAnnotator), formatSpan(preview.Minutes), preview.BreakMinutes)
	fmt.Fprintf(s.out, "Before it %s of calibration, and within it %s; the minutes count both.\n", pluralize(spec.CalibrationCount, "item"), pluralize(spec.DuplicateCount, "hidden duplicate"))
	if preview.SharedItems > 0 {
		fmt.Fprintf(s.out, "Two annotators share about %.0f items.\n", preview.SharedItems)
	}
	if preview.KappaCIWidth > 0 {
		fmt.Fprintf(s.out, "The 95 %% interval of κ would be about %.2f wide from end to end, by simulated batches in which people agree by %g.\n", preview.KappaCIWidth, report.ExpectedKappa)
	}
	fmt.Fprintln(s.out, "Nothing was opened.")
	return nil
}

func formatSpan(s project.IntRange) string {
	if s.Min == s.Max {
		return fmt.Sprint(s.Min)
	}
	return fmt.Sprintf("%d–%d", s.Min, s.Max)
}
