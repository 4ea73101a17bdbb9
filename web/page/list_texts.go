package page

import (
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
)

// itemStateTexts are the states of items.
var itemStateTexts = map[project.ItemState]locale.Text{
	project.ItemUnassigned: locale.Text("not in a batch"), project.ItemInProgress: locale.Text("in progress"),
	project.ItemComplete:     locale.Text("complete"),
	project.ItemDisagreement: locale.Text("disagreement"), project.ItemAdjudicated: locale.Text("adjudicated"),
	project.ItemCalibration: locale.Text("calibration"),
	project.ItemArchived:    locale.Text("archived"),
	project.ItemEarlier:     locale.Text("labeled under an earlier version"),
}

// sortTexts are the orders of lists.
var sortTexts = map[project.ItemSort]locale.Text{
	project.SortImported: locale.Text("order of import"), project.SortNewest: locale.Text("newest first"),
	project.SortDisagreement: locale.Text("largest disagreement first"),
	project.SortDecided:      locale.Text("last decision first"),
}

// chipTexts are the names of the filters that have no better one.
var chipTexts = map[string]locale.Text{
	"batch": locale.Text("batch"), "tag": locale.Text("tag"),
	"state": locale.Text("state"), "record": locale.Text("record"),
	"annotator": locale.Text("annotator"),
	"answer":    locale.Text("answer"), "show": locale.Text("show"),
}

// skipTexts are the reasons to skip an item, as leads read them.
var skipTexts = map[labeling.SkipReason]locale.Text{
	labeling.InvalidOrUnrealistic: locale.Text("Invalid or unrealistic"), labeling.Unclear: locale.Text("Unclear"),
}
