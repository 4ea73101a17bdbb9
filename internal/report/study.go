package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A study is the data of a report, indexed, with the consensus and a rating table per field.
type study struct {
	Data // without labels, unless a model is fitted again
	labelIndex
	fields       []fieldTable
	consensus    consensusIndex
	observations observationIndex
	options      stats.IntervalOptions
	progress     progressTracker

	hideSmallGroups bool
	build           BuildOptions
	isReplicate     bool                         // computed for the interval of another study
	withOthers      map[string][]AgreementFigure // by field; see kappasWithOthers
}

func newStudy(d Data, o BuildOptions) (*study, error) {
	s := &study{Data: d, options: o.intervalOptions(), progress: progressTracker{report: o.OnProgress}, hideSmallGroups: o.HideSmallGroups, build: o,
		withOthers: map[string][]AgreementFigure{}}
	var work []*Label
	s.labelIndex, work = newLabelIndex(d.Items, d.Labels)
	s.observations = newObservationIndex(work)
	for _, f := range d.Protocol.Fields {
		q, err := s.newFieldTable(f, work)
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, q)
	}
	if o.Consensus == "" {
		s.Labels = nil // they take several times the memory of the columns
	}
	s.consensus = newConsensusIndex(s, o.Consensus)
	return s, nil
}

func (s *study) countLabels() Counts {
	c := Counts{LabeledItems: len(s.labeled), Annotators: len(s.annotators), Work: s.work.len(), Judgments: len(s.Judgments)}
	for _, item := range s.labeled {
		c.SharedItems += boolToInt(s.byItem.len(item) > 1)
	}
	drawn := map[project.ItemID]bool{}
	for _, d := range s.Draws {
		for _, item := range d.Items {
			if number, isKnown := s.numberOf[item.ItemID]; isKnown && item.IsDrawn && s.byItem.len(number) > 0 {
				drawn[item.ItemID] = true
			}
		}
	}
	c.DrawnItems = len(drawn)
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
	names := slices.Clone(s.annotators)
	for _, l := range s.others {
		if l.Kind == Calibration && !slices.Contains(names, l.Annotator) {
			names = append(names, l.Annotator)
		}
	}
	slices.Sort(names)
	return names
}

// answersTo returns the answers of all annotators to one field of an item.
func (s *study) answersTo(item int32, q fieldTable) []int { return q.answers(s.byItem.at(item)) }
