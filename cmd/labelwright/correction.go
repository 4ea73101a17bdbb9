package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/web/api"
)

type correctionCommand struct {
	List    correctionList    `cmd:"" help:"List the correction requests of a batch."`
	Accept  correctionAccept  `cmd:"" help:"Reopen the item of a correction request."`
	Decline correctionDecline `cmd:"" help:"Decline a correction request, with a reply."`
	Reopen  correctionReopen  `cmd:"" help:"Reopen a submitted item without a request."`
}

type correctionList struct {
	batchSelection
	resultFlags
}

// Run prints the correction requests of a batch, unresolved ones first.
func (l correctionList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, l.resultFlags, api.ListCorrections, l.path(), func(list api.CorrectionList) error {
		if len(list.Corrections) == 0 {
			fmt.Fprintf(s.out, "The batch %s has no correction requests.\n", l.Batch)
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tREPORTED\tANNOTATOR\tITEM\tSTATUS\tMESSAGE")
		for _, r := range list.Corrections {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%q\n", r.ID, formatMinute(r.CreatedAt), r.Annotator, r.Item,
				r.Status, r.Message)
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
	return c.withClient(ctx, func(client *api.Client) error {
		accepted, err := api.AcceptCorrection.Call(ctx, client, api.CorrectionPath{BatchPath: a.path(),
			Correction: a.ID})
		if err != nil {
			return err
		}
		return a.show(s, accepted, "Reopened the item. It is the next one of its annotator.\n")
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
	return c.withClient(ctx, func(client *api.Client) error {
		declined, err := api.DeclineCorrection.Call(ctx, client, api.CorrectionBody[api.Reply]{
			CorrectionPath: api.CorrectionPath{BatchPath: d.path(), Correction: d.ID}, Body: api.Reply{Reply: reply}})
		if err != nil {
			return err
		}
		return d.show(s, declined, "Declined the request. Its annotator reads the reply.\n")
	})
}

type correctionReopen struct {
	batchSelection
	Annotator string `required:"" help:"Email address or pseudonym."`
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
	if c.As == "" && c.Server == "" {
		return errNeedsActor
	}
	return c.withClient(ctx, func(client *api.Client) error {
		reopened, err := api.ReopenItem.Call(ctx, client, api.BatchBody[api.Reopening]{BatchPath: r.path(),
			Body: api.Reopening{Annotator: r.Annotator, Item: r.Item, Reason: reason}})
		if err != nil {
			return err
		}
		return r.show(s, reopened, "Reopened the item %s. It is the next one of %s.\n", r.Item, r.Annotator)
	})
}

type skipCommand struct {
	List skipList `cmd:"" help:"List the items of a batch that were skipped for a reason about the item."`
}

type skipList struct {
	batchSelection
	resultFlags
}

// Run prints skipped items, without the annotators.
func (l skipList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, l.resultFlags, api.ListSkips, l.path(), func(list api.SkipList) error {
		if len(list.Skips) == 0 {
			fmt.Fprintf(s.out, "No item of the batch %s was skipped for a reason about the item.\n", l.Batch)
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ITEM\tREASON\tCOMMENT")
		for _, k := range list.Skips {
			fmt.Fprintf(table, "%s\t%s\t%q\n", k.Item, k.Reason.LeadText(), k.Comment)
		}
		return table.Flush()
	})
}
