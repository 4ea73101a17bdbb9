package protocol

import "cmp"

// The columns of annotation sheets, in addition to the id and a column for each field.
const (
	SheetAnnotatorColumn    = "annotator_id"
	SheetNotesColumn        = "notes"
	SheetObservationsColumn = "observations" // keys, separated by spaces
	SheetUnsureColumn       = "unsure"       // keys of fields, separated by spaces
)

// SheetNotApplicable is what a sheet has in the cell of a field that does not apply to its item.
const SheetNotApplicable = "n/a"

// SheetIDColumn returns the column of the ids of rows in context and annotation sheets of p.
func (p Protocol) SheetIDColumn() string { return cmp.Or(p.Unit.IDColumn, "eval_id") }

// SheetColumns returns the columns of annotation sheets of p, in order.
func (p Protocol) SheetColumns() []string {
	columns := []string{p.SheetIDColumn(), SheetAnnotatorColumn}
	for _, f := range p.Fields {
		columns = append(columns, f.Key)
	}
	columns = append(columns, SheetNotesColumn)
	if len(p.Observations) > 0 {
		columns = append(columns, SheetObservationsColumn)
	}
	if p.AllowsBetween {
		columns = append(columns, SheetUnsureColumn)
	}
	return columns
}
