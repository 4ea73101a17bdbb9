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
	Project string `required:"" help:"Key of the project."`
	File    string `arg:"" help:"Calibration items: a .csv file with a header, or a .jsonl file."`
}

// Run imports the calibration items of a file, all or none.
func (r referenceCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := readImport(s, r.File)
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
			fmt.Fprintf(s.out, alreadyImportedText, name)
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Imported %s into %s. Next: labelwright batch open --project %s\n", pluralize(len(items), "calibration item"), p.Key, p.Key)
		return nil
	})
}
