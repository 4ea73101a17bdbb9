package report

import (
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// writeGroups writes the mean of each group by field, and the primary differences from the baseline.
func (p *textWriter) writeGroups(b *Breakdown, titleOf map[string]string) {
	w := inEnglish
	rows := [][]string{{"FIELD", strings.ToUpper(b.Column), "ITEMS", "MEAN", "95% CI", "− " + strings.ToUpper(b.Groups[0].Value), "95% CI", "CONCLUSION"}}
	for i := range b.Groups[0].Fields {
		for _, g := range b.Groups {
			f := g.Fields[i]
			row := []string{f.Field, g.Value, study.FormatCount(f.Items), f.Mean.Text(), f.Mean.Range()}
			if d := f.Difference; d != nil {
				row = append(row, w.SignedDifference(d, d.Primary.Number), w.DifferenceRange(d, d.Primary.Number), w.ComparisonConclusion(d.Conclusion))
			}
			rows = append(rows, row)
		}
	}
	p.writeTable("By "+b.Column, rows)
	for group := range b.Groups[1:] {
		p.writeLine("  %s", w.Group(&b.Result, group+1, func(field string) string { return titleOf[field] }))
	}
	if note := w.GroupOrder(&b.Result); note != "" {
		p.writeLine("  %s", note)
	}
}
