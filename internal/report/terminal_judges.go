package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
)

// CompareJudges returns the judges of a report, without the rest of it.
func CompareJudges(d study.Data, o BuildOptions) ([]Judge, error) {
	s, err := newBuilder(d, o)
	if err != nil {
		return nil, err
	}
	groups, err := comparison.Select(s.Study, o.Column, comparison.FindColumns(s.Study), o.HideSmallGroups)
	if err != nil {
		return nil, err
	}
	fields, err := agreement.ComputeVerdicts(s.Study)
	if err != nil {
		return nil, err
	}
	r := Report{}
	for _, f := range fields {
		r.Fields = append(r.Fields, FieldReport{Field: f})
	}
	s.findDoubts(r)
	return s.compareJudges(groups)
}

// WriteJudgesJSON writes the judges as a report does, in an object with the key judges.
func WriteJudgesJSON(w io.Writer, judges []Judge) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Judges []Judge `json:"judges"`
	}{judges})
}

// WriteJudgesText writes for a terminal what judges can be used for.
func WriteJudgesText(w io.Writer, judges []Judge) error {
	for _, j := range judges {
		if _, err := fmt.Fprintln(w, j.Message); err != nil {
			return err
		}
		for _, f := range j.Fields {
			if _, err := fmt.Fprintf(w, "  %s: %s\n", f.Field, f.Message); err != nil {
				return err
			}
		}
	}
	if len(judges) == 0 {
		_, err := fmt.Fprintln(w, "No model judge has judged items of this project.")
		return err
	}
	return nil
}
