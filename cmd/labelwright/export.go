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
	Project    string `required:"" help:"The project's key."`
	Out        string `required:"" placeholder:"DIR" help:"The folder to write to; made where it is missing."`
	Format     string `enum:"csv,jsonl" default:"csv" help:"csv or jsonl. JSONL is exact; CSV escapes what a spreadsheet would run."`
	Shape      string `enum:"long,wide" default:"long" help:"long: a row per annotation and field. wide: a row per annotation."`
	Consensus  bool   `help:"With one answer for each item too, and where it comes from."`
	Texts      bool   `help:"With what annotators read."`
	Blinded    bool   `help:"Without the items' metadata, so that conditions stay sealed."`
	ExactTimes bool   `help:"Submission times to the millisecond, instead of the day."`
}

// Run writes the annotations, those of hidden duplicates and of calibration
// apart, with a codebook, a card and a manifest, all from one moment.
func (e exportCommand) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, e.Project)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(e.Out, 0o750); err != nil {
			return fmt.Errorf("make the folder: %w", err)
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

// describeFile says how much is in a file.
func describeFile(f dataset.ManifestFile) string {
	switch {
	case f.Items > 0:
		return fmt.Sprintf("%s, made of %s, in %s", pluralize(f.Items, "item"), pluralize(f.Annotations, "annotation"), pluralize(f.Rows, "row"))
	case f.Annotations == 0:
		return pluralize(f.Rows, "row")
	}
	return pluralize(f.Annotations, "annotation") + " in " + pluralize(f.Rows, "row")
}

// writeFile makes a file whole or not at all: it has its name only once it is
// written.
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
