package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/sheet"
)

type exportCommand struct {
	Project   string `required:"" help:"The project's key."`
	Out       string `required:"" placeholder:"DIR" help:"The folder to write to; made where it is missing."`
	Format    string `enum:"csv,jsonl" default:"csv" help:"csv or jsonl. JSONL is exact; CSV escapes what a spreadsheet would run."`
	Shape     string `enum:"long,wide" default:"long" help:"long: a row per annotation and field. wide: a row per annotation."`
	Consensus bool   `help:"With one answer for each item too, and where it comes from."`
	Texts     bool   `help:"With what annotators read."`
	Sealed    bool   `help:"Without the items' metadata, so that conditions stay sealed."`
	Exact     bool   `help:"Submission times to the millisecond, instead of the day."`
}

// Run writes the annotations, those of hidden duplicates and of calibration
// apart, with a codebook, a card and a manifest, all from one moment.
func (e exportCommand) Run(c *cli, s streams, ctx bound) error {
	return c.with(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, e.Project)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(e.Out, 0o750); err != nil {
			return fmt.Errorf("make the folder: %w", err)
		}
		x := postgres.Export{Shape: sheet.Shape(e.Shape), Format: sheet.Format(e.Format), Consensus: e.Consensus,
			Texts: e.Texts, Sealed: e.Sealed, Exact: e.Exact}
		m, err := db.Export(ctx, operator.ID, p, x, e.put)
		if err != nil {
			return err
		}
		for _, f := range m.Files {
			fmt.Fprintf(s.out, "%s: %s.\n", filepath.Join(e.Out, f.Name), holds(f))
		}
		return nil
	})
}

// holds says how much is in a file.
func holds(f sheet.File) string {
	switch {
	case f.Items > 0:
		return fmt.Sprintf("%s, made of %s, in %s", plural(f.Items, "item"), plural(f.Annotations, "annotation"), plural(f.Rows, "row"))
	case f.Annotations == 0:
		return plural(f.Rows, "row")
	}
	return plural(f.Annotations, "annotation") + " in " + plural(f.Rows, "row")
}

// put makes a file whole or not at all: it has its name only once it is
// written.
func (e exportCommand) put(name string, content func(io.Writer) error) (err error) {
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
