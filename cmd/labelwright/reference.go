package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type referenceCommand struct {
	Project string `required:"" help:"The project's key."`
	File    string `arg:"" help:"The items: a .csv with a header, or a .jsonl. Beside its own columns each item has its reference answers and a word on why."`
}

// Run stores the calibration items of a file, all or none.
func (r referenceCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := importCommand{File: r.File}.readFile(s)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, r.Project)
		if err != nil {
			return err
		}
		name := filepath.Base(r.File)
		items, err := importer.ReadReferences(p.Protocol, name, bytes.NewReader(content))
		if err != nil {
			return importError(err)
		}
		err = db.ImportReferences(ctx, 0, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, items)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			fmt.Fprintf(s.out, "%s is in the project already. Nothing was added.\n", name)
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s of calibration in %s, each with its reference. `labelwright batch open` takes them into a batch.\n", pluralize(len(items), "item"), p.Key)
		return nil
	})
}
