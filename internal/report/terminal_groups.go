package report

import (
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// writeGroupMeans writes the mean of each group by field.
func (p *textWriter) writeGroupMeans(b *Breakdown) {
	rows := [][]string{{"FIELD", strings.ToUpper(b.Column), "ITEMS", "MEAN", "95% CI", "ADJUSTED MEAN", "95% CI", "κ", "SHARED ITEMS"}}
	for i := range b.Groups[0].Fields {
		for _, g := range b.Groups {
			f := g.Fields[i]
			rows = append(rows, []string{f.Field, g.Value, study.FormatCount(f.Items), f.Mean.Text(), f.Mean.Range(), f.AdjustedMean.Text(), f.AdjustedMean.Range(), f.Kappa.Text(), study.FormatCount(f.PercentAgreement.Items)})
		}
	}
	p.writeTable("By "+b.Column, rows)
}

// writeDifferences writes what the comparison with the baseline shows, and all estimates.
func (p *textWriter) writeDifferences(b *Breakdown) {
	for _, g := range b.Groups[1:] {
		p.writeLine("  %s", g.Summary)
	}
	rows := [][]string{{"FIELD", strings.ToUpper(b.Column), "OVER", "− " + strings.ToUpper(b.Groups[0].Value), "95% CI", "p (HOLM)"}}
	for i := range b.Groups[0].Fields {
		for _, g := range b.Groups[1:] {
			f := g.Fields[i]
			d := f.Difference
			rows = append(rows, []string{f.Field, g.Value, study.Pluralize(d.AllItems.Items, "item"), d.Format(d.AllItems.Number), d.FormatRange(d.AllItems.Number), d.AllItems.PText()})
			if d.Paired != nil {
				rows = append(rows, []string{"", "", study.Pluralize(d.Paired.Pairs, "pair"), d.Format(d.Paired.Number), d.FormatRange(d.Paired.Number), d.Paired.PText()})
			}
			rows = append(rows, []string{"", "", "adjusted for annotators", d.Format(d.Adjusted.Number), d.FormatRange(d.Adjusted.Number), d.Adjusted.PText()})
			if d.Without != nil {
				e := d.Without.main()
				rows = append(rows, []string{"", "", "without " + nameSome(d.Questioned), d.Format(e.Number), d.FormatRange(e.Number), e.PText()})
				if a := d.Without.Adjusted; a.Low != nil {
					rows = append(rows, []string{"", "", "without " + nameSome(d.Questioned) + ", adjusted", d.Format(a.Number), d.FormatRange(a.Number), a.PText()})
				}
			}
		}
	}
	p.writeTable("Differences by "+b.Column, rows)
	p.writePairs(b)
	for i := range b.Groups[0].Fields {
		for _, g := range b.Groups[1:] {
			p.writeLine("  %s: %s", g.Fields[i].Field, g.Fields[i].Difference.Message)
		}
	}
}

// writePairs writes the main difference of every pair of three or more groups.
func (p *textWriter) writePairs(b *Breakdown) {
	if len(b.AllPairs) == 0 {
		return
	}
	rows := [][]string{{"FIELD", strings.ToUpper(b.Column), "− " + strings.ToUpper(b.Column), "DIFFERENCE", "95% CI", "p (HOLM)", "SHOWN"}}
	for i := range b.AllPairs[0].Fields {
		for _, pair := range b.AllPairs {
			f := pair.Fields[i]
			e := f.Difference.main()
			rows = append(rows, []string{f.Field, pair.Value, pair.Baseline, f.Difference.Format(e.Number), f.Difference.FormatRange(e.Number), e.PText(), map[bool]string{true: "yes", false: "no"}[f.Difference.IsShown()]})
		}
	}
	p.writeTable("All pairs by "+b.Column, rows)
	p.writeLine("  %s", b.DescribePairs())
}
