package study

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Study is the data of a report, indexed, with a rating table per field. Packages that answer a question about it
// embed a pointer to it.
type Study struct {
	Data // with a source instead of items and labels
	labelIndex
	Fields   []FieldTable
	Options  stats.IntervalOptions
	Progress progressTracker

	withOthers map[string][]AgreementFigure // by field; see kappasWithOthers
}

// New indexes d. The options are of all intervals.
func New(d Data, options stats.IntervalOptions, onProgress func(BuildProgress)) (*Study, error) {
	if d.Source == nil {
		source, err := newSource(d)
		if err != nil {
			return nil, err
		}
		d.Source, d.Items, d.Labels = source, nil, nil
	}
	s := &Study{Data: d, Options: options, Progress: progressTracker{report: onProgress},
		labelIndex: newLabelIndex(d.Source), withOthers: map[string][]AgreementFigure{}}
	for i, f := range d.Protocol.Fields {
		q, err := s.NewFieldTable(f, s.points[i])
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, q)
	}
	return s, nil
}

// ListAnnotators returns all annotators in order of name, also those with calibration labels only.
func (s *Study) ListAnnotators() []string {
	names := slices.AppendSeq(slices.Clone(s.Annotators), maps.Keys(s.Calibration))
	slices.Sort(names)
	return slices.Compact(names)
}

// TextLength returns the length of the text of a work label.
func (s *Study) TextLength(label int32) float64 {
	return float64(s.AllItems[s.Work.Item[label]].TextLength)
}
