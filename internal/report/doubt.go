package report

import (
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A doubt is why answers to a field may be no standard by which groups or judges can be compared.
type doubt struct {
	annotators []string // whose answers are in question; figures without them stand beside those of all
	unreliable string   // why the answers of all show little, as a clause; empty: no reason
}

// findDoubts sets doubts by the verdicts on the fields and the rater effects.
func (s *builder) findDoubts(fields []FieldReport) {
	s.doubts = map[string]doubt{}
	for i, f := range fields {
		s.doubts[f.Key] = s.findDoubt(s.fields[i], f.Verdict)
	}
}

// findDoubt questions the annotators who lower agreement, and those who do not read or judge the items. Where agreement is far below the
// target, also without them, all answers are unreliable: they hide differences, and a judge has no standard to meet.
func (s *builder) findDoubt(q fieldTable, v Verdict) doubt {
	var questioned []string
	all := 0
	for g, name := range s.Annotators {
		if len(q.Answered(s.ByAnnotator.At(int32(g)))) == 0 {
			continue
		}
		all++
		if v.hasCause(name) || s.isInattentive(name) {
			questioned = append(questioned, name)
		}
	}
	isRewrite := v.Outcome == Rewrite && (len(v.Causes) == 0 || v.Causes[0].Kind != OneRecord)
	d := doubt{annotators: questioned}
	switch {
	case len(questioned) == 0 && isRewrite:
		d.unreliable = fmt.Sprintf("annotators agree too little on this field (κ %s)", v.Kappa.Text())
	case len(questioned) == 0:
	case len(questioned) == all:
		d.annotators, d.unreliable = nil, "the answers of all annotators are in question"
	case all > len(questioned)+1:
		others := v.judgeAgain(q, q.Table.SelectAnnotators(func(name string) bool { return !slices.Contains(questioned, name) }), s.Options)
		if others.Outcome == Rewrite {
			d.unreliable = fmt.Sprintf("annotators agree too little on this field, also without %s (κ %s)", nameSome(questioned), others.Kappa.Text())
		}
	}
	return d
}

// withoutAnnotators returns a field without the answers of some annotators.
func (s *builder) withoutAnnotators(q fieldTable, names []string) (fieldTable, error) {
	q.Points = slices.Clone(q.Points)
	for g, name := range s.Annotators {
		if slices.Contains(names, name) {
			for _, l := range s.ByAnnotator.At(int32(g)) {
				q.Points[l] = study.NoAnswer
			}
		}
	}
	table, err := s.NewFieldTable(q.Field, q.Points)
	return fieldTable{FieldTable: table}, err
}

// judgeFields returns the verdicts on all fields with their causes, without the rest of their reports.
func (s *builder) judgeFields() ([]FieldReport, error) {
	fields := make([]FieldReport, len(s.fields))
	for i, q := range s.fields {
		f := FieldReport{Key: q.Key, Scale: q.Values}
		f.Figures = study.FiguresFromEstimates(stats.ComputeEstimates(q.Table, s.Options,
			stats.PercentAgreement(), stats.SharedKappa(stats.Linear), stats.SuitableAlpha(q.Values), stats.SuitableAC(q.Values)))
		f.Verdict = newVerdict(f, s.Protocol.Plan.TargetKappa)
		f.Verdict.adjustForPrevalence(q, f, s.countTests())
		fields[i] = f
	}
	return fields, s.findCauses(fields)
}
