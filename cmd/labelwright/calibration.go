package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type calibrationCommand struct {
	List     calibrationList     `cmd:"" help:"List the calibration results of a batch."`
	Override calibrationOverride `cmd:"" help:"Let an annotator start work regardless of the result."`
	Retake   calibrationRetake   `cmd:"" help:"Ask an annotator to label the calibration set again."`
}

// A batchSelection names a batch.
type batchSelection struct {
	Project string `required:"" help:"Key of the project."`
	Batch   string `required:"" help:"Name of the batch."`
}

// use runs work on the batch.
func (b batchSelection) use(c *cli, ctx runContext, work func(*postgres.DB, project.Project,
	project.Batch) error) error {
	return c.withProject(ctx, b.Project, func(db *postgres.DB, p project.Project) error {
		batch, err := db.Batch(ctx, p.ID, b.Batch)
		if err != nil {
			return err
		}
		return work(db, p, batch)
	})
}

type calibrationList struct {
	batchSelection
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

type (
	// A calibrationEntry is the last attempt of an annotator in the JSON output.
	calibrationEntry struct {
		Annotator     string                     `json:"annotator"` // pseudonym
		Name          string                     `json:"name"`
		Attempt       int                        `json:"attempt"`
		Status        labeling.CalibrationStatus `json:"status"`
		AnsweredItems int                        `json:"answered_items"`
		TotalItems    int                        `json:"total_items"`
		MissedFields  []string                   `json:"missed_fields"`
		Reason        string                     `json:"reason"` // of a lead who let the annotator continue
		Biases        []biasEntry                `json:"biases"`
	}
	biasEntry struct {
		Field string   `json:"field"`
		Items int      `json:"items"`
		Bias  *float64 `json:"bias"` // mean difference from the reference; null: too few items
	}
)

// Run prints the last calibration attempt of each annotator.
func (l calibrationList) Run(c *cli, s streams, ctx runContext) error {
	return l.use(c, ctx, func(db *postgres.DB, p project.Project, b project.Batch) error {
		summaries, err := db.CalibrationSummaries(ctx, p, b.ID)
		if err != nil {
			return err
		}
		if l.Format == "json" {
			entries := make([]calibrationEntry, len(summaries))
			for i, sum := range summaries {
				entries[i] = newCalibrationEntry(sum)
			}
			return printJSON(s.out, map[string]any{"calibration": entries})
		}
		if len(summaries) == 0 {
			fmt.Fprintf(s.out, "The batch %s has no calibration set.\n", b.Name)
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ANNOTATOR\tNAME\tATTEMPT\tITEMS\tSTATUS\tFAR FROM THE REFERENCE")
		for _, sum := range summaries {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d of %d\t%s\t%s\n", sum.Pseudonym, sum.Name, sum.AttemptNo,
				sum.AnsweredItems, sum.TotalItems, sum.Status().Text(), strings.Join(sum.MissedFields, ", "))
		}
		return table.Flush()
	})
}

func newCalibrationEntry(sum postgres.CalibrationSummary) calibrationEntry {
	e := calibrationEntry{sum.Pseudonym, sum.Name, sum.AttemptNo, sum.Status(), sum.AnsweredItems, sum.TotalItems,
		sum.MissedFields, sum.Reason, []biasEntry{}}
	if e.MissedFields == nil {
		e.MissedFields = []string{}
	}
	for _, bias := range sum.Biases {
		e.Biases = append(e.Biases, biasEntry{bias.Field.Key, bias.N, sufficientMean(bias)})
	}
	return e
}

// sufficientMean returns the mean difference, or nil for too few items.
func sufficientMean(b labeling.Bias) *float64 {
	if !b.Sufficient() {
		return nil
	}
	return &b.Mean
}

// findAnnotator returns the annotator of a calibration by email address or pseudonym.
func findAnnotator(ctx runContext, db *postgres.DB, p project.Project, b project.Batch,
	name string) (account.ID, error) {
	summaries, err := db.CalibrationSummaries(ctx, p, b.ID)
	if err != nil {
		return 0, err
	}
	var wanted account.Account
	if strings.Contains(name, "@") {
		if wanted, err = db.AccountByEmail(ctx, name); err != nil {
			return 0, err
		}
	}
	names := make([]string, len(summaries))
	for i, sum := range summaries {
		if sum.Pseudonym == name || sum.AccountID == wanted.ID {
			return sum.AccountID, nil
		}
		names[i] = sum.Pseudonym
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("the batch %s has no calibration set", b.Name)
	}
	return 0, fmt.Errorf("the batch %s has no annotator %s with a calibration. It has %s", b.Name, name,
		strings.Join(names, ", "))
}

type calibrationOverride struct {
	batchSelection
	Reason    string `required:"" help:"Why the annotator may continue. It is stored with the calibration."`
	Annotator string `arg:"" help:"Email address or pseudonym."`
	resultFlags
}

// Run lets an annotator start work.
func (o calibrationOverride) Run(c *cli, s streams, ctx runContext) error {
	return o.use(c, ctx, func(db *postgres.DB, p project.Project, b project.Batch) error {
		id, err := findAnnotator(ctx, db, p, b, o.Annotator)
		if err != nil {
			return err
		}
		if err := db.OverrideCalibration(ctx, actor(ctx).ID, p, b.ID, id, o.Reason); err != nil {
			return err
		}
		return o.print(s, map[string]any{"project": p.Key, "batch": b.Name, "annotator": o.Annotator},
			"%s can start work in the batch %s.\n", o.Annotator, b.Name)
	})
}

type calibrationRetake struct {
	batchSelection
	Annotator string `arg:"" help:"Email address or pseudonym."`
	resultFlags
}

// Run starts another attempt of an annotator.
func (r calibrationRetake) Run(c *cli, s streams, ctx runContext) error {
	return r.use(c, ctx, func(db *postgres.DB, p project.Project, b project.Batch) error {
		id, err := findAnnotator(ctx, db, p, b, r.Annotator)
		if err != nil {
			return err
		}
		if err := db.RequestRetake(ctx, actor(ctx).ID, p, b, id); err != nil {
			return err
		}
		return r.print(s, map[string]any{"project": p.Key, "batch": b.Name, "annotator": r.Annotator},
			"%s labels the calibration set of the batch %s again, before any other item.\n", r.Annotator, b.Name)
	})
}

var errNeedsActor = usageError{errors.New(
	"name the lead who does this with --as EMAIL: the annotator reads who it was")}
