package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type referenceCommand struct {
	Project string `required:"" help:"Key of the project."`
	File    string `arg:"" help:"Calibration items: a .csv file with a header, or a .jsonl file."`
	resultFlags
}

// Run imports the calibration items of a file, all or none.
func (r referenceCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := readImport(s, r.File)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), r.Project)
		if err != nil {
			return err
		}
		name := filepath.Base(r.File)
		items, err := importer.ReadReferences(p.Protocol, name, bytes.NewReader(content))
		if err != nil {
			return importError(err)
		}
		err = db.ImportReferences(ctx, actor(ctx).ID, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)},
			items)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			return r.print(s, map[string]any{"project": p.Key, "items": 0}, alreadyImportedText, name)
		}
		if err != nil {
			return err
		}
		return r.print(s, map[string]any{"project": p.Key, "items": len(items)},
			"Imported %s into %s. Next: labelwright batch open --project %s\n", pluralize(len(items),
				"calibration item"), p.Key, p.Key)
	})
}
