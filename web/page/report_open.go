package page

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// missingLabels counts the labels that open batches still miss, and all that they need.
func (d ReportData) missingLabels() (missing, all int) {
	for _, b := range d.OpenBatches {
		missing, all = missing+max(0, b.Slots-b.Submitted), all+b.Slots
	}
	return missing, all
}

// openText says how many labels are still missing; empty if no batch is open.
func (d ReportData) openText() string {
	missing, all := d.missingLabels()
	name := "the open batches"
	if len(d.OpenBatches) == 1 {
		name = "batch “" + isolate(d.OpenBatches[0].Name) + "”"
	}
	switch {
	case len(d.OpenBatches) == 0:
		return ""
	case missing == 0:
		until := choose(len(d.OpenBatches) == 1, "it is", "they are")
		return fmt.Sprintf("The figures are not final: %s can still change until %s closed. All %s are submitted.", name, until, Pluralize(all, "label"))
	}
	return fmt.Sprintf("The figures are not final: %s of %s of %s %s still missing.", formatNumber(missing), Pluralize(all, "label"), name, choose(missing == 1, "is", "are"))
}

// openPath leads to the open batch, or to all batches.
func (d ReportData) openPath() string {
	if len(d.OpenBatches) == 1 {
		return ProjectPath(d.Project.Key, "batches", d.OpenBatches[0].Name)
	}
	return ProjectPath(d.Project.Key, "batches")
}

// nextStep returns a step, or another one instead of exporting labels that are not final.
func (d ReportData) nextStep(s report.NextStep) (text, path string, ok bool) {
	if s.Kind == report.StepExport && len(d.OpenBatches) > 0 {
		missing, _ := d.missingLabels()
		text = choose(missing == 0, "Close the batch", "Follow the open batch")
		if len(d.OpenBatches) > 1 {
			text = choose(missing == 0, "Close the batches", "Follow the open batches")
		}
		return text, d.openPath(), true
	}
	return s.Text, "", false
}

// verdictOverlapText says that the verdicts of items overlap; empty if their rates add up to 100% or less.
func verdictOverlapText(m report.MetricGroup) string {
	sum := 0.0
	for _, r := range m.Rates {
		if r.Value != nil {
			sum += *r.Value
		}
	}
	if m.Name != report.VerdictMetrics || sum < 1.0001 {
		return ""
	}
	return "An item can have more than one verdict, so the rates add up to more than 100%."
}

// SetBatches sets the open batches among those that the report is about.
func (d *ReportData) SetBatches(batches []project.Batch) {
	for _, b := range batches {
		if b.ClosedAt == nil && b.ArchivedAt == nil && (d.Batch == "" || d.Batch == b.Name) {
			d.OpenBatches = append(d.OpenBatches, b)
		}
	}
}
