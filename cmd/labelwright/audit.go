package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/audit"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/api"
)

type auditCommand struct {
	List   auditList   `cmd:"" help:"Print who did what, newest first."`
	Verify auditVerify `cmd:"" help:"Check that no entry of the audit log, label, item or pseudonym was changed, deleted or added."`
}

type auditList struct {
	Project string    `placeholder:"KEY" help:"Only entries of this project."`
	Account string    `placeholder:"EMAIL" help:"Only what this user did."`
	Action  string    `help:"Only this action, such as batch.open."`
	Item    string    `placeholder:"ID" help:"Only what changed this item, by its own id."`
	From    time.Time `format:"2006-01-02" placeholder:"DATE" help:"First day, in UTC."`
	Until   time.Time `format:"2006-01-02" placeholder:"DATE" help:"Last day, in UTC."`
	Limit   int       `default:"100" help:"Maximum number of entries; 0 for all."`
	Format  string    `enum:"text,json,csv,jsonl" default:"text" help:"Output format: text, json, csv or jsonl."`
}

// Run prints the entries that match.
func (a auditList) Run(c *cli, s streams, ctx runContext) error {
	if a.Action != "" && !slices.Contains(postgres.AuditActions, a.Action) {
		return usageError{fmt.Errorf("--action %s is not an action. The actions are: %s", a.Action,
			strings.Join(postgres.AuditActions, ", "))}
	}
	write, finish, err := a.newOutput(s)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		params := api.AuditParams{Account: a.Account, Action: a.Action, Item: a.Item, From: a.From}
		if !a.Until.IsZero() {
			params.Until = a.Until.AddDate(0, 0, 1)
		}
		for printed := 0; a.Limit == 0 || printed < a.Limit; {
			params.Limit = auditPage
			if a.Limit > 0 {
				params.Limit = min(auditPage, a.Limit-printed)
			}
			log, err := a.read(ctx, client, params)
			if err != nil {
				return err
			}
			for _, e := range log.Entries {
				if err := write(e); err != nil {
					return err
				}
			}
			if printed += len(log.Entries); log.NextCursor == "" {
				break
			}
			params.Cursor = log.NextCursor
		}
		return finish()
	})
}

// auditPage is how many entries are read at once.
const auditPage = 500

func (a auditList) read(ctx runContext, client *api.Client, params api.AuditParams) (api.AuditLog, error) {
	if a.Project == "" {
		return api.ListAuditLog.Call(ctx, client, params)
	}
	return api.ListProjectAuditLog.Call(ctx, client, api.ListProjectAuditLogInput{
		ProjectPath: projectPath(a.Project), AuditParams: params})
}

// newOutput returns what prints an entry, and what follows the last one.
func (a auditList) newOutput(s streams) (write func(api.AuditEntry) error, finish func() error, err error) {
	switch a.Format {
	case "text":
		return func(e api.AuditEntry) error {
			_, err := fmt.Fprintf(s.out, "%s  %s\n", formatMinute(e.CreatedAt), e.Sentence)
			return err
		}, func() error { return nil }, nil
	case "json":
		log := api.AuditLog{Entries: []api.AuditEntry{}}
		return func(e api.AuditEntry) error { log.Entries = append(log.Entries, e); return nil },
			func() error { return printJSON(s.out, log) }, nil
	}
	w, err := audit.NewWriter(s.out, audit.Format(a.Format))
	if err != nil {
		return nil, nil, err
	}
	return func(e api.AuditEntry) error { return w.Write(audit.Row(e)) }, w.Flush, nil
}

type auditVerify struct {
	Link string `placeholder:"NUMBER:HASH" help:"Link that an earlier run printed. The log must still contain it."`
	resultFlags
}

// Run verifies the hash chain and the data that it seals.
func (a auditVerify) Run(c *cli, s streams, ctx runContext) error {
	var earlier postgres.AuditLink
	if a.Link != "" {
		var err error
		if earlier, err = postgres.ParseAuditLink(a.Link); err != nil {
			return usageError{fmt.Errorf("--link %q is not a link. Use the one that an earlier run printed, such as 17:9f2c", a.Link)}
		}
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		last, err := db.VerifyAuditLog(ctx, earlier)
		if err != nil {
			return err
		}
		return a.print(s, map[string]any{"intact": true, "links": last.SequenceNo, "last_link": last.String()},
			"The audit log, labels and items are intact. Links: %s. Last link: %s\n", formatCount(last.SequenceNo), last)
	})
}
