package page

import (
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

// A fieldCause is how an annotator lowers the agreement on a field.
type fieldCause struct {
	title string // of the field
	path  string // of its details
	report.Cause
}

// causesOf returns how an annotator lowers agreement, in the order of the fields.
func (d ReportData) causesOf(name string) (causes []fieldCause) {
	for _, f := range d.Report.Fields {
		for _, c := range f.Verdict.Causes {
			if c.Annotator == name {
				causes = append(causes, fieldCause{f.Title, d.partPath(AgreementPart) + "#field-" + f.Key, c})
			}
		}
	}
	return causes
}

// An annotatorCause is how an annotator lowers the agreement on fields.
type annotatorCause struct {
	annotator string
	fields    []fieldCause
	text      string
}

// annotatorCauses returns how all annotators lower agreement. The fields with a significant rise without the
// same annotator share one, and so do those with the same text.
func (d ReportData) annotatorCauses() (causes []annotatorCause) {
	for _, a := range d.Report.Annotators {
		shared := d.Report.DescribeRise(a.Name)
		var rising []fieldCause
		for _, c := range d.causesOf(a.Name) {
			isSame := func(other annotatorCause) bool { return other.annotator == a.Name && other.text == c.Message }
			if i := slices.IndexFunc(causes, isSame); i >= 0 {
				causes[i].fields = append(causes[i].fields, c)
			} else if shared != "" && c.Kind == report.OneAnnotator {
				rising = append(rising, c)
			} else {
				causes = append(causes, annotatorCause{a.Name, []fieldCause{c}, c.Message})
			}
		}
		if len(rising) > 0 {
			causes = append(causes, annotatorCause{a.Name, rising, shared})
		}
	}
	return causes
}

// causesBy returns how one annotator lowers agreement.
func (d ReportData) causesBy(name string) []annotatorCause {
	return slices.DeleteFunc(d.annotatorCauses(), func(c annotatorCause) bool { return c.annotator != name })
}

// shortText names a cause in a few words.
func (c fieldCause) shortText() string {
	return map[report.CauseKind]string{report.OneAnnotator: "Lowers agreement", report.ConstantAnswers: "Same answer to all", report.SwappedScale: "Against the others"}[c.Kind]
}

// calibrationText names the annotators whose calibration answers deviate from the reference answers; empty
// without any.
func (d ReportData) calibrationText() string {
	var names []string
	for _, a := range d.Report.Annotators {
		if slices.ContainsFunc(a.CalibrationBias, isClearBias) {
			names = append(names, a.Name)
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n > maxNamedDeviations:
		return fmt.Sprintf("In calibration, %d annotators deviate from the reference answers.", n)
	}
	return fmt.Sprintf("In calibration, %s %s from the reference answers.", joinList(names, "and"), choose(len(names) == 1, "deviates", "deviate"))
}

// maxNamedDeviations is the number of annotators that a summary names.
const maxNamedDeviations = 3

// isClearBias reports whether a bias is significant, or the same in every answer, which has no interval.
func isClearBias(b report.CalibrationBias) bool {
	return b.IsOneSided() || b.Reason == stats.ConstantDifference && b.Value != nil && *b.Value != 0
}
