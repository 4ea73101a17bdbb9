package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/api"
)

type batchChange struct {
	batchSelection      `embed:""`
	Reason              string          `required:"" help:"Reason, recorded in the audit log."`
	Plan                bool            `help:"Print what the change would do, and change nothing."`
	Add                 []string        `placeholder:"EMAIL" help:"Annotators to add. They get their share of what waits for the others."`
	Pause               []string        `placeholder:"EMAIL" help:"Annotators who get no new items for now. They keep the open item."`
	Resume              []string        `placeholder:"EMAIL" help:"Paused annotators who continue."`
	AllowSeen           []string        `placeholder:"EMAIL" help:"Annotators who may label items although they have seen answers to them. Their labels are not blind. Only an admin allows it."`
	Remove              []string        `placeholder:"EMAIL" help:"Annotators to remove from the batch. What they have left goes to the others; submitted labels stay."`
	ReassignFrom        string          `placeholder:"EMAIL" help:"Annotator whose items go to others."`
	ReassignTo          string          `placeholder:"EMAIL" help:"Annotator who gets them. Default: all others, evenly."`
	ReassignItems       string          `enum:"waiting,open,all" default:"waiting" help:"Which items: waiting (the queue), open (the item that is open; its draft is kept), or all (both, and skipped items that would return)."`
	ReassignCount       int             `placeholder:"N" help:"How many waiting items to reassign. Default: all."`
	AddItems            string          `placeholder:"N|P%" help:"Number or percentage of the available items to add; 100% adds all."`
	Overlap             int             `placeholder:"N" help:"New number of labels per item: for all items, those of --items, or those that the filters --items-… select."`
	Items               []string        `placeholder:"ID" help:"Items that get more labels, by their ids in the file, separated by commas."`
	GiveTo              string          `placeholder:"EMAIL" help:"Annotator who gets the items of --items or --items-…, instead of --overlap: of each a label that no annotator has, or one more."`
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
	return c.withClient(ctx, func(client *api.Client) error {
		in := api.BatchBody[api.BatchChange]{BatchPath: b.path(), Body: b.change()}
		if b.Plan {
			preview, err := api.PreviewChange.Call(ctx, client, in)
			if err != nil {
				return err
			}
			return printChangePreview(s, b.Format, preview)
		}
		changed, err := api.ChangeBatch.Call(ctx, client, in)
		if err != nil {
			return err
		}
		done := ""
		if text := changed.Effect.Text(locale.English); text != "" {
			done = "Done: " + text + ".\n"
		}
		return b.show(s, changed, "%sChanged batch %s: %s, %s, %s of %s submitted.\n", done, changed.Name,
			pluralize(changed.Items, "item"), pluralize(changed.Annotators, "annotator"),
			formatCount(changed.LabelsGiven), pluralize(changed.LabelsWanted, "label"))
	})
}

func printChangePreview(s streams, format string, p api.ChangePreview) error {
	if format == "json" {
		return printJSON(s.out, p)
	}
	fmt.Fprintf(s.out, "%s wanted, %s before.\n", pluralize(p.LabelsAfter, "label"), formatCount(p.LabelsBefore))
	if text := p.Effect.Text(locale.English); text != "" {
		fmt.Fprintf(s.out, "It would do this: %s.\n", text)
	}
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ANNOTATOR\tWAITING BEFORE\tAFTER")
	for _, a := range p.Annotators {
		fmt.Fprintf(table, "%s\t%d\t%d\n", a.Email, a.Before, a.After)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if p.Stuck > 0 {
		fmt.Fprintf(s.out, "%s could be given by no annotator. Add one.\n", pluralize(p.Stuck, "label"))
	}
	fmt.Fprintln(s.out, "Nothing was changed. To change the batch, run the command without --plan.")
	return nil
}

func (b batchChange) change() api.BatchChange {
	change := api.BatchChange{Reason: api.Reason{Reason: b.Reason}, Add: b.Add, Pause: b.Pause, Resume: b.Resume,
		AllowSeen: b.AllowSeen,
		Remove:    b.Remove, AddItems: b.AddItems, Overlap: b.Overlap, GiveTo: b.GiveTo,
		Rule: b.Rule, KeepRule: b.KeepRule,
		DropRule: b.DropRule, BreakEvery: b.BreakEvery, BreakMinutes: b.BreakMinutes,
		DailyItemLimit: b.DailyItemLimit, SessionLimitMinutes: b.SessionLimitMinutes, Deadline: b.Deadline}
	if b.ReassignFrom != "" || b.ReassignTo != "" || b.ReassignCount != 0 {
		change.Reassign = &api.Reassigning{From: b.ReassignFrom, To: b.ReassignTo,
			Items: project.ReassignedItems(b.ReassignItems), Count: b.ReassignCount}
	}
	if matching := b.ItemFilter.conditions(); len(b.Items) > 0 || matching != nil {
		change.OverlapItems = &api.ItemSelection{SourceIDs: b.Items, Matching: matching}
	}
	return change
}

// A batchEnd names a batch whose state changes.
type batchEnd struct {
	batchSelection
	Reason string `required:"" help:"Reason, recorded in the audit log."`
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

func projectPath(key string) api.ProjectPath { return api.ProjectPath{Project: key} }

func batchPath(projectKey, name string) api.BatchPath {
	return api.BatchPath{ProjectPath: projectPath(projectKey), Batch: name}
}

// Run closes a batch.
func (b batchClose) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		closed, err := api.CloseBatch.Call(ctx, client, api.BatchBody[api.Closing]{
			BatchPath: b.path(),
			Body:      api.Closing{Reason: api.Reason{Reason: b.Reason}, ReleaseOpen: b.ReleaseOpen}})
		if err != nil {
			return err
		}
		return b.show(s, closed, "Closed batch %s.\n", closed.Name)
	})
}

// Run reopens a closed batch.
func (b batchReopen) Run(c *cli, s streams, ctx runContext) error {
	return b.run(c, s, ctx, api.ReopenBatch, "Reopened")
}

// Run archives a closed batch.
func (b batchArchive) Run(c *cli, s streams, ctx runContext) error {
	return b.run(c, s, ctx, api.ArchiveBatch, "Archived")
}

func (b batchEnd) run(c *cli, s streams, ctx runContext, end api.Operation[api.BatchBody[api.Reason], api.Batch],
	done string) error {
	return c.withClient(ctx, func(client *api.Client) error {
		ended, err := end.Call(ctx, client, api.BatchBody[api.Reason]{BatchPath: b.path(),
			Body: api.Reason{Reason: b.Reason}})
		if err != nil {
			return err
		}
		return b.show(s, ended, "%s batch %s.\n", done, ended.Name)
	})
}
