package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type importCommand struct {
	Project []string `required:"" placeholder:"KEY" help:"Key of the project. Give it several times to fill several projects from one file of RAG records."`
	Preset  string   `enum:",argilla,huggingface,inspect,label-studio,langfuse,langsmith,openai-chat,otel,phoenix,prodigy" default:"" placeholder:"NAME" help:"The program that wrote the file: argilla, huggingface, inspect, label-studio, langfuse, langsmith, openai-chat, otel (OTLP JSON), phoenix or prodigy. Ids of traces and spans become metadata."`
	Map     []string `placeholder:"COLUMN=PATH" help:"Where a column is in each record, such as answer=output.choices[0].message.content. Columns are the parts, id, record_id, and meta.NAME."`
	File    string   `arg:"" help:"Items: .csv with a header, .jsonl, .json or .parquet, perhaps with .gz; - for standard input."`
	resultFlags
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
		imports, err := i.readItems(ctx, s, db, name, content)
		if err != nil {
			return err
		}
		err = db.ImportSeveral(ctx, actor(ctx).ID, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, imports)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			return i.print(s, map[string]any{"imports": []any{}}, alreadyImportedText, name)
		}
		if err != nil {
			return err
		}
		entries, text := make([]map[string]any, len(imports)), ""
		for n, done := range imports {
			entries[n] = map[string]any{"project": done.Project.Key, "items": len(done.Items)}
			text += fmt.Sprintf("Imported %s into %s. Next: labelwright batch open --project %s\n", pluralize(len(done.Items), "item"), done.Project.Key, done.Project.Key)
		}
		return i.print(s, map[string]any{"imports": entries}, "%s", text)
	})
}

// readItems reads the items that the file has for each project.
func (i importCommand) readItems(ctx runContext, s streams, db *postgres.DB, name string, content []byte) (imports []postgres.ProjectImport, err error) {
	for n, key := range i.Project {
		skipped := map[string]int{}
		options, err := i.options(skipped)
		if err != nil {
			return nil, err
		}
		if slices.Contains(i.Project[:n], key) {
			return nil, usageError{fmt.Errorf("--project %s is given twice", key)}
		}
		p, err := db.Project(ctx, actor(ctx), key)
		if err != nil {
			return nil, err
		}
		items, err := options.ReadItems(p.Protocol, name, bytes.NewReader(content))
		if err != nil {
			return nil, importError(err)
		}
		imports = append(imports, postgres.ProjectImport{Project: p, Items: items})
		for _, what := range slices.Sorted(maps.Keys(skipped)) {
			fmt.Fprintf(s.err, "Left out for %s: %s (%s).\n", key, what, formatCount(skipped[what]))
		}
	}
	return imports, nil
}

// options returns how the file is read. It counts the records that are left out.
func (i importCommand) options(skipped map[string]int) (importer.Options, error) {
	o, err := importer.ParseOptions(i.Preset, strings.Join(i.Map, ","))
	o.OnSkip = func(_ int, what string) { skipped[what]++ }
	if err != nil {
		return o, usageError{err}
	}
	return o, nil
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
