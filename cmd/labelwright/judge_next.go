package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/api"
)

// maxPrintedItems is how many drawn items the text output lists. JSON has all of them.
const maxPrintedItems = 50

// printNext prints what to label next, and how to open a batch with it.
func (j judgeCommand) printNext(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, j.resultFlags, api.GetNextLabels, api.GetNextLabelsInput{JudgePath: j.path(),
		By: project.DrawOrder(j.Order), Size: j.Next, Seed: j.Seed}, func(drawn api.NextLabels) error {
		return printDrawn(s, j.Project, drawn)
	})
}

func printDrawn(s streams, projectKey string, drawn api.NextLabels) error {
	how := fmt.Sprintf("at random, with the seed %d", drawn.Seed)
	if drawn.By == project.DrawByDisagreement {
		how = "on which judges differ most. Labels of these items are kept out of comparisons with judges"
	}
	fmt.Fprintf(s.out, "%s drawn of %s that %s has answered and no annotator has labeled, %s.\n",
		pluralize(len(drawn.Items), "item"), formatCount(drawn.Candidates), drawn.Judge, how)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  ITEM\tJUDGES APART BY\tFIRST LINE")
	for _, item := range drawn.Items[:min(len(drawn.Items), maxPrintedItems)] {
		fmt.Fprintf(table, "  %s\t%.2f\t%s\n", item.Item, item.Distance, project.Truncate(item.Title, 60))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(drawn.Items) - maxPrintedItems; more > 0 {
		fmt.Fprintf(s.out, "  and %s more; --format json has all\n", formatCount(more))
	}
	_, err := fmt.Fprintf(s.out, "Nothing was opened. Open a batch with exactly these items:\n  labelwright batch open --project %s --batch NAME --annotators EMAIL,EMAIL --draw %s\n", projectKey, drawn.Draw)
	return err
}
