package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A fieldTable is a field with the table of its answers.
type fieldTable struct {
	protocol.Field
	scale stats.NumericScale
	table stats.RatingTable
}

func (q fieldTable) isOrdered() bool { return !q.Scale.IsBinary() }

// A study is the data set in order: work labels once each, by item and by
// annotator, and one table for each field.
type study struct {
	Data
	options           stats.IntervalOptions
	column            string
	topK              int
	onProgress        func(BuildProgress)
	stepsStarted      int // steps
	totalSteps        int // there are
	itemsByID         map[project.ItemID]*ItemData
	itemsBySource     map[string]*ItemData
	isClustered       bool // some items share a record
	workLabels        []*Label
	labelsByAnnotator map[string][]int         // annotator → work labels, in the order they were given
	labelsByItem      map[project.ItemID][]int // item → work labels
	fields            []fieldTable
	consensus         []ConsensusResult
	consensusValues   map[project.ItemID]map[string]int                   // item → field → the answer people settled on
	consensusMethod   map[project.ItemID]map[string]stats.ConsensusMethod // and how
}

func newStudy(d Data, o BuildOptions) (*study, error) {
	s := &study{Data: d, options: o.statsOptions(), column: o.Column, topK: o.TopK, onProgress: o.OnProgress, itemsByID: map[project.ItemID]*ItemData{}, itemsBySource: map[string]*ItemData{},
		labelsByAnnotator: map[string][]int{}, labelsByItem: map[project.ItemID][]int{}, consensusValues: map[project.ItemID]map[string]int{}, consensusMethod: map[project.ItemID]map[string]stats.ConsensusMethod{}}
	s.indexItems()
	s.indexWorkLabels()
	for _, f := range d.Protocol.Fields {
		q := fieldTable{Field: f, scale: stats.NewNumericScale(f.Scale.Values()...)}
		var err error
		if q.table, err = stats.CollectRatingTable(q.scale, s.filterRatings(f.Key, func(*Label) bool { return true })); err != nil {
			return nil, fmt.Errorf("the field %s: %w", f.Key, err)
		}
		s.fields = append(s.fields, q)
	}
	s.computeConsensus()
	return s, nil
}

func (s *study) indexItems() {
	records := map[string]bool{}
	for i := range s.Items {
		item := &s.Items[i]
		s.itemsByID[item.ID], s.itemsBySource[item.SourceID] = item, item
		s.isClustered = s.isClustered || item.RecordID != "" && records[item.RecordID]
		records[item.RecordID] = true
	}
}

// indexWorkLabels keeps the latest work label of an annotator on an item.
func (s *study) indexWorkLabels() {
	latest := map[project.ItemID][]*Label{} // item → the latest of each annotator
	labels := 0
	for i := range s.Labels {
		l := &s.Labels[i]
		if l.Kind != Work || s.itemsByID[l.ItemID] == nil {
			continue
		}
		itemLabels := latest[l.ItemID]
		index := slices.IndexFunc(itemLabels, func(o *Label) bool { return o.Annotator == l.Annotator })
		switch {
		case index < 0:
			latest[l.ItemID] = append(itemLabels, l)
			labels++
		case l.ID >= itemLabels[index].ID:
			itemLabels[index] = l
		}
	}
	s.workLabels = make([]*Label, 0, labels)
	for _, itemLabels := range latest {
		s.workLabels = append(s.workLabels, itemLabels...)
	}
	slices.SortFunc(s.workLabels, func(a, b *Label) int { return cmp.Compare(a.ID, b.ID) })
	for i, l := range s.workLabels {
		s.labelsByAnnotator[l.Annotator] = append(s.labelsByAnnotator[l.Annotator], i)
		s.labelsByItem[l.ItemID] = append(s.labelsByItem[l.ItemID], i)
	}
}

// filterRatings yields the answers to a field among the work labels that are wanted.
func (s *study) filterRatings(field string, include func(*Label) bool) iter.Seq[stats.Rating] {
	return func(yield func(stats.Rating) bool) {
		for _, l := range s.workLabels {
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

// cluster is what an item is drawn anew with.
func (s *study) cluster(i *ItemData) string {
	if !s.isClustered {
		return ""
	}
	return i.RecordID
}

func (s *study) countLabels() Counts {
	c := Counts{LabeledItems: len(s.labelsByItem), Annotators: len(s.labelsByAnnotator), Work: len(s.workLabels), Judgments: len(s.Judgments)}
	for _, labels := range s.labelsByItem {
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

// startStep says what begins now, and that all before it is done.
func (s *study) startStep(activity string) {
	if s.onProgress != nil {
		s.onProgress(BuildProgress{Done: s.stepsStarted, Total: s.totalSteps, Activity: activity})
	}
	s.stepsStarted++
}

// listAnnotators returns the annotators in order, with those who did no more than
// calibrate.
func (s *study) listAnnotators() []string {
	names := s.listWorkAnnotators()
	for _, l := range s.Labels {
		if l.Kind == Calibration && !slices.Contains(names, l.Annotator) {
			names = append(names, l.Annotator)
		}
	}
	slices.Sort(names)
	return names
}

// listWorkAnnotators returns the annotators of work, in order.
func (s *study) listWorkAnnotators() []string { return slices.Sorted(maps.Keys(s.labelsByAnnotator)) }
