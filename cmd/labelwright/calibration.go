package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/web/api"
)

type calibrationCommand struct {
	List     calibrationList     `cmd:"" help:"List the calibration results of a batch."`
	Override calibrationOverride `cmd:"" help:"Let an annotator start work regardless of the result."`
	Retake   calibrationRetake   `cmd:"" help:"Ask an annotator to label the calibration set again."`
}

type batchSelection struct {
	Project string `required:"" help:"Key of the project."`
	Batch   string `required:"" help:"Name of the batch."`
}

func (b batchSelection) path() api.BatchPath { return batchPath(b.Project, b.Batch) }

type calibrationList struct {
	batchSelection
	resultFlags
}

// Run prints the last calibration attempt of each annotator.
func (l calibrationList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, l.resultFlags, api.ListCalibrations, l.path(), func(list api.CalibrationList) error {
		if len(list.Calibrations) == 0 {
			fmt.Fprintf(s.out, "The batch %s has no calibration set.\n", l.Batch)
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ANNOTATOR\tNAME\tATTEMPT\tITEMS\tSTATUS\tFAR FROM THE REFERENCE")
		for _, a := range list.Calibrations {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d of %d\t%s\t%s\n", a.Annotator, a.Name, a.AttemptNo, a.AnsweredItems,
				a.TotalItems, a.Status.Text(), strings.Join(a.MissedFields, ", "))
		}
		return table.Flush()
	})
}

type calibrationOverride struct {
	batchSelection
	Reason    string `required:"" help:"Why the annotator may continue. It is stored with the calibration."`
	Annotator string `arg:"" help:"Email address or pseudonym."`
	resultFlags
}

// Run lets an annotator start work.
func (o calibrationOverride) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		attempt, err := api.OverrideCalibration.Call(ctx, client, api.CalibrationBody[api.Reason]{
			CalibrationPath: api.CalibrationPath{BatchPath: o.path(), Member: o.Annotator},
			Body:            api.Reason{Reason: o.Reason}})
		if err != nil {
			return err
		}
		return o.show(s, attempt, "%s can start work in the batch %s.\n", o.Annotator, o.Batch)
	})
}

type calibrationRetake struct {
	batchSelection
	Annotator string `arg:"" help:"Email address or pseudonym."`
	resultFlags
}

// Run starts another attempt of an annotator.
func (r calibrationRetake) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		attempt, err := api.RetakeCalibration.Call(ctx, client, api.CalibrationPath{BatchPath: r.path(),
			Member: r.Annotator})
		if err != nil {
			return err
		}
		return r.show(s, attempt, "%s labels the calibration set of the batch %s again, before any other item.\n",
			r.Annotator, r.Batch)
	})
}

var errNeedsActor = usageError{errors.New(
	"name the lead who does this with --as EMAIL: the annotator reads who it was")}
