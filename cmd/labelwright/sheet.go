package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/api"
)

type sheetCommand struct {
	Out sheetOut `cmd:"" help:"Write the sheets of an annotator."`
	In  sheetIn  `cmd:"" help:"Submit a filled annotation sheet."`
}

// sheetFlags name the annotator of a sheet.
type sheetFlags struct {
	Project   string `required:"" help:"Key of the project."`
	Batch     string `required:"" help:"Name of the batch, which is planned."`
	Annotator string `required:"" help:"Address or pseudonym of the annotator."`
	resultFlags
}

func (f sheetFlags) path() api.SheetPath {
	return api.SheetPath{BatchPath: batchPath(f.Project, f.Batch), Member: f.Annotator}
}

type sheetOut struct {
	sheetFlags
	Out string `required:"" placeholder:"DIR" help:"Folder to write to."`
}

// Run writes the context sheet and the annotation sheet.
func (o sheetOut) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		sheet, err := api.CreateSheet.Call(ctx, client, o.path())
		if err != nil {
			return err
		}
		if err := writeSheet(o.Out, sheet); err != nil {
			return err
		}
		more := ""
		if sheet.Remaining > 0 {
			more = "More items wait: make the next sheet after this one is submitted.\n"
		}
		return o.show(s, sheet, "Wrote %s for %s to %s. Next: fill in %s, then labelwright sheet in\n%s",
			pluralize(sheet.Rows, "row"), sheet.Annotator, o.Out, sheet.Annotations.Name, more)
	})
}

// writeSheet writes the files of a sheet. It never replaces a file with other content, which
// may be a filled sheet.
func writeSheet(dir string, sheet api.Sheet) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, f := range []api.SheetFile{sheet.Annotations, sheet.Context, sheet.ContextLines} {
		path := filepath.Join(dir, filepath.Base(f.Name))
		existing, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = os.WriteFile(path, []byte(f.Content), 0o600)
		case err == nil && string(existing) != f.Content:
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
	DryRun bool   `help:"Check the sheet like a submitted one, and store nothing."`
	File   string `arg:"" help:"Filled annotation sheet: a .csv file; - for standard input."`
}

// Run submits an annotation sheet, all rows or none.
func (i sheetIn) Run(c *cli, s streams, ctx runContext) error {
	file, err := readRows(s, i.File)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		result, err := api.SubmitSheet.Send(ctx, client, api.SheetInput{SheetPath: i.path(), DryRun: i.DryRun},
			"text/csv", file)
		if err != nil {
			return adviseOnFile(withRows(err, file.name), "Nothing was stored. Fix the sheet and submit it again")
		}
		return i.show(s, result, "%s\n", describeSheetResult(result, i.DryRun))
	})
}

func describeSheetResult(r api.SheetResult, isTrial bool) string {
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
