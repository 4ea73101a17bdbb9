package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

type judgeCommand struct {
	Project string `required:"" help:"The project's key."`
	Name    string `required:"" help:"The model's name, with its version and prompt: “judge-4 prompt 2”."`
	File    string `arg:"" help:"Its answers by the items' own ids: a CSV of item,dimension,value or with a column for each field, or a .jsonl."`
}

// Run stores what a model said, all or nothing, to be compared with people.
func (j judgeCommand) Run(c *cli, s streams, ctx bound) error {
	return c.with(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, j.Project)
		if err != nil {
			return err
		}
		known, err := db.KnownItems(ctx, p.ID)
		if err != nil {
			return err
		}
		file, err := s.open(j.File)
		if err != nil {
			return err
		}
		defer file.Close()
		judgements, err := report.ReadJudgements(p.Protocol, known, j.Name, filepath.Base(j.File), file)
		if faults, ok := errors.AsType[stats.Faults](err); ok {
			return fmt.Errorf("%w\n%s. Nothing was stored; mend the file and try again", faults, plural(len(faults.List)+faults.More, "fault"))
		}
		if err != nil {
			return err
		}
		if err := db.AddModel(ctx, 0, p, j.Name, judgements); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "What %s said of %s is stored beside people's labels. Next: labelwright report --project %s\n",
			j.Name, plural(len(judgements), "item"), p.Key)
		return nil
	})
}
