package main

import (
	"fmt"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type judgeCommand struct {
	Project string `required:"" help:"The project's key."`
	Name    string `required:"" help:"The model's name, with its version and prompt: “judge-4 prompt 2”."`
	File    string `arg:"" help:"Its answers by the items' own ids: a CSV of item,dimension,value or with a column for each field, or a .jsonl."`
}

// Run stores what a model said, all or nothing, to be compared with people.
func (j judgeCommand) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, j.Project)
		if err != nil {
			return err
		}
		items, err := db.ItemsBySourceID(ctx, p.ID)
		if err != nil {
			return err
		}
		file, err := s.open(j.File)
		if err != nil {
			return err
		}
		defer file.Close()
		judgments, err := importer.ReadJudgments(p.Protocol, items, filepath.Base(j.File), file)
		if err != nil {
			return importError(err)
		}
		if err := db.AddJudge(ctx, 0, p, j.Name, judgments); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "What %s said of %s is stored beside people's labels. Next: labelwright report --project %s\n",
			j.Name, pluralize(len(judgments), "item"), p.Key)
		return nil
	})
}
