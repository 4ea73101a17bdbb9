package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/consensus"
	"github.com/labelwright/labelwright/web/api"
)

type exportCommand struct {
	Project    string              `required:"" help:"Key of the project."`
	Out        string              `placeholder:"DIR" help:"Folder to write to: a new or empty one, or an earlier export, which is replaced."`
	Format     string              `enum:"csv,jsonl,parquet," default:"" help:"File format: csv, jsonl or parquet. JSONL and Parquet are exact; CSV escapes cells that a spreadsheet would execute. Default: csv, or parquet for the layout huggingface."`
	Shape      string              `enum:"long,wide" default:"long" help:"long: one row per annotation and field. wide: one row per annotation."`
	Layout     string              `enum:"plain,huggingface,label-studio,langfuse" default:"plain" help:"plain: tables. huggingface: tables for load_dataset, with Croissant metadata. label-studio: tasks as JSON. langfuse: scores of traces."`
	Contents   string              `enum:"raw,consensus,both" default:"raw" help:"raw: the labels of annotators. consensus: one value per item and field. both."`
	Consensus  bool                `help:"Include the consensus for each item, and its method. Same as --contents both."`
	Method     string              `name:"consensus-method" enum:"rule,dawid-skene" default:"rule" help:"Consensus by rule (majority, median, tie rule) or dawid-skene, which adds the probability of each value, and the errors of each annotator."`
	Batches    []string            `name:"batch" sep:"none" placeholder:"NAME" help:"Export the labels of this batch only. Can be repeated."`
	States     []project.ItemState `name:"state" placeholder:"STATE" help:"Export only items in these states: unassigned, in_progress, complete, disagreement, adjudicated, earlier_version, calibration, archived."`
	Texts      bool                `help:"Include the texts of the items."`
	Blinded    bool                `help:"Leave out the items' metadata, and replace their ids, so that readers do not learn the conditions."`
	Key        string              `name:"unblinding-key" placeholder:"FILE" help:"Write the items of the ids in blinded exports to this CSV file, and export nothing else. The audit log records it."`
	Comments   bool                `help:"Include what members wrote about skips, corrections and calibration. It may name someone."`
	Manifest   bool                `name:"print-manifest" help:"Print the manifest as JSON instead of a summary."`
	BOM        bool                `name:"bom" help:"Start CSV files with the byte order mark, by which Excel reads them as UTF-8. Programs such as R and pandas do not need it."`
	ExactTimes bool                `help:"Export exact times instead of days, and active times in milliseconds."`
}

// errFindings says that an export is complete, but its checks found something.
var errFindings = errors.New("the export is complete, but its checks found problems; README.md lists them")

// Run exports one consistent snapshot of the dataset.
func (e exportCommand) Run(c *cli, s streams, ctx runContext) error {
	if (e.Out == "") == (e.Key == "") {
		return usageError{errors.New("name a folder with --out, or a file with --unblinding-key")}
	}
	if e.Key != "" {
		return c.withClient(ctx, func(client *api.Client) error { return e.writeKey(ctx, client, s) })
	}
	if c.Server != "" {
		return c.withClient(ctx, func(client *api.Client) error { return e.download(ctx, client, s) })
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) (err error) {
		p, err := db.Project(ctx, actor(ctx), e.Project)
		if err != nil {
			return err
		}
		folder, err := openExportFolder(e.Out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, folder.close()) }()
		m, err := db.Export(ctx, actor(ctx).ID, p, e.options(s), folder.writeFile)
		if err != nil {
			return err
		}
		if err := folder.replace(); err != nil {
			return err
		}
		return e.printSummary(s, m)
	})
}

func (e exportCommand) options(s streams) postgres.ExportOptions {
	options := postgres.ExportOptions{Shape: dataset.Shape(e.Shape), Format: dataset.Format(e.Format),
		Layout:   dataset.Layout(e.Layout),
		Contents: dataset.Contents(e.Contents), Consensus: consensus.Method(e.Method), Batches: e.Batches,
		States:       e.States,
		IncludeTexts: e.Texts, BOM: e.BOM, Blinded: e.Blinded, Comments: e.Comments, ExactTimes: e.ExactTimes,
		OnProgress: s.bar.track("Exporting", "labels")}
	if e.Consensus && options.Contents == dataset.RawLabels {
		options.Contents = dataset.BothLabels
	}
	if options.Format == "" {
		options.Format = dataset.CSV
		if options.Layout == dataset.HuggingFace {
			options.Format = dataset.Parquet
		}
	}
	return options
}

// printSummary prints the files and what the checks found.
func (e exportCommand) printSummary(s streams, m dataset.Manifest) error {
	if e.Manifest {
		if err := printJSON(s.out, m); err != nil {
			return err
		}
	} else {
		e.printFiles(s, m)
	}
	failed := m.FailedChecks()
	for _, check := range failed {
		fmt.Fprintf(s.err, "Check %s: %s\n", check.Name, check.Detail)
	}
	if len(failed) > 0 {
		return errFindings
	}
	return nil
}

func (e exportCommand) printFiles(s streams, m dataset.Manifest) {
	for _, f := range m.Files {
		fmt.Fprintf(s.out, "%s: %s.\n", filepath.Join(e.Out, f.Name), describeFile(f))
	}
	if len(m.Files) == 0 {
		fmt.Fprintf(s.out, "%s: %s.\n", e.Out, pluralize(len(m.Documents)+1, "file"))
	}
}

func (e exportCommand) writeKey(ctx runContext, client *api.Client, s streams) (err error) {
	key, err := api.DownloadUnblindingKey.Open(ctx, client, projectPath(e.Project))
	if err != nil {
		return err
	}
	defer key.Close()
	file, err := os.OpenFile(e.Key, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("create the file of --unblinding-key: %w", err)
	}
	_, err = io.Copy(file, key)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(e.Key))
	}
	fmt.Fprintf(s.out, "%s: the unblinding key of %s. Keep it apart from blinded exports.\n", e.Key, e.Project)
	return nil
}

// describeFile returns the contents of a file in numbers.
func describeFile(f dataset.ManifestFile) string {
	switch {
	case f.Items > 0:
		return fmt.Sprintf("%s from %s in %s", pluralize(f.Items, "item"), pluralize(f.Annotations, "annotation"),
			pluralize(f.Rows, "row"))
	case f.Annotations == 0:
		return pluralize(f.Rows, "row")
	}
	return pluralize(f.Annotations, "annotation") + " in " + pluralize(f.Rows, "row")
}
