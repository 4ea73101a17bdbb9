package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

type agreeCommand struct {
	File  string   `arg:"" help:"CSV, JSONL, JSON or Parquet file with the columns item,annotator,dimension,value, perhaps with .gz; - for standard input."`
	Scale []string `sep:"none" placeholder:"1..5" help:"Scale of the answers: 1..5 for every dimension, FIELD=0..2 for one, FIELD=low,middle,high for words in order. Words without a scale are unordered categories. Repeat it for more dimensions."`
	Judge []string `sep:"none" placeholder:"NAME" help:"Annotator of the file who is a model judge: taken out of the agreement and tested as a replacement of an annotator. Repeat it for more judges."`
	epsilonFlag
	encodingFlag
	Score     string `enum:"auto,accuracy,rmse" default:"auto" help:"Closeness of two answers: accuracy or rmse. auto: rmse for three or more ordered values."`
	All       bool   `help:"Print every coefficient in every variant, and each pair of annotators."`
	Resamples int    `default:"1000" help:"Number of resamples per interval."`
	Seed      uint64 `default:"1" help:"Seed of the resamples."`
	Format    string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// maxResamples protects against a mistyped number that would run for hours.
const maxResamples = 100_000

func checkResamples(n int) error {
	if n < 1 || n > maxResamples {
		return usageError{fmt.Errorf("--resamples %d is out of range: use 1 to 100,000, normally 1000", n)}
	}
	return nil
}

// Run computes the agreement of a long table.
func (a agreeCommand) Run(s streams) error {
	scales, err := stats.ParseDeclaredScales(a.Scale)
	if err != nil {
		return usageError{err}
	}
	if err := checkResamples(a.Resamples); err != nil {
		return err
	}
	if err := a.checkEpsilon(); err != nil {
		return err
	}
	table, err := a.readLongTable(s, a.File, scales)
	if err != nil {
		return err
	}
	people, judges, err := a.compareJudges(table)
	if err != nil {
		return err
	}
	compute := stats.ComputeMainAgreement
	if a.All {
		compute = stats.ComputeAgreement
	}
	result := compute(people, stats.IntervalOptions{Resamples: a.Resamples, Seed: a.Seed})
	result.IgnoredColumns = append(result.IgnoredColumns, table.IgnoredColumns...)
	if a.Format == "json" {
		return printJSON(s.out, agreeResult{result, judges})
	}
	if err := printAgreement(s.out, result); err != nil {
		return err
	}
	return printJudges(s.out, judges, table.Dimensions)
}

// agreeResult is the JSON form of the agree command.
type agreeResult struct {
	stats.AgreementReport
	Judges []judge.Result `json:"judges,omitempty"` // only with --judge
}

// compareJudges returns the dimensions without the judges, and the judges' results.
func (a agreeCommand) compareJudges(table importer.LongTable) (people []stats.Dimension, results []judge.Result,
	err error) {
	o := judge.Options{Epsilon: a.Epsilon, Intervals: stats.IntervalOptions{Resamples: a.Resamples, Seed: a.Seed}}
	if a.Score != "auto" {
		o.Score = judge.Score(a.Score)
	}
	var names []string
	for _, name := range a.Judge {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, d := range table.Dimensions {
		withoutJudges, compared := judge.Compare(d, names, o)
		people, results = append(people, withoutJudges), append(results, compared...)
	}
	for _, name := range a.Judge {
		if !slices.ContainsFunc(results, func(r judge.Result) bool { return r.Judge == name }) {
			return nil, nil, usageError{fmt.Errorf("--judge %q: the file has no such annotator", name)}
		}
	}
	return people, results, nil
}

// readLongTable reads a file, or standard input as "-".
// encodingFlag is for tables that are neither UTF-8 nor UTF-16.
type encodingFlag struct {
	Encoding string `placeholder:"NAME" help:"Encoding of the text if it is not UTF-8, such as windows-1252, shift_jis or gb18030."`
}

func (f encodingFlag) readLongTable(s streams, path string, scales stats.DeclaredScales) (importer.LongTable, error) {
	file, err := s.open(path)
	if err != nil {
		return importer.LongTable{}, err
	}
	defer file.Close()
	var reader io.Reader = file
	if regular, ok := file.(*os.File); ok && isRegular(regular) {
		reader = sizedFile{regular}
	}
	table, err := importer.ReadLongTable(path, f.Encoding, reader, scales)
	if _, isOfFile := errors.AsType[importer.FileErrors](err); !isOfFile && errors.Is(err, fault.Invalid) {
		err = usageError{err}
	}
	return table, adviseOnFile(err, "Fix the file and try again")
}

func printJSON(w io.Writer, value any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(value)
}

// printAgreement prints one table per dimension.
func printAgreement(w io.Writer, a stats.AgreementReport) error {
	texts := prose.Writer{Locale: locale.English}
	for n, scale := range a.Scales {
		if n > 0 {
			fmt.Fprintln(w)
		}
		if err := printDimension(w, texts, scale, a.Results); err != nil {
			return err
		}
	}
	if len(a.IgnoredColumns) > 0 {
		fmt.Fprintf(w, "\nIgnored columns: %s.\n", strings.Join(a.IgnoredColumns, ", "))
	}
	return nil
}

func printDimension(w io.Writer, texts prose.Writer, scale stats.AppliedScale, results []stats.AgreementResult) error {
	kind := "scale"
	if scale.Nominal {
		kind = "unordered categories"
	}
	fmt.Fprintf(w, "%s, %s %s\n", scale.Dimension, kind, scale.Scale)
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(table, "  COEFFICIENT\tVARIANT\tVALUE\t95%% CI%s\tITEMS\tANNOTATORS\tRATINGS\n",
		resampledUnits(scale, results))
	intervalNote := ""
	for _, r := range results {
		if r.Dimension != scale.Dimension || r.Undefined == stats.UnorderedValues { // the note below explains it once
			continue
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%d\t%d\t%d%s\n",
			r.Coefficient, r.Variant, formatFigure(r.Value), formatInterval(r), r.Items, r.Annotators, r.Ratings,
			missingReason(texts, r))
		if r.Coefficient == "percent_agreement" {
			intervalNote = texts.IntervalNote(r.Interval)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if scale.Note != "" {
		fmt.Fprintf(w, "  Note: %s.\n", texts.ScaleNote(scale))
	}
	fmt.Fprintf(w, "  Interval of percent agreement: %s.\n", intervalNote)
	return nil
}

// resampledUnits returns " OVER ITEMS" or " OVER CLUSTERS" for the intervals of a dimension.
func resampledUnits(scale stats.AppliedScale, results []stats.AgreementResult) string {
	for _, r := range results {
		if r.Dimension == scale.Dimension && r.IntervalOver != "" {
			return " OVER " + strings.ToUpper(r.IntervalOver)
		}
	}
	return ""
}

// formatFigure formats a value to three places; – if there is none.
func formatFigure(value *float64) string {
	if value == nil {
		return "–"
	}
	return formatRounded(*value)
}

// formatRounded formats v to three places, without negative zero.
func formatRounded(v float64) string {
	if text := fmt.Sprintf("%.3f", v); text != "-0.000" {
		return text
	}
	return "0.000"
}

// missingReason returns why a value or its interval is missing, as a cell of its own.
func missingReason(texts prose.Writer, r stats.AgreementResult) string {
	if r.Undefined == "" && r.Low != nil {
		return ""
	}
	return "\t" + texts.IntervalNote(r.Interval)
}

func formatInterval(r stats.AgreementResult) string {
	if r.Low == nil || r.High == nil {
		return "–"
	}
	return formatRounded(*r.Low) + " to " + formatRounded(*r.High)
}

// An epsilonFlag is ε of the alternative annotator test.
type epsilonFlag struct {
	Epsilon float64 `default:"0.2" help:"Advantage of a judge in cost and effort, 0 to 1: an annotator must be better by more than this. 0.2 for experts, 0.15 for trained annotators, 0.1 for crowd workers."`
}

func (f epsilonFlag) checkEpsilon() error {
	if !(f.Epsilon >= 0 && f.Epsilon <= 1) { // NaN too
		return usageError{fmt.Errorf("--epsilon %v is out of range: use 0 to 1", f.Epsilon)}
	}
	return nil
}
