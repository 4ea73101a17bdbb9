package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type adjudicateCommand struct {
	Project string `required:"" help:"Key of the project."`
	File    string `arg:"" help:"Decisions: a .csv file with a header, or a .jsonl file."`
	resultFlags
}

// Run imports the decisions of a file, all or none.
func (a adjudicateCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := readImport(s, a.File)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), a.Project)
		if err != nil {
			return err
		}
		scope, err := db.AdjudicationScope(ctx, p)
		if err != nil {
			return err
		}
		scope.Default = strings.ToLower(actor(ctx).Email)
		name := filepath.Base(a.File)
		rows, err := importer.ReadAdjudications(p.Protocol, scope, name, bytes.NewReader(content))
		if err != nil {
			return importError(err)
		}
		replaced, err := db.ImportAdjudications(ctx, actor(ctx).ID, p, name, rows)
		if err != nil {
			return err
		}
		suffix := ""
		if replaced > 0 {
			suffix = fmt.Sprintf(", replacing %s", pluralize(replaced, "earlier decision"))
		}
		return a.print(s, map[string]any{"project": p.Key, "items": len(rows), "replaced": replaced},
			"Adjudicated %s of %s%s. Next: labelwright report --project %s\n", pluralize(len(rows), "item"), p.Key,
			suffix, p.Key)
	})
}
