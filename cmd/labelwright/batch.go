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
	Plan         bool     `help:"Say what it would mean, and open nothing."`
}

// Run opens a batch, or says what it would mean.
func (b batchOpen) Run(c *cli, s streams, ctx bound) error {
	return c.with(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, b.Project)
		if err != nil {
			return err
		}
		if b.Plan {
			return b.tellPlan(ctx, s, db, p)
		}
		opened, err := db.OpenBatch(ctx, 0, p, b.handout(p))
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "The batch %s is open: %s for %s, overlap %d, seed %d; %s of calibration, %s for each.\n", opened.Name,
			plural(opened.Items, "item"), plural(opened.Annotators, "annotator"), opened.Overlap, opened.Seed,
			plural(opened.Calibration, "item"), plural(opened.Duplicates, "hidden duplicate"))
		return nil
	})
}

func (b batchOpen) handout(p project.Project) project.Handout {
	h := project.Handout{Name: b.Name, Annotators: b.Annotators, Overlap: b.Overlap, Items: b.Items, Seed: b.Seed,
		BreakEvery: b.BreakEvery, BreakMinutes: b.BreakMinutes, Calibration: b.Calibration, Duplicates: b.Duplicates}
	if h.BreakEvery < 0 {
		h.BreakEvery = p.Protocol.Plan.BreakEvery
	}
	if h.BreakMinutes < 0 {
		h.BreakMinutes = p.Protocol.Plan.BreakMinutes
	}
	return h
}

type batchList struct {
	Project string `required:"" help:"The project's key."`
}

// Run shows the batches of a project.
func (b batchList) Run(c *cli, s streams, ctx bound) error {
	return c.with(ctx, func(db *postgres.DB) error {
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
			if err := tellBatch(ctx, s, db, batch); err != nil {
				return err
			}
		}
		return nil
	})
}

func tellBatch(ctx bound, s streams, db *postgres.DB, b project.Batch) error {
	shares, err := db.Shares(ctx, b.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %d of %d labels given, overlap %d, seed %d\n", b.Name, b.Submitted, b.Slots, b.Overlap, b.Seed)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  ANNOTATOR\tLABELLED\tSET ASIDE\tMEDIAN TIME")
	for _, share := range shares {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d s\n", share.Name, share.Submitted, share.SetAside, share.ActiveMS/1000)
	}
	return table.Flush()
}

func (b batchOpen) tellPlan(ctx bound, s streams, db *postgres.DB, p project.Project) error {
	h, err := b.handout(p).Check()
	if err == nil {
		err = p.CheckSupport()
	}
	if err != nil {
		return err
	}
	items, err := db.Unhanded(ctx, p.ID)
	if err != nil {
		return err
	}
	if err := h.CheckSize(items); err != nil {
		return err
	}
	if h.Items > 0 {
		items = h.Items
	}
	references, err := db.References(ctx, p.ID)
	if err != nil {
		return err
	}
	path, err := h.Path(p.Protocol.Plan, items, len(references))
	if err != nil {
		return err
	}
	h.Calibration, h.Duplicates = path.Calibration, path.Duplicates
	plan := report.Foresee(p.Protocol, h, items)
	fmt.Fprintf(s.out, "%s for %s, overlap %d: %s in all.\n", plural(plan.Items, "item"), plural(plan.Annotators, "annotator"), plan.Overlap, plural(plan.Slots, "label"))
	fmt.Fprintf(s.out, "Each labels %s items: %s minutes of work, and %d of breaks.\n", span(plan.Each), span(plan.Minutes), plan.Breaks)
	fmt.Fprintf(s.out, "Before it %s of calibration, and within it %s; the minutes count both.\n", plural(h.Calibration, "item"), plural(h.Duplicates, "hidden duplicate"))
	if plan.Shared > 0 {
		fmt.Fprintf(s.out, "Two annotators share about %.0f items.\n", plan.Shared)
	}
	if plan.Width > 0 {
		fmt.Fprintf(s.out, "The 95 %% interval of κ would be about %.2f wide from end to end, by simulated batches in which people agree by %g.\n", plan.Width, report.ExpectedKappa)
	}
	fmt.Fprintln(s.out, "Nothing was opened.")
	return nil
}

func span(s project.Span) string {
	if s.From == s.To {
		return fmt.Sprint(s.From)
	}
	return fmt.Sprintf("%d–%d", s.From, s.To)
}
