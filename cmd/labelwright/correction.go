package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type correctionCommand struct {
	List    correctionList    `cmd:"" help:"List the correction requests of a batch."`
	Accept  correctionAccept  `cmd:"" help:"Reopen the item of a correction request."`
	Decline correctionDecline `cmd:"" help:"Decline a correction request, with a reply."`
	Reopen  correctionReopen  `cmd:"" help:"Reopen a submitted item without a request."`
}

type correctionList struct {
	batchSelection
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A correctionEntry is a correction request in the JSON output.
type correctionEntry struct {
	ID         labeling.CorrectionID     `json:"id"`
	Annotator  string                    `json:"annotator"`
	Item       string                    `json:"item"` // empty: blinded for the account
	Message    string                    `json:"message"`
	ByLead     bool                      `json:"by_lead"`
	CreatedAt  time.Time                 `json:"created_at"`
	Status     postgres.CorrectionStatus `json:"status"`
	ResolvedAt *time.Time                `json:"resolved_at"`
	Reply      string                    `json:"reply"`
}

// Run prints the correction requests of a batch, unresolved ones first.
func (l correctionList) Run(c *cli, s streams, ctx runContext) error {
	return l.use(c, ctx, func(db *postgres.DB, _ project.Project, b project.Batch) error {
		requests, err := db.CorrectionRequests(ctx, actor(ctx).ID, b.ID)
		if err != nil {
			return err
		}
		if l.Format == "json" {
			entries := make([]correctionEntry, len(requests))
			for i, r := range requests {
				entries[i] = correctionEntry{r.ID, r.Pseudonym, r.SourceID, r.Message, r.ByLead, r.CreatedAt.UTC(),
					r.Status(), inUTC(r.ResolvedAt), r.Reply}
			}
			return printJSON(s.out, map[string]any{"corrections": entries})
		}
		if len(requests) == 0 {
			fmt.Fprintf(s.out, "The batch %s has no correction requests.\n", b.Name)
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tREPORTED\tANNOTATOR\tITEM\tSTATUS\tMESSAGE")
		for _, r := range requests {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%q\n", r.ID, formatMinute(r.CreatedAt), r.Pseudonym, r.SourceID,
				r.Status(), r.Message)
		}
		return table.Flush()
	})
}

type correctionAccept struct {
	batchSelection
	ID labeling.CorrectionID `arg:"" help:"Id of the request, from labelwright correction list."`
	resultFlags
}

// Run reopens the item of a request.
func (a correctionAccept) Run(c *cli, s streams, ctx runContext) error {
	return a.use(c, ctx, func(db *postgres.DB, p project.Project, b project.Batch) error {
		if err := db.AcceptCorrection(ctx, actor(ctx).ID, p, b, a.ID); err != nil {
			return err
		}
		return a.print(s, map[string]any{"id": a.ID, "status": "reopened"},
			"Reopened the item. It is the next one of its annotator.\n")
	})
}

type correctionDecline struct {
	batchSelection
	ID    labeling.CorrectionID `arg:"" help:"Id of the request, from labelwright correction list."`
	Reply string                `arg:"" help:"Why the answers stay; - reads it from standard input."`
	resultFlags
}

// Run declines a request.
func (d correctionDecline) Run(c *cli, s streams, ctx runContext) error {
	reply, err := s.readMessage(d.Reply)
	if err != nil {
		return err
	}
	return d.use(c, ctx, func(db *postgres.DB, p project.Project, b project.Batch) error {
		if err := db.DeclineCorrection(ctx, actor(ctx).ID, p, b, d.ID, reply); err != nil {
			return err
		}
		return d.print(s, map[string]any{"id": d.ID, "status": "declined"},
			"Declined the request. Its annotator reads the reply.\n")
	})
}

type correctionReopen struct {
	batchSelection
	Annotator string `required:"" placeholder:"PSEUDONYM" help:"Pseudonym of the annotator, as the member list has it."`
	Item      string `arg:"" help:"Id of the item."`
	Reason    string `arg:"" help:"Why the item is reopened; - reads it from standard input. The annotator reads it."`
	resultFlags
}

// Run reopens a submitted item.
func (r correctionReopen) Run(c *cli, s streams, ctx runContext) error {
	reason, err := s.readMessage(r.Reason)
	if err != nil {
		return err
	}
	if c.As == "" {
		return errNeedsActor
	}
	return r.use(c, ctx, func(db *postgres.DB, p project.Project, b project.Batch) error {
		if err := db.ReopenItem(ctx, actor(ctx).ID, p, b, r.Annotator, r.Item, reason); err != nil {
			return err
		}
		return r.print(s, map[string]any{"item": r.Item, "annotator": r.Annotator, "status": "reopened"},
			"Reopened the item %s. It is the next one of %s.\n", r.Item, r.Annotator)
	})
}

type skipCommand struct {
	List skipList `cmd:"" help:"List the items of a batch that were skipped for a reason about the item."`
}

type skipList struct {
	batchSelection
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A skippedItemEntry is a skipped item in the JSON output.
type skippedItemEntry struct {
	Item    string              `json:"item"`
	Reason  labeling.SkipReason `json:"reason"`
	Comment string              `json:"comment"`
}

// Run prints skipped items, without the annotators.
func (l skipList) Run(c *cli, s streams, ctx runContext) error {
	return l.use(c, ctx, func(db *postgres.DB, _ project.Project, b project.Batch) error {
		skipped, err := db.SkippedItems(ctx, actor(ctx).ID, b.ID)
		if err != nil {
			return err
		}
		if l.Format == "json" {
			entries := make([]skippedItemEntry, len(skipped))
			for i, k := range skipped {
				entries[i] = skippedItemEntry{k.SourceID, k.Reason, k.Comment}
			}
			return printJSON(s.out, map[string]any{"skips": entries})
		}
		if len(skipped) == 0 {
			fmt.Fprintf(s.out, "No item of the batch %s was skipped for a reason about the item.\n", b.Name)
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ITEM\tREASON\tCOMMENT")
		for _, k := range skipped {
			fmt.Fprintf(table, "%s\t%s\t%q\n", k.SourceID, k.Reason.LeadText(), k.Comment)
		}
		return table.Flush()
	})
}
