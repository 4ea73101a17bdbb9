package main

import (
	"path/filepath"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type judgeCommand struct {
	Project string `required:"" help:"Key of the project."`
	Name    string `required:"" help:"Name of the judge, with its version and prompt, such as “judge-4 prompt 2”."`
	File    string `arg:"" help:"Answers by the items' own ids: a .csv or .jsonl file."`
	resultFlags
}

// Run imports the judgments of a file, all or none.
func (j judgeCommand) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), j.Project)
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
		if err := db.AddJudge(ctx, actor(ctx).ID, p, j.Name, judgments); err != nil {
			return err
		}
		return j.print(s, map[string]any{"project": p.Key, "judge": j.Name, "items": len(judgments)}, "Imported the answers of %s to %s. Next: labelwright report --project %s\n",
			j.Name, pluralize(len(judgments), "item"), p.Key)
	})
}
