package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
)

type exportCommand struct {
	Project    string `required:"" help:"Key of the project."`
	Out        string `required:"" placeholder:"DIR" help:"Folder to write to. It is created if it does not exist."`
	Format     string `enum:"csv,jsonl" default:"csv" help:"File format: csv or jsonl. JSONL is exact; CSV escapes cells that a spreadsheet would execute."`
	Shape      string `enum:"long,wide" default:"long" help:"long: one row per annotation and field. wide: one row per annotation."`
	Consensus  bool   `help:"Include the consensus for each item, and its method."`
	Texts      bool   `help:"Include the texts of the items."`
	Blinded    bool   `help:"Leave out the items' metadata, so that readers do not learn the conditions."`
	ExactTimes bool   `help:"Export submission times to the millisecond instead of the day."`
}

// Run exports one consistent snapshot of the dataset.
func (e exportCommand) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, e.Project)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(e.Out, 0o750); err != nil {
			return fmt.Errorf("create the folder: %w", err)
		}
		options := postgres.ExportOptions{Shape: dataset.Shape(e.Shape), Format: dataset.Format(e.Format), IncludeConsensus: e.Consensus,
			IncludeTexts: e.Texts, Blinded: e.Blinded, ExactTimes: e.ExactTimes}
		m, err := db.Export(ctx, operator.ID, p, options, e.writeFile)
		if err != nil {
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

// writeFile writes a temporary file and renames it when it is complete.
func (e exportCommand) writeFile(name string, content func(io.Writer) error) (err error) {
	path := filepath.Join(e.Out, name)
	file, err := os.CreateTemp(e.Out, ".labelwright-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if err := content(file); err != nil {
		_ = file.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(file.Name(), path)
}
