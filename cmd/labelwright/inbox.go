package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/web/api"
)

type inboxCommand struct {
	resultFlags
}

// Run prints what waits for leads.
func (i inboxCommand) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, i.resultFlags, api.ShowInbox, api.NoInput{}, func(waiting api.Inbox) error {
		if len(waiting.Inbox) == 0 {
			fmt.Fprintln(s.out, "Nothing waits.")
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "SINCE\tPROJECT\tBATCH\tWHAT")
		for _, e := range waiting.Inbox {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", formatMinute(e.Since), e.Project, e.Batch,
				strings.Join(strings.Fields(e.Sentence), " "))
		}
		return table.Flush()
	})
}
