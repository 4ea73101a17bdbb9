package page

import (
	"github.com/labelwright/labelwright/internal/report/agreement"
)

// A fieldCause is how an annotator lowers the agreement on a field.
type fieldCause struct {
	field agreement.Field
	path  string // of its details
	agreement.Cause
}

// causesOf returns how an annotator lowers agreement, in the order of the fields.
func (d ReportData) causesOf(name string) (causes []fieldCause) {
	for _, f := range d.Report.Fields {
		for _, c := range f.Causes {
			if c.Annotator == name {
				causes = append(causes, fieldCause{f.Field, d.partPath(AgreementPart) + "#field-" + f.Key, c})
			}
		}
	}
	return causes
}
