package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type importCommand struct {
	Project string `required:"" help:"Key of the project."`
	File    string `arg:"" help:"Items: a .csv file with a header, or a .jsonl file."`
}

const alreadyImportedText = "%s is already imported into this project. Nothing was added.\n"

// Run imports the items of a file, all or none.
func (i importCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := readImport(s, i.File)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, i.Project)
		if err != nil {
			return err
		}
		name := filepath.Base(i.File)
		items, err := importer.ReadItems(p.Protocol, name, bytes.NewReader(content))
		if err != nil {
			return importError(err)
		}
		err = db.Import(ctx, 0, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, items)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			fmt.Fprintf(s.out, alreadyImportedText, name)
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Imported %s into %s. Next: labelwright batch open --project %s\n", pluralize(len(items), "item"), p.Key, p.Key)
		return nil
	})
}

// readImport reads a file up to one byte above the limit, so that the importer reports a larger one.
func readImport(s streams, path string) ([]byte, error) {
	file, err := s.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, importer.FileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return content, nil
}

// importError adds what an import of a file with errors needs.
func importError(err error) error {
	return adviseOnFile(err, "Nothing was imported. Fix the file and import it again")
}

// adviseOnFile adds the number of errors in a file, and what to do.
func adviseOnFile(err error, advice string) error {
	fileErrs, ok := errors.AsType[importer.FileErrors](err)
	if !ok {
		return err
	}
	count := ""
	if len(fileErrs) <= importer.ErrorLimit { // else the last line states how many more there are
		count = pluralize(len(fileErrs), "error") + ". "
	}
	return fmt.Errorf("%w\n%s%s", fileErrs, count, advice)
}
