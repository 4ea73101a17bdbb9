package page

import (
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

// missingLabels counts the labels that open batches still miss, and all that they need.
func (d ReportData) missingLabels() (missing, all int) {
	for _, b := range d.OpenBatches {
		missing, all = missing+b.Missing(), all+b.LabelsWanted
	}
	return missing, all
}

// openText says how many labels are still missing; empty if no batch is open.
func (d ReportData) openText(l *locale.Locale) string {
	missing, all := d.missingLabels()
	switch {
	case len(d.OpenBatches) == 0:
		return ""
	case missing == 0:
		return l.T("All %d labels are submitted. The figures are final when the batch is closed.", all)
	}
	return l.T("%d of %d labels are still missing, so the figures are not final.", missing, all)
}

// openPath leads to the open batch, or to all batches.
func (d ReportData) openPath() string {
	if len(d.OpenBatches) == 1 {
		return ProjectPath(d.Project.Key, "batches", d.OpenBatches[0].Name)
	}
	return ProjectPath(d.Project.Key, "batches")
}

// exportStep is the step of labels that are final, or another one while a batch is open.
func (d ReportData) exportStep(l *locale.Locale, text string) ui.Link {
	if len(d.OpenBatches) == 0 {
		return ui.Link{Path: ProjectPath(d.Project.Key, "export"), Text: text}
	}
	if missing, _ := d.missingLabels(); missing == 0 {
		return ui.Link{Path: d.openPath(), Text: l.T("Close the batch")}
	}
	return ui.Link{Path: d.openPath(), Text: l.T("Follow the open batch")}
}

// SetBatches sets the open batches among those that the report is about.
func (d *ReportData) SetBatches(batches []project.Batch) {
	for _, b := range batches {
		if b.ClosedAt == nil && b.ArchivedAt == nil && (d.Batch == "" || d.Batch == b.Name) {
			d.OpenBatches = append(d.OpenBatches, b)
		}
	}
}
