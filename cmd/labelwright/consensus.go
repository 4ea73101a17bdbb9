package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

type consensusCommand struct {
	File     string   `arg:"" help:"CSV, JSONL, JSON or Parquet file with the columns item,annotator,dimension,value, or a long export, perhaps with .gz; - for standard input."`
	Method   string   `enum:"majority,median,dawid-skene" default:"median" help:"Method: median (the majority, else the median of ordered values), majority (nothing else) or dawid-skene."`
	Ties     string   `enum:"lower,higher,unresolved" default:"unresolved" help:"Consensus of a tie between neighboring points: lower, higher or unresolved."`
	Converge bool     `help:"Fit Dawid–Skene until it converges. Without it the fit ends as in crowd-kit."`
	Scale    []string `sep:"none" placeholder:"1..5" help:"Scale of the answers: 1..5 for every dimension, FIELD=0..2 for one, FIELD=low,middle,high for words in order. Words without a scale are unordered categories."`
	encodingFlag
	Format string `enum:"text,csv,json" default:"text" help:"Output format: text, csv or json."`
}

// Run computes the consensus of a long table.
func (c consensusCommand) Run(s streams) error {
	scales, err := stats.ParseDeclaredScales(c.Scale)
	if err != nil {
		return usageError{err}
	}
	table, err := c.readLongTable(s, c.File, scales)
	if err != nil {
		return err
	}
	result := consensus.Compute(table.Dimensions, c.options())
	switch c.Format {
	case "json":
		return printJSON(s.out, result)
	case "csv":
		return printConsensusCSV(s.out, result)
	}
	return printConsensus(s.out, result)
}

func (c consensusCommand) options() consensus.Options {
	o := consensus.Options{Method: consensus.Method(c.Method), Ties: stats.TieRule(c.Ties)}
	if c.Converge {
		o.Stop = consensus.AtConvergence
	}
	return o
}

// printConsensusCSV prints one row for each item and dimension.
func printConsensusCSV(w io.Writer, r consensus.Report) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"item", "dimension", "value", "mean", "labels", "spread", "how", "posterior", "tied"}}
	for _, i := range r.Items {
		rows = append(rows, []string{dataset.EscapeFormula(i.Item), dataset.EscapeFormula(i.Dimension),
			escapeValue(consensusValue(i, "")),
			formatIfKnown(i.Mean), strconv.Itoa(i.Labels), formatIfKnown(i.Spread), string(i.How),
			formatPosterior(i, ""), escapeValue(strings.Join(i.Tied, "|"))})
	}
	return out.WriteAll(rows)
}

// formatIfKnown returns a number, or nothing for nil.
func formatIfKnown[T int | float64](v *T) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*v), 'g', -1, 64)
}

// escapeValue escapes words, and leaves numbers such as -1 as they are.
func escapeValue(value string) string {
	if !stats.IsNonNumeric(value) {
		return value
	}
	return dataset.EscapeFormula(value)
}

// consensusValue returns the value of an item, or missing for an unresolved tie.
func consensusValue(i consensus.ItemResult, missing string) string {
	if i.Value == nil {
		return missing
	}
	return *i.Value
}

// formatPosterior returns the probability of the value, or missing for an unresolved tie.
func formatPosterior(i consensus.ItemResult, missing string) string {
	if i.Value == nil {
		return missing
	}
	posterior, ok := i.Posterior[*i.Value]
	if !ok {
		return missing
	}
	return formatRounded(posterior)
}

// printConsensus prints one table of items and, with a model, one of annotators for each
// dimension.
func printConsensus(w io.Writer, r consensus.Report) error {
	for n, m := range r.Models {
		if n > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s, %s%s\n", m.Dimension, m.Method, describeFit(m))
		table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "  ITEM\tVALUE\tHOW\tPOSTERIOR\tLABELS")
		for _, i := range r.Items {
			if i.Dimension == m.Dimension {
				fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%d\n", i.Item, consensusValue(i, strings.Join(i.Tied, " or ")),
					i.How, formatPosterior(i, "–"), i.Labels)
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
		if err := printAnnotators(w, m.Dimension, r.Annotators); err != nil {
			return err
		}
		for _, note := range m.Notes {
			fmt.Fprintf(w, "  Note: %s\n", consensusNotes[note])
		}
	}
	return nil
}

var consensusNotes = map[consensus.NoteCode]string{
	consensus.NotIdentified: "No item has labels from three annotators, and two cannot show whose answer is the error: Dawid–Skene is not fitted, and the majority or median applies.",
	consensus.LowAgreement:  "Annotators hardly agree beyond chance (κ is below 0.25), so probabilities that take their errors to be independent can be far too certain.",
	consensus.EndedEarly:    "The fit ended before it converged, so posteriors can still change: --converge fits longer.",
	consensus.NotConverged:  "The fit ended after 5,000 steps before it converged: labels from further annotators identify their errors better.",
}

func describeFit(m consensus.ModelResult) string {
	switch {
	case m.Converged == nil:
		return ""
	case *m.Converged:
		return fmt.Sprintf(", converged after %s", pluralize(m.Steps, "step"))
	}
	return fmt.Sprintf(", not converged after %s: a posterior still changed by %.2g",
		pluralize(m.Steps, "step"), m.Change)
}

func printAnnotators(w io.Writer, dimension string, annotators []consensus.AnnotatorResult) error {
	table, isFirst := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0), true
	for _, a := range annotators {
		if a.Dimension != dimension {
			continue
		}
		if isFirst {
			fmt.Fprintln(table, "  ANNOTATOR\tCORRECT")
		}
		isFirst = false
		fmt.Fprintf(table, "  %s\t%s\n", a.Annotator, formatRounded(a.Correct))
	}
	return table.Flush()
}
