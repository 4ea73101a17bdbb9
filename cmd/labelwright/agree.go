package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/stats"
)

type agreeCommand struct {
	File      string   `arg:"" help:"A CSV with the columns item,annotator,dimension,value, and cluster where items share a record; - reads standard input."`
	Scale     []string `sep:"none" placeholder:"1..5" help:"The declared scale: 1..5 for every dimension, FIELD=0..2 for one, FIELD=low,middle,high for words, equally far apart. Weights and categories come from it. Words without one are categories without an order. May be given several times."`
	Resamples int      `default:"1000" help:"How many resamples the intervals are made of."`
	Seed      uint64   `default:"1" help:"What the resamples are drawn by; the same seed gives the same intervals."`
	Format    string   `enum:"text,json" default:"text" help:"text or json."`
}

// maxResamples bounds what a slip of the keyboard may cost.
const maxResamples = 100_000

func checkResamples(n int) error {
	if n < 1 || n > maxResamples {
		return usageError{fmt.Errorf("--resamples %d will not do: choose 1 to %d, 1000 as a rule", n, maxResamples)}
	}
	return nil
}

// Run computes the agreement of a long table, without a database.
func (a agreeCommand) Run(s streams) error {
	scales, err := stats.ParseDeclaredScales(a.Scale)
	if err != nil {
		return usageError{err}
	}
	if err := checkResamples(a.Resamples); err != nil {
		return err
	}
	table, err := a.read(s, scales)
	if err != nil {
		return err
	}
	found := stats.ComputeAgreement(table.Dimensions, stats.IntervalOptions{Resamples: a.Resamples, Seed: a.Seed})
	found.IgnoredColumns = append(found.IgnoredColumns, table.IgnoredColumns...)
	if a.Format == "json" {
		return printJSON(s.out, found)
	}
	return printAgreement(s.out, found)
}

func (a agreeCommand) read(s streams, scales stats.DeclaredScales) (importer.LongTable, error) {
	file, err := s.open(a.File)
	if err != nil {
		return importer.LongTable{}, err
	}
	defer file.Close()
	table, err := importer.ReadLongTable(a.File, file, scales)
	if errs, ok := errors.AsType[importer.FileErrors](err); ok {
		return importer.LongTable{}, fmt.Errorf("%w\nFix the file and try again", errs)
	}
	return table, err
}

func printJSON(w io.Writer, value any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(value)
}

// printAgreement prints one table for each dimension.
func printAgreement(w io.Writer, a stats.AgreementReport) error {
	for n, scale := range a.Scales {
		if n > 0 {
			fmt.Fprintln(w)
		}
		if err := printDimension(w, scale, a.Results); err != nil {
			return err
		}
	}
	if len(a.IgnoredColumns) > 0 {
		fmt.Fprintf(w, "\nLeft aside, as they mean nothing here: the columns %s.\n", strings.Join(a.IgnoredColumns, ", "))
	}
	return nil
}

func printDimension(w io.Writer, scale stats.AppliedScale, results []stats.AgreementResult) error {
	fmt.Fprintf(w, "%s, %s %s\n", scale.Dimension, map[bool]string{false: "on the scale", true: "in the words"}[scale.Nominal], scale.Scale)
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  COEFFICIENT\tVARIANT\tVALUE\t95% INTERVAL\tITEMS\tANNOTATORS\tRATINGS")
	intervalNote := ""
	for _, r := range results {
		if r.Dimension != scale.Dimension || r.Reason == stats.UnorderedValues { // a note says so once
			continue
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%d\t%d\t%d%s\n",
			r.Coefficient, r.Variant, formatFigure(r.Value), formatInterval(r), r.Items, r.Annotators, r.Ratings, missingReason(r))
		if r.Coefficient == "percent_agreement" {
			intervalNote = r.IntervalNote
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if scale.Note != "" {
		fmt.Fprintf(w, "  Note: %s.\n", scale.Note)
	}
	fmt.Fprintf(w, "  The interval of percent agreement: %s.\n", intervalNote)
	return nil
}

// formatFigure writes a value to three places, as a line where there is none.
func formatFigure(value *float64) string {
	if value == nil {
		return "–"
	}
	return formatRounded(*value)
}

// formatRounded writes v to three places, without the sign of a nothing.
func formatRounded(v float64) string {
	if text := fmt.Sprintf("%.3f", v); text != "-0.000" {
		return text
	}
	return "0.000"
}

// missingReason says why a figure or its interval is missing.
func missingReason(r stats.AgreementResult) string {
	if r.Undefined == "" && r.Low != nil {
		return ""
	}
	return "\t" + r.IntervalNote
}

func formatInterval(r stats.AgreementResult) string {
	if r.Low == nil || r.High == nil {
		return "–"
	}
	return formatRounded(*r.Low) + " to " + formatRounded(*r.High)
}
