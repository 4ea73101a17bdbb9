package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type adjudicateCommand struct {
	Project string `required:"" help:"The project's key."`
	File    string `arg:"" help:"What leads settled items on: a .csv with a header, or a .jsonl. Each row has “item”, the item's own id, and its answers by field; “reason” and “cause” where they go against the annotators; “by”, a lead's e-mail address."`
}

// Run settles the items of a file, all or none.
func (a adjudicateCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := importCommand{File: a.File}.readFile(s)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, a.Project)
		if err != nil {
			return err
		}
		scope, err := db.AdjudicationScope(ctx, p)
		if err != nil {
			return err
		}
		name := filepath.Base(a.File)
		rows, err := importer.ReadAdjudications(p.Protocol, scope, name, bytes.NewReader(content))
		if err != nil {
			return importError(err)
		}
		replaced, err := db.ImportAdjudications(ctx, p, name, rows)
		if err != nil {
			return err
		}
		suffix := ""
		if replaced > 0 {
			suffix = fmt.Sprintf(", %d of them anew", replaced)
		}
		fmt.Fprintf(s.out, "%s of %s settled%s. Next: labelwright report --project %s\n", pluralize(len(rows), "item"), p.Key, suffix, p.Key)
		return nil
	})
}
