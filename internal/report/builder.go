package report

import (
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// BuildOptions control how a report is computed.
type BuildOptions struct {
	Resamples int    // per interval; 0: 1,000
	Seed      uint64 // of all resamples
	Column    string // metadata column to compare by; empty: chosen by its name
	TopK      int    // number of chunks of a query that count; 0: all

	// HideSmallGroups leaves out groups with fewer than MinGroupItems items or
	// MinGroupAnnotators annotators, in which single answers could be recognized.
	HideSmallGroups bool

	// Epsilon is the advantage of a judge in cost and effort, 0 to 1: an annotator must be better by more than this.
	// Nil:
	// DefaultEpsilon.
	Epsilon *float64

	OnProgress func(study.BuildProgress) // called before each step; may be nil
}

func (o BuildOptions) intervalOptions() stats.IntervalOptions {
	return stats.IntervalOptions{Resamples: o.Resamples, Seed: o.Seed}
}

// A builder computes the parts of a report from a study.
type builder struct {
	*study.Study
	fields []fieldTable

	hideSmallGroups bool
	epsilon         float64             // see BuildOptions
	raterEffects    *ratereffect.Result // see findRaterEffects
}

// A fieldTable is a field with all its answers and their consensus.
type fieldTable struct {
	study.FieldTable
	consensus fieldConsensus
}

func newBuilder(d study.Data, o BuildOptions) (*builder, error) {
	base, err := study.New(d, o.intervalOptions(), o.OnProgress)
	if err != nil {
		return nil, err
	}
	s := &builder{Study: base, hideSmallGroups: o.HideSmallGroups, epsilon: judging.DefaultEpsilon}
	if o.Epsilon != nil {
		s.epsilon = *o.Epsilon
	}
	for _, q := range base.Fields {
		s.fields = append(s.fields, fieldTable{FieldTable: q})
	}
	s.findConsensus()
	return s, nil
}

func (s *builder) countLabels() Counts {
	c := Counts{LabeledItems: len(s.Labeled), Annotators: len(s.Annotators), Work: s.Work.Len(),
		Judgments: len(s.Judgments), DisagreedItems: s.countDisagreedItems(), hasRecords: s.IsClustered()}
	for _, item := range s.Labeled {
		c.SharedItems += study.BoolToInt(s.ByItem.Len(item) > 1)
	}
	for _, l := range s.Others {
		switch l.Kind {
		case study.Duplicate:
			c.Duplicates++
		case study.Calibration:
			c.Calibration++
		case study.Gold:
			c.Gold++
		case study.NotBlind:
			c.NotBlind++
		}
	}
	return c
}

// ComputeVerdicts returns the verdict on each field as Build does, without the rest of a report.
func ComputeVerdicts(d study.Data, o BuildOptions) ([]agreement.Field, error) {
	s, err := study.New(d, o.intervalOptions(), nil)
	if err != nil {
		return nil, err
	}
	return agreement.ComputeVerdicts(s)
}
