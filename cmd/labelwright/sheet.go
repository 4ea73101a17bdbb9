package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/protocol"
)

type sheetCommand struct {
	Out sheetOut `cmd:"" help:"Write the sheets of an annotator."`
	In  sheetIn  `cmd:"" help:"Submit a filled annotation sheet."`
}

type sheetFlags struct {
	Project   string `required:"" help:"Key of the project."`
	Batch     string `required:"" help:"Name of the batch, which is planned."`
	Annotator string `required:"" help:"Address or pseudonym of the annotator."`
	Dir       string `required:"" placeholder:"DIR" help:"Folder of the sheets."`
	resultFlags
}

type sheetOut struct{ sheetFlags }

// Run writes the context sheet and the annotation sheet.
func (o sheetOut) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), o.Project)
		if err != nil {
			return err
		}
		owner, err := db.SheetOwner(ctx, actor(ctx).ID, p, o.Batch, o.Annotator)
		if err != nil {
			return err
		}
		sheet, err := db.CreateSheet(ctx, actor(ctx).ID, owner.BatchID, owner.AccountID)
		if err != nil {
			return err
		}
		if err := writeSheet(o.Dir, sheet); err != nil {
			return err
		}
		context, contextJSONL, annotations := sheet.FileNames()
		more := ""
		if sheet.Remaining > 0 {
			more = "More items wait: make the next sheet after this one is submitted.\n"
		}
		return o.print(s, map[string]any{"annotator": sheet.Annotator, "rows": len(sheet.Rows),
			"remaining": sheet.Remaining, "context": context, "context_jsonl": contextJSONL,
			"annotations": annotations},
			"Wrote %s for %s to %s. Next: fill in %s, then labelwright sheet in\n%s", pluralize(len(sheet.Rows), "row"),
			sheet.Annotator, o.Dir, annotations, more)
	})
}

// writeSheet writes the files of a sheet. It never replaces a file with other content, which
// may be a filled sheet.
func writeSheet(dir string, sheet dataset.Sheet) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	context, contextJSONL, annotations := sheet.FileNames()
	files := []struct {
		name  string
		write func(io.Writer) error
	}{{annotations, sheet.WriteAnnotations}, {context, sheet.WriteContext}, {contextJSONL, sheet.WriteContextJSONL}}
	for _, f := range files {
		var content bytes.Buffer
		if err := f.write(&content); err != nil {
			return err
		}
		path := filepath.Join(dir, f.name)
		existing, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = os.WriteFile(path, content.Bytes(), 0o600)
		case err == nil && !bytes.Equal(existing, content.Bytes()):
			err = fmt.Errorf("%s exists with other content, perhaps answers. Choose another folder, or move it", path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type sheetIn struct {
	sheetFlags
	DryRun bool `help:"Check the sheet like a submitted one, and store nothing."`
}

// Run submits the annotation sheet of the folder, all rows or none.
func (i sheetIn) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), i.Project)
		if err != nil {
			return err
		}
		owner, err := db.SheetOwner(ctx, actor(ctx).ID, p, i.Batch, i.Annotator)
		if err != nil {
			return err
		}
		_, _, name := dataset.Sheet{Project: p.Key, Batch: owner.BatchID, Annotator: owner.Pseudonym}.FileNames()
		file, err := os.Open(filepath.Join(i.Dir, name))
		if err != nil {
			return fmt.Errorf("open the annotation sheet, which keeps the name that it was made with: %w", err)
		}
		defer file.Close()
		result, err := db.SubmitSheet(ctx, actor(ctx).ID, owner.BatchID, owner.AccountID, postgres.SheetFile{Name: name,
			Content: file, IsTrial: i.DryRun})
		if err != nil {
			return adviseOnFile(err, "Nothing was stored. Fix the sheet and submit it again")
		}
		return i.print(s, map[string]any{"annotator": owner.Pseudonym, "submitted": result.Submitted,
			"unchanged": result.Unchanged, "stored": !i.DryRun}, "%s\n", describeSheetResult(result, i.DryRun))
	})
}

func describeSheetResult(r postgres.SheetResult, isTrial bool) string {
	unchanged := ""
	if r.Unchanged > 0 {
		unchanged = fmt.Sprintf(" Submitted before with the same answers: %s.", pluralize(r.Unchanged, "row"))
	}
	switch {
	case r.Submitted == 0:
		return "Nothing changed." + unchanged
	case isTrial:
		return fmt.Sprintf("The sheet is valid: %s would be submitted. Nothing was stored.", pluralize(r.Submitted,
			"row")) + unchanged
	}
	return fmt.Sprintf("Submitted %s.", pluralize(r.Submitted, "row")) + unchanged
}

type checkCommand struct {
	Protocol string `required:"" placeholder:"KEY" help:"Key of a built-in protocol, or a file with a definition."`
	File     string `arg:"" help:"Annotation sheet: a .csv file; - for standard input."`
	resultFlags
}

// Run judges a sheet by its protocol alone.
func (k checkCommand) Run(s streams) error {
	p, err := k.protocol(s)
	if err != nil {
		return err
	}
	file, err := s.open(k.File)
	if err != nil {
		return err
	}
	defer file.Close()
	name := filepath.Base(k.File)
	answers, err := importer.ReadSheet(p, nil, name, file)
	if err != nil {
		return adviseOnFile(err, "Fix the sheet and check it again")
	}
	return k.print(s, map[string]any{"protocol": fmt.Sprintf("%s@%d", p.Key, p.Version), "rows": len(answers)},
		"%s: complete and valid by %s, %s.\n", name, p.Name(), pluralize(len(answers), "row"))
}

// protocol returns the built-in protocol of a key, or the one that a file defines.
func (k checkCommand) protocol(s streams) (protocol.Protocol, error) {
	var keys []string
	for _, p := range protocol.Builtin() {
		if p.Key == k.Protocol {
			return p, nil
		}
		keys = append(keys, p.Key)
	}
	p, err := readProtocol(s, k.Protocol)
	if errors.Is(err, fs.ErrNotExist) {
		err = usageError{fmt.Errorf("--protocol %s is neither a built-in protocol (%s) nor a file", k.Protocol,
			strings.Join(keys, ", "))}
	}
	return p, err
}
