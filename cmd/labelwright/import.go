package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/api"
)

type importCommand struct {
	Project  []string `required:"" placeholder:"KEY" help:"Key of the project. Give it several times to fill several projects from one file of RAG records."`
	Preset   string   `enum:",anthropic,argilla,deepeval,huggingface,inspect,label-studio,langfuse,langsmith,mlflow,openai-chat,otel,phoenix,prodigy,promptfoo,ragas" default:"" placeholder:"NAME" help:"The program that wrote the file: anthropic, argilla, deepeval, huggingface, inspect, label-studio, langfuse, langsmith, mlflow, openai-chat (also Responses and batches), otel (OTLP JSON), phoenix, prodigy, promptfoo or ragas. Ids of traces and spans become metadata."`
	Map      []string `sep:"none" placeholder:"COLUMN=PATH" help:"Where a column is in each record, such as answer=output.choices[0].message.content. Columns are the parts, id, record_id, and meta.NAME. Names with commas or dots are in double quotes. A column that is mapped twice makes two items of each record, with one pair_id."`
	Records  string   `placeholder:"PATH" help:"Path of the list of records in a document, such as results.results."`
	GroupBy  string   `placeholder:"PATH" help:"If each row is one message: the column that the messages of one conversation share, such as session."`
	Order    string   `placeholder:"PATH" help:"The column with the number or time of a message, with --group-by. Without it, messages stay in the order of the file."`
	Encoding string   `placeholder:"NAME" help:"Encoding of the text if it is not UTF-8, such as windows-1252, shift_jis or gb18030."`
	Take     string   `enum:",last,each" default:"" placeholder:"CHOICE" help:"If the protocol shows one answer and a record has several turns or completions: last (the usual choice), or each as an item of its own."`

	SkipInvalid string `placeholder:"FILE" help:"Leave out rows with errors, and write them with their reasons to this file (JSONL)."`
	File        string `arg:"" help:"Items: .csv with a header, .jsonl, .json or .parquet, perhaps with .gz; - for standard input."`
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
	if c.Server != "" {
		return i.send(c, s, ctx)
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) (err error) {
		invalid, err := i.openInvalid()
		if err != nil {
			return err
		}
		isImported := false
		defer func() { err = errors.Join(err, invalid.close(isImported)) }()
		imports, err := i.imports(ctx, db, invalid)
		if err != nil {
			return err
		}
		file, err := openImportFile(s, i.File)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.close()) }()
		name := filepath.Base(i.File)
		source := postgres.ImportSource{File: postgres.File{Name: name, SHA256: file.sha256}, Content: file,
			Size: file.size, OnProgress: s.bar.track("Importing", "bytes")}
		counts, err := db.ImportFile(ctx, actor(ctx).ID, source, imports)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			return i.print(s, map[string]any{"imports": []any{}}, alreadyImportedText, name)
		}
		if err != nil {
			return importError(err)
		}
		isImported = true
		return i.printResult(ctx, db, s, imports, counts)
	})
}

// send imports the file on a server.
func (i importCommand) send(c *cli, s streams, ctx runContext) error {
	if len(i.Project) > 1 || i.SkipInvalid != "" {
		return usageError{errors.New("several --project, and --skip-invalid, need a database: a server imports into one project, all rows or none")}
	}
	file, err := openImportFile(s, i.File)
	if err != nil {
		return err
	}
	name := filepath.Base(i.File)
	err = c.withClient(ctx, func(client *api.Client) error {
		result, err := api.ImportItems.Send(ctx, client, api.ImportInput{
			ProjectPath: projectPath(i.Project[0]), FileParams: api.FileParams{File: name},
			Preset: i.Preset, Map: i.Map, ReadingParams: api.ReadingParams{Encoding: i.Encoding, Records: i.Records,
				GroupBy: i.GroupBy, Order: i.Order, Take: i.Take}}, api.AnyFile, file)
		if err != nil {
			return importError(withRows(err, name))
		}
		if result.AlreadyImported {
			return i.show(s, result, alreadyImportedText, name)
		}
		return i.show(s, result, "Imported %s into %s.\n%s", pluralize(result.Items, "item"), i.Project[0],
			ledgerText(*result.Ledger))
	})
	return errors.Join(err, file.close())
}

// imports returns the projects with how the file is read for each. Rows that are left out go to invalid.
func (i importCommand) imports(ctx runContext, db *postgres.DB, invalid *invalidFile) (imports []postgres.ProjectImport,
	err error) {
	for n, key := range i.Project {
		options, err := i.reading().Options()
		if err != nil {
			return nil, usageError{err}
		}
		options.Ledger = importer.NewLedger()
		if n == 0 {
			options.OnInvalid = invalid.add
		}
		if slices.Contains(i.Project[:n], key) {
			return nil, usageError{fmt.Errorf("--project %s is given twice", key)}
		}
		p, err := db.Project(ctx, actor(ctx), key)
		if err != nil {
			return nil, err
		}
		imports = append(imports, postgres.ProjectImport{Project: p, Options: options})
	}
	return imports, nil
}

func (i importCommand) reading() importer.Reading {
	return importer.Reading{
		Preset: i.Preset, Mapping: strings.Join(i.Map, "\n"), Take: i.Take, Encoding: i.Encoding,
		Records: i.Records, GroupBy: i.GroupBy, Order: i.Order, SkipInvalid: i.SkipInvalid != "",
	}
}

// printResult prints what became of the file, and what is next.
func (i importCommand) printResult(ctx runContext, db *postgres.DB, s streams, imports []postgres.ProjectImport,
	counts []int) error {
	entries, text := make([]map[string]any, len(counts)), ""
	for n, count := range counts {
		p, ledger := imports[n].Project, *imports[n].Options.Ledger
		text += fmt.Sprintf("Imported %s into %s.\n", pluralize(count, "item"), p.Key) + ledgerText(ledger)
		if ledger.Invalid > 0 {
			text += fmt.Sprintf("Left out %s with errors. They are in %s, with the reasons.\n",
				pluralize(ledger.Invalid, "row"), i.SkipInvalid)
		}
		text += remarksText(imports[n])
		next, err := nextStep(ctx, db, p)
		if err != nil {
			return err
		}
		text += "Next: " + next + "\n"
		entries[n] = map[string]any{"project": p.Key, "items": count, "ledger": ledger, "next": next,
			"same_texts": imports[n].SameTexts, "decomposed": imports[n].Decomposed}
	}
	return i.print(s, map[string]any{"imports": entries}, "%s", text)
}

// remarksText names items that may be in the project twice.
func remarksText(i postgres.ProjectImport) (text string) {
	if n := i.SameTexts; n > 0 {
		text += fmt.Sprintf("Note: %s the same texts as items that were here under other ids.\n",
			pluralize(n, "item")+map[bool]string{true: " has", false: " have"}[n == 1])
	}
	if n := i.Decomposed; n > 0 {
		text += fmt.Sprintf("Note: %s letters that are written as several characters, such as e and an accent. Ids that look the same can differ.\n",
			pluralize(n, "item")+map[bool]string{true: " has", false: " have"}[n == 1])
	}
	return text
}

// ledgerText says what became of the values of a file that are not shown.
func ledgerText(l importer.Ledger) string {
	text := ""
	if keys := l.WithMetadata(); len(keys) > 0 {
		text += "Stored as metadata, which annotators do not see: " + strings.Join(keys, ", ") + ".\n"
	}
	if lines := l.Text(); lines != "" {
		text += lines + "\n"
	}
	if keys := l.WithLeftOut(); len(keys) > 0 {
		text += "Not stored, in part: " + strings.Join(keys, ", ") + ".\n"
	}
	return text
}

// nextStep returns the command that a project needs before people can label.
func nextStep(ctx runContext, db *postgres.DB, p project.Project) (string, error) {
	members, err := db.Members(ctx, p.ID)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(members, func(m postgres.Member) bool { return m.Role == account.Annotator }) {
		return "labelwright member add --project " + p.Key + " --email ADDRESS --name NAME --role annotator", nil
	}
	ready, err := db.CountReferences(ctx, p)
	if needed := p.Protocol.Plan.CalibrationItems; err == nil && ready < needed {
		return fmt.Sprintf("labelwright reference --project %s FILE (%d of %d calibration items), then labelwright batch open --project %s", p.Key, ready, needed, p.Key), nil
	}
	return "labelwright batch open --project " + p.Key, err
}

// importError adds what an import of a file with errors needs.
func importError(err error) error {
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok && fileErrors.IsWrongOption() {
		return usageError{err}
	}
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
