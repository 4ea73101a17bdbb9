package report

import (
	"fmt"
	"iter"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A fieldTable is a field with all its answers.
type fieldTable struct {
	protocol.Field
	scale stats.NumericScale
	table stats.RatingTable
}

// newMatrix returns a matrix of zeros, one row and column per point of the scale.
func (q fieldTable) newMatrix() [][]int {
	matrix := make([][]int, len(q.scale))
	for i := range matrix {
		matrix[i] = make([]int, len(q.scale))
	}
	return matrix
}

// A study is the data of a report, indexed, with the consensus and a rating table per field.
type study struct {
	Data
	labelIndex
	fields    []fieldTable
	consensus consensusIndex
	options   stats.IntervalOptions
	progress  progressTracker

	hideSmallGroups bool
	build           BuildOptions
	isReplicate     bool // computed for the interval of another study
}

func newStudy(d Data, o BuildOptions) (*study, error) {
	s := &study{Data: d, labelIndex: newLabelIndex(d.Items, d.Labels), options: o.intervalOptions(),
		progress: progressTracker{report: o.OnProgress}, hideSmallGroups: o.HideSmallGroups, build: o}
	for _, f := range d.Protocol.Fields {
		q := fieldTable{Field: f, scale: stats.NewNumericScale(f.Scale.Values()...)}
		var err error
		if q.table, err = stats.CollectRatingTable(q.scale, s.filterRatings(f.Key, func(*Label) bool { return true })); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Key, err)
		}
		s.fields = append(s.fields, q)
	}
	s.consensus = newConsensusIndex(s, o.Consensus)
	return s, nil
}

// filterRatings yields the work answers to a field among the labels to include.
func (s *study) filterRatings(field string, include func(*Label) bool) iter.Seq[stats.Rating] {
	return func(yield func(stats.Rating) bool) {
		for _, l := range s.work {
			value, answered := l.Values[field]
			if !answered || !include(l) {
				continue
			}
			item := s.itemsByID[l.ItemID]
			if !yield(stats.Rating{Item: item.SourceID, Annotator: l.Annotator, Value: value, Cluster: s.cluster(item)}) {
				return
			}
		}
	}
}

func (s *study) countLabels() Counts {
	c := Counts{LabeledItems: len(s.byItem), Annotators: len(s.byAnnotator), Work: len(s.work), Judgments: len(s.Judgments)}
	for _, labels := range s.byItem {
		if len(labels) > 1 {
			c.SharedItems++
		}
	}
	for _, l := range s.Labels {
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
	names := s.workAnnotators()
	for _, l := range s.Labels {
		if l.Kind == Calibration && !slices.Contains(names, l.Annotator) {
			names = append(names, l.Annotator)
		}
	}
	slices.Sort(names)
	return names
}
