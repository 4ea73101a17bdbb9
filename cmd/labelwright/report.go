package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/fromexport"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
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

// reportMemoryLimit keeps a report of a million labels of five fields within 400 MiB.
const reportMemoryLimit = 330 << 20

// setMemoryLimit sets the soft memory limit, unless GOMEMLIMIT has set one.
func setMemoryLimit(limit int64) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
	}
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
			fmt.Fprintln(s.err, limit)
		}
		return c.print(s, data)
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

func (c reportCommand) print(s streams, data study.Data) error {
	r, err := report.Build(data, report.BuildOptions{Resamples: c.Resamples, Seed: c.Seed, Column: c.By, TopK: c.TopK,
		Epsilon: &c.Epsilon})
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return r.WriteJSON(s.out)
	}
	return prose.Writer{Locale: locale.English}.WriteReport(s.out, r)
}
