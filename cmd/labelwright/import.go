package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type importCommand struct {
	Project  []string `required:"" placeholder:"KEY" help:"Key of the project. Give it several times to fill several projects from one file of RAG records."`
	Preset   string   `enum:",anthropic,argilla,deepeval,huggingface,inspect,label-studio,langfuse,langsmith,mlflow,openai-chat,otel,phoenix,prodigy,promptfoo,ragas" default:"" placeholder:"NAME" help:"The program that wrote the file: anthropic, argilla, deepeval, huggingface, inspect, label-studio, langfuse, langsmith, mlflow, openai-chat (also Responses and batches), otel (OTLP JSON), phoenix, prodigy, promptfoo or ragas. Ids of traces and spans become metadata."`
	Map      []string `sep:"none" placeholder:"COLUMN=PATH" help:"Where a column is in each record, such as answer=output.choices[0].message.content. Columns are the parts, id, record_id, and meta.NAME. Names with commas or dots are in double quotes. A column that is mapped twice makes two items of each record, with one pair_id."`
	Records  string   `placeholder:"PATH" help:"Path of the list of records in a document, such as results.results."`
	GroupBy  string   `placeholder:"PATH" help:"If each row is one message: the column that the messages of one conversation share, such as session."`
	Order    string   `placeholder:"PATH" help:"The column with the number or time of a message, with --group-by. Without it, messages stay in the order of the file."`
	Encoding string   `placeholder:"NAME" help:"Encoding of the text if it is not UTF-8, such as windows-1252, shift_jis or gb18030."`
	File     string   `arg:"" help:"Items: .csv with a header, .jsonl, .json or .parquet, perhaps with .gz; - for standard input."`
	resultFlags
}

const alreadyImportedText = "%s is already imported into this project. Nothing was added.\n"

// importGCPercent makes the garbage collector run twice as often. The ids of a file stay in memory,
// which it would double; PostgreSQL takes longer than the program anyway.
const importGCPercent = 50

// Run imports the items of a file, all or none.
func (i importCommand) Run(c *cli, s streams, ctx runContext) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(importGCPercent)
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) (err error) {
		imports, skipped, err := i.imports(ctx, db)
		if err != nil {
			return err
		}
		file, err := openImportFile(s, i.File)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.close()) }()
		name := filepath.Base(i.File)
		source := postgres.ImportSource{File: postgres.File{Name: name, SHA256: file.sha256}, Content: file, Size: file.size, OnProgress: s.bar.track("Importing", "bytes")}
		counts, err := db.ImportFile(ctx, actor(ctx).ID, source, imports)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			return i.print(s, map[string]any{"imports": []any{}}, alreadyImportedText, name)
		}
		if err != nil {
			return importError(err)
		}
		return i.printResult(s, counts, skipped)
	})
}

// imports returns the projects with how the file is read for each, and the counts of the records
// that it then leaves out.
func (i importCommand) imports(ctx runContext, db *postgres.DB) (imports []postgres.ProjectImport, skipped []map[string]int, err error) {
	for n, key := range i.Project {
		skipped = append(skipped, map[string]int{})
		options, err := i.options(skipped[n])
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(i.Project[:n], key) {
			return nil, nil, usageError{fmt.Errorf("--project %s is given twice", key)}
		}
		p, err := db.Project(ctx, actor(ctx), key)
		if err != nil {
			return nil, nil, err
		}
		imports = append(imports, postgres.ProjectImport{Project: p, Options: options})
	}
	return imports, skipped, nil
}

func (i importCommand) printResult(s streams, counts []int, skipped []map[string]int) error {
	entries, text := make([]map[string]any, len(counts)), ""
	for n, count := range counts {
		key := i.Project[n]
		for _, what := range slices.Sorted(maps.Keys(skipped[n])) {
			fmt.Fprintf(s.err, "Left out for %s: %s (%s).\n", key, what, formatCount(skipped[n][what]))
		}
		entries[n] = map[string]any{"project": key, "items": count}
		text += fmt.Sprintf("Imported %s into %s. Next: labelwright batch open --project %s\n", pluralize(count, "item"), key, key)
	}
	return i.print(s, map[string]any{"imports": entries}, "%s", text)
}

// options returns how the file is read. It counts the records that are left out.
func (i importCommand) options(skipped map[string]int) (importer.Options, error) {
	o, err := importer.Reading{Preset: i.Preset, Mapping: strings.Join(i.Map, "\n"), Encoding: i.Encoding, Records: i.Records, GroupBy: i.GroupBy, Order: i.Order}.Options()
	o.OnSkip = func(_ int, what string) { skipped[what]++ }
	if err != nil {
		return o, usageError{err}
	}
	return o, nil
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
