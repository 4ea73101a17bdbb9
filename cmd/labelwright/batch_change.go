package main

import (
	"context"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type batchChange struct {
	Project             string          `required:"" help:"Key of the project."`
	Name                string          `required:"" help:"Name of the batch."`
	Reason              string          `required:"" help:"Reason, recorded in the audit log."`
	Add                 []string        `placeholder:"EMAIL" help:"Annotators to add. They get their share of what waits for the others."`
	Pause               []string        `placeholder:"EMAIL" help:"Annotators who get no new items for now. They keep the open item."`
	Resume              []string        `placeholder:"EMAIL" help:"Paused annotators who continue."`
	Remove              []string        `placeholder:"EMAIL" help:"Annotators to remove from the batch. What they have left goes to the others; submitted labels stay."`
	ReassignFrom        string          `placeholder:"EMAIL" help:"Annotator whose items go to others."`
	ReassignTo          string          `placeholder:"EMAIL" help:"Annotator who gets them. Default: all others, evenly."`
	ReassignItems       string          `enum:"waiting,open,all" default:"waiting" help:"Which items: waiting (the queue), open (the item that is open; its draft is kept), or all (both, and skipped items that would return)."`
	ReassignCount       int             `placeholder:"N" help:"How many waiting items to reassign. Default: all."`
	AddItems            string          `placeholder:"N|P%" help:"Number or percentage of the available items to add; 100% adds all."`
	Labels              int             `placeholder:"N" help:"New number of labels per item: for all items, those of --items, or those that the filters --items-… select."`
	Items               []string        `placeholder:"ID" help:"Items that get more labels, by their ids in the file, separated by commas."`
	ItemFilter          itemFilterFlags `embed:"" prefix:"items-"`
	Rule                string          `placeholder:"FIELD>=N:LABELS" help:"More labels for items whose first ones differ: any>=1:3 gives a third label where two answers to any field differ."`
	KeepRule            bool            `help:"Apply the rule to future labels, too."`
	DropRule            bool            `help:"Stop applying the kept rule."`
	BreakEvery          *int            `help:"Number of items between breaks; 0 for no breaks."`
	BreakMinutes        *int            `help:"Length of a break in minutes."`
	DailyItemLimit      *int            `help:"Items per annotator and day; 0 for no limit, -1 for that of the project."`
	SessionLimitMinutes *int            `help:"Minutes of work per session; 0 for no limit, -1 for that of the project."`
	Deadline            *string         `placeholder:"DATE" help:"Day by which the batch should be done, such as 2026-11-30; empty for none."`
	resultFlags
}

// Run changes an open batch.
func (b batchChange) Run(c *cli, s streams, ctx runContext) error {
	change, err := b.change()
	if err != nil {
		return usageError{err}
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), b.Project)
		if err != nil {
			return err
		}
		if change.LabelItems, err = b.labelItems(ctx, db, p); err != nil {
			return err
		}
		effect, err := db.ChangeBatch(ctx, actor(ctx).ID, p, b.Name, change)
		if err != nil {
			return err
		}
		opened, err := db.Batch(ctx, p.ID, b.Name)
		if err != nil {
			return err
		}
		done := ""
		if text := effect.Text(); text != "" {
			done = "Done: " + text + ".\n"
		}
		return b.print(s, map[string]any{"project": p.Key, "batch": opened.Name, "items": opened.Items,
			"annotators": opened.Annotators, "labels": opened.Submitted,
			"labels_total": opened.Slots, "effect": effect},
			"%sChanged batch %s: %s, %s, %s of %s submitted.\n", done, opened.Name, pluralize(opened.Items, "item"),
			pluralize(opened.Annotators, "annotator"), formatCount(opened.Submitted), pluralize(opened.Slots, "label"))
	})
}

func (b batchChange) change() (c project.BatchChange, err error) {
	c = project.BatchChange{Reason: b.Reason, Add: b.Add, Pause: b.Pause, Resume: b.Resume, Remove: b.Remove,
		Reassign: project.Reassignment{From: b.ReassignFrom, To: b.ReassignTo,
			Items: project.ReassignedItems(b.ReassignItems), Count: b.ReassignCount},
		Labels: b.Labels, KeepRule: b.KeepRule, DropRule: b.DropRule,
		Settings: project.BatchSettings{BreakEvery: b.BreakEvery, BreakMinutes: b.BreakMinutes,
			DailyItemLimit:      b.DailyItemLimit,
			SessionLimitMinutes: b.SessionLimitMinutes, Deadline: b.Deadline}}
	if b.AddItems != "" {
		sample, err := project.ParseSample(b.AddItems)
		if err != nil {
			return c, err
		}
		c.AddItems = &sample
	}
	if b.Rule != "" {
		if c.Rule, err = project.ParseOverlapRule(b.Rule); err != nil {
			return c, err
		}
	}
	return c, nil
}

// labelItems returns the items that get more labels, nil for all.
func (b batchChange) labelItems(ctx context.Context, db *postgres.DB, p project.Project) (*project.ItemFilter, error) {
	filter := b.ItemFilter.filter()
	if len(b.Items) > 0 {
		ids, err := db.ItemIDs(ctx, p, b.Items)
		if err != nil {
			return nil, err
		}
		filter.IDs = ids
	}
	if filter.IsEmpty() {
		return nil, nil
	}
	return &filter, nil
}

// A batchEnd names a batch whose state changes.
type batchEnd struct {
	Project string `required:"" help:"Key of the project."`
	Name    string `required:"" help:"Name of the batch."`
	Reason  string `required:"" help:"Reason, recorded in the audit log."`
	resultFlags
}

type (
	batchClose struct {
		batchEnd
		ReleaseOpen bool `help:"Take back open items, too. Their drafts are kept. Otherwise annotators can still submit them."`
	}
	batchReopen  struct{ batchEnd }
	batchArchive struct{ batchEnd }
)

// endFunc is a method of postgres.DB that changes the state of a batch.
type endFunc func(db *postgres.DB, ctx context.Context, actorID account.ID, p project.Project, name,
	reason string) error

func (b batchEnd) run(c *cli, s streams, ctx runContext, end endFunc, done string) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), b.Project)
		if err != nil {
			return err
		}
		if err := end(db, ctx, actor(ctx).ID, p, b.Name, b.Reason); err != nil {
			return err
		}
		return b.print(s, map[string]any{"project": p.Key, "batch": b.Name, "done": strings.ToLower(done)},
			"%s batch %s.\n", done, b.Name)
	})
}

// Run closes a batch.
func (b batchClose) Run(c *cli, s streams, ctx runContext) error {
	closeBatch := func(db *postgres.DB, ctx context.Context, actorID account.ID, p project.Project, name,
		reason string) error {
		return db.CloseBatch(ctx, actorID, p, name, project.BatchClosing{Reason: reason, ReleaseOpen: b.ReleaseOpen})
	}
	return b.run(c, s, ctx, closeBatch, "Closed")
}

// Run reopens a closed batch.
func (b batchReopen) Run(c *cli, s streams, ctx runContext) error {
	return b.run(c, s, ctx, (*postgres.DB).ReopenBatch, "Reopened")
}

// Run archives a closed batch.
func (b batchArchive) Run(c *cli, s streams, ctx runContext) error {
	return b.run(c, s, ctx, (*postgres.DB).ArchiveBatch, "Archived")
}
