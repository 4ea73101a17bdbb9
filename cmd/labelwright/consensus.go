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
	File     string   `arg:"" help:"CSV file with the columns item,annotator,dimension,value, or a long export; - for standard input."`
	Method   string   `enum:"auto,majority,median,dawid-skene,dawid-skene-ordinal" default:"auto" help:"Method: majority, median, dawid-skene or dawid-skene-ordinal. auto: the median of three or more ordered values, else the majority."`
	Ties     string   `enum:"lower,higher,unresolved" default:"unresolved" help:"Decision of a tie between ordered values: lower, higher or unresolved."`
	Converge bool     `help:"Fit Dawid–Skene until it converges. Without it the fit ends as in crowd-kit."`
	Scale    []string `sep:"none" placeholder:"1..5" help:"Scale of the answers: 1..5 for every dimension, FIELD=0..2 for one, FIELD=low,middle,high for words in order. Words without a scale are unordered categories."`
	Format   string   `enum:"text,csv,json" default:"text" help:"Output format: text, csv or json."`
}

// Run computes the consensus of a long table.
func (c consensusCommand) Run(s streams) error {
	scales, err := stats.ParseDeclaredScales(c.Scale)
	if err != nil {
		return usageError{err}
	}
	table, err := readLongTable(s, c.File, scales)
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
	o := consensus.Options{Ties: stats.TieRule(c.Ties)}
	if c.Method != "auto" {
		o.Method = consensus.Method(c.Method)
	}
	if c.Converge {
		o.Stop = consensus.AtConvergence
	}
	return o
}

// printConsensusCSV prints one row for each item and dimension.
func printConsensusCSV(w io.Writer, r consensus.Report) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"item", "dimension", "value", "how", "posterior", "answers", "tied"}}
	for _, i := range r.Items {
		rows = append(rows, []string{dataset.EscapeFormula(i.Item), dataset.EscapeFormula(i.Dimension), escapeValue(consensusValue(i, "")),
			string(i.How), formatPosterior(i, ""), strconv.Itoa(i.Answers), escapeValue(strings.Join(i.Tied, "|"))})
	}
	return out.WriteAll(rows)
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

// formatPosterior returns the probability of the value, or missing for an unresolved tie and for a median between the answers.
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
		fmt.Fprintln(table, "  ITEM\tVALUE\tHOW\tPOSTERIOR\tANSWERS")
		for _, i := range r.Items {
			if i.Dimension == m.Dimension {
				fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%d\n", i.Item, consensusValue(i, strings.Join(i.Tied, " or ")), i.How, formatPosterior(i, "–"), i.Answers)
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
		if err := printAnnotators(w, m.Dimension, r.Annotators); err != nil {
			return err
		}
		if m.Note != "" {
			fmt.Fprintf(w, "  Note: %s\n", m.Note)
		}
	}
	return nil
}

func describeFit(m consensus.ModelResult) string {
	switch {
	case m.Converged == nil:
		return ""
	case *m.Converged:
		return fmt.Sprintf(", converged after %s", pluralize(m.Steps, "step"))
	}
	return fmt.Sprintf(", not converged after %s: a posterior still changed by %.2g", pluralize(m.Steps, "step"), m.Change)
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
