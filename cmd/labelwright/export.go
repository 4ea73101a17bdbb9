package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
)

type exportCommand struct {
	Project    string `required:"" help:"Key of the project."`
	Out        string `required:"" placeholder:"DIR" help:"Folder to write to: a new or empty one, or an earlier export, which is replaced."`
	Format     string `enum:"csv,jsonl" default:"csv" help:"File format: csv or jsonl. JSONL is exact; CSV escapes cells that a spreadsheet would execute."`
	Shape      string `enum:"long,wide" default:"long" help:"long: one row per annotation and field. wide: one row per annotation."`
	Consensus  bool   `help:"Include the consensus for each item, and its method."`
	Texts      bool   `help:"Include the texts of the items."`
	Blinded    bool   `help:"Leave out the items' metadata, so that readers do not learn the conditions."`
	ExactTimes bool   `help:"Export submission times to the millisecond instead of the day."`
}

// Run exports one consistent snapshot of the dataset.
func (e exportCommand) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) (err error) {
		p, err := db.Project(ctx, operator, e.Project)
		if err != nil {
			return err
		}
		folder, err := openExportFolder(e.Out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, folder.close()) }()
		options := postgres.ExportOptions{Shape: dataset.Shape(e.Shape), Format: dataset.Format(e.Format), IncludeConsensus: e.Consensus,
			IncludeTexts: e.Texts, Blinded: e.Blinded, ExactTimes: e.ExactTimes}
		m, err := db.Export(ctx, operator.ID, p, options, folder.writeFile)
		if err != nil {
			return err
		}
		if err := folder.replace(); err != nil {
			return err
		}
		for _, f := range m.Files {
			fmt.Fprintf(s.out, "%s: %s.\n", filepath.Join(e.Out, f.Name), describeFile(f))
		}
		return nil
	})
}

// describeFile returns the contents of a file in numbers.
func describeFile(f dataset.ManifestFile) string {
	switch {
	case f.Items > 0:
		return fmt.Sprintf("%s from %s in %s", pluralize(f.Items, "item"), pluralize(f.Annotations, "annotation"), pluralize(f.Rows, "row"))
	case f.Annotations == 0:
		return pluralize(f.Rows, "row")
	}
	return pluralize(f.Annotations, "annotation") + " in " + pluralize(f.Rows, "row")
}
