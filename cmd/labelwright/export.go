package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sheet"
)

type exportCommand struct {
	Project string `required:"" help:"The project's key."`
	Out     string `required:"" placeholder:"DIR" help:"The folder to write to; made where it is missing."`
	Format  string `enum:"csv,jsonl" default:"csv" help:"csv or jsonl. JSONL is exact; CSV escapes what a spreadsheet would run."`
	Shape   string `enum:"long,wide" default:"long" help:"long: a row per annotation and field. wide: a row per annotation."`
	Texts   bool   `help:"With what annotators read."`
	Sealed  bool   `help:"Without the items' metadata, so that conditions stay sealed."`
	Exact   bool   `help:"Submission times to the millisecond, instead of the day."`
}

// Run writes the annotations, those of hidden duplicates apart, a codebook and
// a manifest, all from one moment.
func (e exportCommand) Run(c *cli, s streams, ctx bound) error {
	return c.with(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, e.Project)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(e.Out, 0o750); err != nil {
			return fmt.Errorf("make the folder: %w", err)
		}
		m := sheet.Manifest{Tool: "labelwright " + version(), Written: time.Now().UTC().Truncate(time.Second),
			Project: p.Key, Protocol: p.Protocol.Name(), Definition: p.Protocol.Source}
		err = db.Snapshot(ctx, p, func(snapshot postgres.Snapshot) error {
			m.Files, err = e.files(ctx, p, snapshot)
			return err
		})
		if err != nil {
			return err
		}
		if err := e.beside(p, m); err != nil {
			return err
		}
		for _, f := range m.Files {
			fmt.Fprintf(s.out, "%s: %s in %s.\n", filepath.Join(e.Out, f.Name), plural(f.Annotations, "annotation"), plural(f.Rows, "row"))
		}
		return nil
	})
}

// files writes one file per kind of annotation that there is.
func (e exportCommand) files(ctx bound, p project.Project, snapshot postgres.Snapshot) (files []sheet.File, err error) {
	o := sheet.Options{Shape: sheet.Shape(e.Shape), Format: sheet.Format(e.Format), Texts: e.Texts, Exact: e.Exact}
	if !e.Sealed {
		if o.Meta, err = snapshot.MetaKeys(ctx); err != nil {
			return nil, err
		}
	}
	names := map[postgres.Kind]string{postgres.Work: "annotations", postgres.Duplicate: "duplicates", postgres.Calibration: "calibration"}
	for _, kind := range []postgres.Kind{postgres.Work, postgres.Duplicate, postgres.Calibration} {
		n, err := snapshot.Count(ctx, kind)
		if err != nil {
			return nil, err
		}
		if n == 0 && kind != postgres.Work {
			continue
		}
		name := names[kind] + "." + e.Format
		var sum sheet.Summary
		err = write(filepath.Join(e.Out, name), func(w io.Writer) error {
			sum, err = sheet.Write(w, p.Protocol, o, snapshot.Annotations(ctx, kind))
			return err
		})
		if err != nil {
			return nil, err
		}
		files = append(files, sheet.FileOf(name, p.Protocol, o, sum))
	}
	return files, nil
}

// beside writes what goes with the annotations.
func (e exportCommand) beside(p project.Project, m sheet.Manifest) error {
	err := write(filepath.Join(e.Out, "codebook.csv"), func(w io.Writer) error { return sheet.WriteCodebook(w, p.Protocol) })
	if err != nil {
		return err
	}
	return write(filepath.Join(e.Out, "manifest.json"), func(w io.Writer) error { return sheet.WriteManifest(w, m) })
}

// write makes a file whole or not at all: it has its name only once it is
// written.
func write(path string, content func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".labelwright-*")
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

// version returns the module's version as it was built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
