package report

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A study is the data of a report, indexed, with the consensus and a rating table per field.
type study struct {
	Data // with a source instead of items and labels
	labelIndex
	fields   []fieldTable
	options  stats.IntervalOptions
	progress progressTracker

	hideSmallGroups bool
	epsilon         float64                      // see BuildOptions
	withOthers      map[string][]AgreementFigure // by field; see kappasWithOthers
	raterEffects    map[string][]RaterEffect     // by annotator; see listRaterEffects
	knownAnswers    map[string]int               // labels of items with a known answer, by annotator; set with raterEffects
	doubts          map[string]doubt             // by field; see findDoubts
}

func newStudy(d Data, o BuildOptions) (*study, error) {
	if d.Source == nil {
		source, err := newSource(d)
		if err != nil {
			return nil, err
		}
		d.Source, d.Items, d.Labels = source, nil, nil
	}
	s := &study{Data: d, options: o.intervalOptions(), progress: progressTracker{report: o.OnProgress}, hideSmallGroups: o.HideSmallGroups, epsilon: DefaultEpsilon,
		labelIndex: newLabelIndex(d.Source), withOthers: map[string][]AgreementFigure{}}
	if o.Epsilon != nil {
		s.epsilon = *o.Epsilon
	}
	s.options.Known = d.Source.known
	for i, f := range d.Protocol.Fields {
		q, err := s.newFieldTable(f, s.points[i])
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, q)
	}
	s.findConsensus()
	return s, nil
}

func (s *study) countLabels() Counts {
	c := Counts{LabeledItems: len(s.labeled), Annotators: len(s.annotators), Work: s.work.len(), Judgments: len(s.Judgments), hasRecords: s.isClustered()}
	drawn := s.findDrawn()
	c.DrawnItems = len(drawn)
	for _, item := range s.labeled {
		if s.byItem.len(item) > 1 {
			c.SharedItems, c.DrawnSharedItems = c.SharedItems+1, c.DrawnSharedItems+boolToInt(drawn[item])
		}
	}
	for _, l := range s.others {
		switch l.Kind {
		case Duplicate:
			c.Duplicates++
		case Calibration:
			c.Calibration++
		}
	}
	return c
}

// listAnnotators returns all annotators in order of name, also those with calibration labels only.
func (s *study) listAnnotators() []string {
	names := slices.AppendSeq(slices.Clone(s.annotators), maps.Keys(s.calibration))
	slices.Sort(names)
	return slices.Compact(names)
}

// titles returns the titles of the fields by key.
func (s *study) titles() map[string]string {
	titleOf := map[string]string{}
	for _, q := range s.fields {
		titleOf[q.Key] = q.Title
	}
	return titleOf
}

// answersTo returns the answers of all annotators to one field of an item.
func (s *study) answersTo(item int32, q fieldTable) []int { return q.answers(s.byItem.at(item)) }
