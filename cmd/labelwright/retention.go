package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/web/api"
)

type retentionCommand struct {
	resultFlags
}

// Help explains the command.
func (retentionCommand) Help() string {
	return `Prints the kinds of data that the server deletes each hour, their periods, how many rows are due now, and what is kept until someone removes it. It deletes nothing.

Example:

  labelwright retention --format json`
}

// Run prints the retention periods.
func (r retentionCommand) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, r.resultFlags, api.ShowRetention, struct{}{}, func(found api.Retention) error {
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "DELETED\tHOURS\tDUE NOW")
		for _, d := range found.Deleted {
			fmt.Fprintf(table, "%s\t%d\t%d\n", d.Title, d.Seconds/int(time.Hour/time.Second), d.Due)
		}
		fmt.Fprintln(table, "\nKEPT\tUNTIL")
		for _, k := range found.Kept {
			fmt.Fprintf(table, "%s\t%s\n", k.Title, k.Until)
		}
		return table.Flush()
	})
}
