// Package report computes what leads read about a project's labels: agreement
// with a verdict, rater effects, consensus, disagreements, group comparisons and
// metrics. It selects the data for each question; package stats does the math.
// A report has codes and numbers only; package prose writes sentences from them.
package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A Report is everything a lead reads about a project or one of its batches.
type Report struct {
	Project          string        `json:"project"`
	Batch            string        `json:"batch"` // empty: all batches
	Protocol         string        `json:"protocol"`
	LastAnnotationID int64         `json:"last_annotation_id"` // the latest annotation included
	Seed             uint64        `json:"seed"`
	Counts           Counts        `json:"counts"`
	Fields           []FieldReport `json:"fields"`
	Annotators       []Annotator   `json:"annotators"`
	// what was looked for; what was found is with the annotators
	RaterEffects ratereffect.Result `json:"rater_effects"`
	Columns      []string           `json:"columns"`   // metadata columns to compare by
	Breakdown    *Breakdown         `json:"breakdown"` // null without such a column
	Metrics      []MetricGroup      `json:"metrics"`
	Judges       []judging.Judge    `json:"judges"`

	HardItems []agreement.HardItem `json:"hard_items"` // those with the largest spread of labels first

	DisagreementsByObservation []DisagreementGroup `json:"disagreements_by_observation"` // first where none is ticked
}

// Counts are the numbers of labels by kind.
type Counts struct {
	LabeledItems   int `json:"labeled_items"`
	SharedItems    int `json:"shared_items"`    // labeled by at least two annotators
	DisagreedItems int `json:"disagreed_items"` // of them, those with different answers to a field
	Annotators     int `json:"annotators"`
	Work           int `json:"work"`
	Duplicates     int `json:"duplicates"`
	Calibration    int `json:"calibration"`
	Gold           int `json:"gold"`      // of items with known answers, hidden among the work
	NotBlind       int `json:"not_blind"` // given after seeing other answers to the item
	Judgments      int `json:"judgments"` // by model judges

	hasRecords bool // some items share a record, so that records are resampled
}

// Build computes the report of d.
func Build(d study.Data, o BuildOptions) (Report, error) {
	s, err := newBuilder(d, o)
	if err != nil {
		return Report{}, err
	}
	s.Progress.Total = 2*len(s.fields) + len(s.ListAnnotators()) + 4
	r := Report{Project: d.Project, Batch: d.Batch, Protocol: d.Protocol.Name(), Seed: o.Seed, Counts: s.countLabels(),
		LastAnnotationID: s.LastID}
	fields, err := agreement.Compute(s.Study)
	if err != nil {
		return Report{}, err
	}
	r.HardItems = agreement.FindHardItems(s.Study, fields)
	for i, f := range fields {
		r.Fields = append(r.Fields, FieldReport{f, s.countMethods(s.fields[i])})
	}
	s.Progress.Start(study.StepDisagreements, "")
	r.DisagreementsByObservation = s.groupDisagreements()
	if r.Annotators, err = s.computeAnnotators(); err != nil {
		return Report{}, err
	}
	r.RaterEffects = s.findRaterEffects()
	s.Progress.Start(study.StepGroups, "")
	r.Columns = comparison.FindColumns(s.Study)
	groups, err := comparison.Select(s.Study, o.Column, r.Columns, o.HideSmallGroups)
	if err != nil {
		return Report{}, err
	}
	if r.Breakdown, err = s.compareGroups(groups, r.IsBelowTarget); err != nil {
		return Report{}, err
	}
	s.Progress.Start(study.StepMetrics, "")
	r.Metrics = metrics{s, o.TopK}.compute()
	r.Judges = s.compareJudges(groups)
	s.Progress.Start("", "")
	return r, err
}

// Field returns the field with that key.
func (r Report) Field(key string) (FieldReport, bool) {
	i := slices.IndexFunc(r.Fields, func(f FieldReport) bool { return f.Key == key })
	if i < 0 {
		return FieldReport{}, false
	}
	return r.Fields[i], true
}

// Annotator returns the results of an annotator.
func (r Report) Annotator(pseudonym string) (Annotator, bool) {
	i, ok := slices.BinarySearchFunc(r.Annotators, pseudonym, func(a Annotator, name string) int {
		return cmp.Compare(a.Name, name)
	})
	if !ok {
		return Annotator{}, false
	}
	return r.Annotators[i], true
}
