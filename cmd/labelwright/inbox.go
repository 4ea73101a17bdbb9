package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
)

type inboxCommand struct {
	Lead   string `placeholder:"EMAIL" help:"Show the inbox of this lead. Default: all projects."`
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// An inboxItem is an entry of the inbox in the JSON output.
type inboxItem struct {
	Kind      labeling.InboxKind `json:"kind"`
	Project   string             `json:"project"`
	Batch     string             `json:"batch,omitempty"`
	Annotator string             `json:"annotator,omitempty"`
	Item      string             `json:"item,omitempty"`
	SubjectID int64              `json:"subject_id,omitempty"` // of the question or the correction request
	Message   string             `json:"message,omitempty"`
	Count     int                `json:"count"`
	Since     time.Time          `json:"since"`
}

// Run prints what waits for leads.
func (i inboxCommand) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		reader := actor(ctx)
		if i.Lead != "" {
			var err error
			if reader, err = db.AccountByEmail(ctx, i.Lead); err != nil {
				return err
			}
		}
		entries, err := db.Inbox(ctx, actor(ctx).ID, reader)
		if err != nil {
			return err
		}
		if i.Format == "json" {
			return printInboxJSON(s, entries)
		}
		return printInbox(s, entries)
	})
}

func printInbox(s streams, entries []labeling.InboxEntry) error {
	if len(entries) == 0 {
		fmt.Fprintln(s.out, "Nothing waits.")
		return nil
	}
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "SINCE\tPROJECT\tBATCH\tWHAT")
	for _, e := range entries {
		subject, detail := e.Text()
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", formatMinute(e.Since), e.ProjectKey, e.BatchName,
			strings.Join(strings.Fields(subject+" "+detail), " "))
	}
	return table.Flush()
}

func printInboxJSON(s streams, entries []labeling.InboxEntry) error {
	items := make([]inboxItem, len(entries))
	for n, e := range entries {
		items[n] = inboxItem{e.Kind, e.ProjectKey, e.BatchName, e.Annotator, e.SourceID, e.SubjectID, e.Message,
			e.Count, e.Since}
	}
	return printJSON(s.out, map[string]any{"inbox": items})
}
