package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type importCommand struct {
	Project []string `required:"" placeholder:"KEY" help:"Key of the project. Give it several times to fill several projects from one file of RAG records."`
	File    string   `arg:"" help:"Items: a .csv file with a header, or a .jsonl file."`
}

const alreadyImportedText = "%s is already imported into this project. Nothing was added.\n"

// Run imports the items of a file, all or none.
func (i importCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := readImport(s, i.File)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		name := filepath.Base(i.File)
		imports, err := i.readItems(ctx, db, name, content)
		if err != nil {
			return err
		}
		err = db.ImportSeveral(ctx, 0, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, imports)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			fmt.Fprintf(s.out, alreadyImportedText, name)
			return nil
		}
		if err != nil {
			return err
		}
		for _, i := range imports {
			fmt.Fprintf(s.out, "Imported %s into %s. Next: labelwright batch open --project %s\n", pluralize(len(i.Items), "item"), i.Project.Key, i.Project.Key)
		}
		return nil
	})
}

// readItems reads the items that the file has for each project.
func (i importCommand) readItems(ctx runContext, db *postgres.DB, name string, content []byte) (imports []postgres.ProjectImport, err error) {
	for n, key := range i.Project {
		if slices.Contains(i.Project[:n], key) {
			return nil, usageError{fmt.Errorf("--project %s is given twice", key)}
		}
		p, err := db.Project(ctx, operator, key)
		if err != nil {
			return nil, err
		}
		items, err := importer.ReadItems(p.Protocol, name, bytes.NewReader(content))
		if err != nil {
			return nil, importError(err)
		}
		imports = append(imports, postgres.ProjectImport{Project: p, Items: items})
	}
	return imports, nil
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
