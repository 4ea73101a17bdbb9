package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/fromexport"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/api"
)

type reportCommand struct {
	Project   string `xor:"source" help:"Key of the project."`
	From      string `xor:"source" placeholder:"DIR" help:"Folder of an export with labels, instead of a project: no database is needed."`
	Batch     string `help:"Name of a batch. Default: all batches."`
	By        string `placeholder:"COLUMN" help:"Metadata column to compare by. Default: one whose name suggests a condition."`
	TopK      int    `name:"k" help:"Count only the first K chunks of a query. Default: all."`
	Resamples int    `default:"1000" help:"Number of resamples per interval."`
	epsilonFlag
	Seed   uint64 `default:"1" help:"Seed of the resamples."`
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// The defaults of --resamples and --seed, which a server always uses.
const (
	defaultResamples = 1000
	defaultSeed      = 1
)

// reportMemoryLimit keeps a report of a million labels of five fields within 400 MiB.
const reportMemoryLimit = 330 << 20

// setMemoryLimit sets the soft memory limit, unless GOMEMLIMIT has set one.
func setMemoryLimit(limit int64) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
	}
}

// limitTexts say what a report of an export leaves out.
var limitTexts = map[fromexport.Limit]string{
	fromexport.Blinded: "The export is blinded: there is no comparison, and items have other ids.",
	fromexport.RoundedTimes: "The export has days, and active times in steps of 5 seconds: figures of time are rounded, " +
		"and the order of groups is not known. Export with --exact-times for these.",
}

// Run prints the report of a project, or of an export.
func (c reportCommand) Run(cl *cli, s streams, ctx runContext) error {
	if c.Project == "" && c.From == "" {
		return usageError{errors.New("name a project with --project, or the folder of an export with --from")}
	}
	if err := checkResamples(c.Resamples); err != nil {
		return err
	}
	if err := c.checkEpsilon(); err != nil {
		return err
	}
	if c.TopK < 0 {
		return usageError{fmt.Errorf("--k %d is out of range: use the number of chunks of a query to count, such as 5, or leave out --k to count all", c.TopK)}
	}
	setMemoryLimit(reportMemoryLimit)
	if c.From != "" {
		data, limits, err := fromexport.Read(os.DirFS(c.From), c.Batch)
		if err != nil {
			return fmt.Errorf("read the export %s: %w", c.From, err)
		}
		for _, limit := range limits {
			fmt.Fprintln(s.err, limitTexts[limit])
		}
		return c.print(s, data)
	}
	if cl.Server != "" {
		return c.printFromServer(cl, s, ctx)
	}
	return cl.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), c.Project)
		if err != nil {
			return err
		}
		data, err := db.ReportData(ctx, actor(ctx).ID, p, c.Batch)
		if err != nil {
			return err
		}
		return c.print(s, data)
	})
}

// printFromServer prints the report that a server computes, with the resamples and the seed of its
// pages.
func (c reportCommand) printFromServer(cl *cli, s streams, ctx runContext) error {
	if c.TopK != 0 || c.Resamples != defaultResamples || c.Seed != defaultSeed {
		return usageError{errors.New("--k, --resamples and --seed are for a database or an export. Leave them out with --server")}
	}
	r, err := readServerReport(cl, ctx, api.ReportInput{ProjectPath: projectPath(c.Project),
		Batch: c.Batch, Epsilon: c.Epsilon, By: c.By})
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return r.WriteJSON(s.out)
	}
	return prose.Writer{Locale: locale.English}.WriteReport(s.out, r)
}

// readServerReport returns a report of a server, when it is computed.
func readServerReport(cl *cli, ctx runContext, in api.ReportInput) (r report.Report, err error) {
	err = cl.withClient(ctx, func(client *api.Client) error {
		file, err := api.ShowReport.Open(ctx, client, in)
		if err != nil {
			return err
		}
		defer file.Close()
		text, err := io.ReadAll(file)
		if err != nil {
			return fmt.Errorf("read the report: %w", err)
		}
		r, err = report.ReadJSON(text)
		return err
	})
	return r, err
}

func (c reportCommand) print(s streams, data study.Data) error {
	r, err := report.Build(data, report.BuildOptions{Resamples: c.Resamples, Seed: c.Seed, Column: c.By, TopK: c.TopK,
		Epsilon: &c.Epsilon})
	if err != nil {
		return asInputError(err)
	}
	if c.Format == "json" {
		return r.WriteJSON(s.out)
	}
	return prose.Writer{Locale: locale.English}.WriteReport(s.out, r)
}
