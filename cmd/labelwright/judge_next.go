package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/web/api"
)

// maxPrintedItems is how many drawn items the text output lists. JSON has all of them.
const maxPrintedItems = 50

// printNext prints what to label next, and how to open a batch with it.
func (j judgeCommand) printNext(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), j.Project)
		if err != nil {
			return err
		}
		proposal, err := db.ProposeLabels(ctx, actor(ctx).ID, p, project.JudgeDraw{Judge: j.Name,
			By: project.DrawOrder(j.Order), Size: j.Next, Seed: j.Seed})
		if err != nil {
			return err
		}
		if j.Format == "json" {
			return printJSON(s.out, api.NewNextLabels(proposal))
		}
		return printProposal(s, p, proposal)
	})
}

func printProposal(s streams, p project.Project, proposal judging.Proposal) error {
	how := fmt.Sprintf("at random, with the seed %d", proposal.Seed)
	if proposal.By == project.DrawByDisagreement {
		how = "on which judges differ most. Labels of these items are kept out of comparisons with judges"
	}
	fmt.Fprintf(s.out, "%s drawn of %s that %s has answered and no annotator has labeled, %s.\n",
		pluralize(len(proposal.Items), "item"), formatCount(proposal.Candidates), proposal.Judge, how)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  ITEM\tJUDGES APART BY\tFIRST LINE")
	for _, item := range proposal.Items[:min(len(proposal.Items), maxPrintedItems)] {
		fmt.Fprintf(table, "  %s\t%.2f\t%s\n", item.SourceID, item.Distance, project.Truncate(item.Title, 60))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(proposal.Items) - maxPrintedItems; more > 0 {
		fmt.Fprintf(s.out, "  and %s more; --format json has all\n", formatCount(more))
	}
	_, err := fmt.Fprintf(s.out, "Nothing was opened. Open a batch with exactly these items:\n  labelwright batch open --project %s --batch NAME --annotators EMAIL,EMAIL --draw %s\n", p.Key, proposal.Token())
	return err
}
