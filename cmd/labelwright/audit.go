package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/audit"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type auditCommand struct {
	List   auditList   `cmd:"" help:"Print who did what, newest first."`
	Verify auditVerify `cmd:"" help:"Check that no entry was changed, deleted or added."`
}

type auditList struct {
	Project string    `placeholder:"KEY" help:"Only entries of this project."`
	Person  string    `placeholder:"EMAIL" help:"Only what this user did."`
	Action  string    `help:"Only this action, such as batch.open."`
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
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		f, err := a.filter(ctx, db)
		if err != nil {
			return err
		}
		write, finish, err := a.newOutput(s)
		if err != nil {
			return err
		}
		printed := 0
		err = db.ScanAuditLog(ctx, actor(ctx), project.Project{}, f, func(e audit.Entry) error {
			if a.Limit > 0 && printed == a.Limit {
				return errEnough
			}
			printed++
			return write(e)
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		return finish()
	})
}

var errEnough = errors.New("the limit is reached")

func (a auditList) filter(ctx runContext, db *postgres.DB) (audit.Filter, error) {
	f := audit.Filter{Action: a.Action, From: a.From}
	if !a.Until.IsZero() {
		f.Until = a.Until.AddDate(0, 0, 1)
	}
	if a.Project != "" {
		p, err := db.Project(ctx, actor(ctx), a.Project)
		if err != nil {
			return f, err
		}
		f.ProjectKey = p.Key
	}
	if a.Person != "" {
		person, err := db.AccountByEmail(ctx, a.Person)
		if err != nil {
			return f, err
		}
		f.AccountID = person.ID
	}
	return f, nil
}

// newOutput returns what prints an entry, and what follows the last one.
func (a auditList) newOutput(s streams) (write func(audit.Entry) error, finish func() error, err error) {
	switch a.Format {
	case "text":
		return func(e audit.Entry) error {
			_, err := fmt.Fprintf(s.out, "%s  %s\n", e.CreatedAt.UTC().Format("2006-01-02 15:04"), e.Sentence())
			return err
		}, func() error { return nil }, nil
	case "json":
		entries := []audit.Row{}
		return func(e audit.Entry) error { entries = append(entries, audit.NewRow(e)); return nil },
			func() error { return printJSON(s.out, map[string]any{"entries": entries}) }, nil
	}
	w, err := audit.NewWriter(s.out, audit.Format(a.Format), true)
	if err != nil {
		return nil, nil, err
	}
	return w.Write, w.Flush, nil
}

type auditVerify struct {
	Link string `placeholder:"NUMBER:HASH" help:"Link that an earlier run printed. The log must still contain it."`
	resultFlags
}

// Run verifies the hash chain.
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
		return a.print(s, map[string]any{"intact": true, "entries": last.SequenceNo, "last_link": last.String()},
			"The audit log is intact. Entries: %s. Last link: %s\n", formatCount(last.SequenceNo), last)
	})
}
