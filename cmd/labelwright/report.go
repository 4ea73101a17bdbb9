package main

import (
	"math"
	"runtime/debug"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
)

type reportCommand struct {
	Project   string `required:"" help:"The project's key."`
	Batch     string `help:"One batch. Default: all."`
	CompareBy string `placeholder:"COLUMN" help:"A column of the items' metadata to compare by. Default: one that sounds like conditions."`
	TopK      int    `help:"Of retrieval, count only the first K chunks of a query. Default: all."`
	Resamples int    `default:"1000" help:"How many resamples the intervals are made of."`
	Seed      uint64 `default:"1" help:"What the resamples are drawn by; the same seed gives the same intervals."`
	Format    string `enum:"text,json" default:"text" help:"text or json."`
}

// reportMemoryLimit is where the garbage collector begins to work harder, so that a
// report of a million answers stays within 300 MiB.
const reportMemoryLimit = 230 << 20

// setMemoryLimit has the garbage collector work harder from so many bytes on, unless
// GOMEMLIMIT says where.
func setMemoryLimit(limit int64) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
	}
}

// Run reports agreement, habits and metrics.
func (c reportCommand) Run(cl *cli, s streams, ctx runContext) error {
	if err := checkResamples(c.Resamples); err != nil {
		return err
	}
	setMemoryLimit(reportMemoryLimit)
	return cl.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, c.Project)
		if err != nil {
			return err
		}
		data, err := db.ReportData(ctx, operator.ID, p, c.Batch)
		if err != nil {
			return err
		}
		r, err := report.Build(data, report.BuildOptions{Resamples: c.Resamples, Seed: c.Seed, Column: c.CompareBy, TopK: max(c.TopK, 0)})
		if err != nil {
			return err
		}
		if c.Format == "json" {
			return r.WriteJSON(s.out)
		}
		return r.WriteText(s.out)
	})
}
