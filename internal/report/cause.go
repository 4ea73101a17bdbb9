package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A CauseKind is why agreement is low.
type CauseKind string

// The causes.
const (
	OneAnnotator     CauseKind = "one_annotator"      // without the annotator κ is shown to rise, to another outcome or to the target
	ConstantAnswers  CauseKind = "constant_annotator" // the annotator gives every item the same answer
	SwappedScale     CauseKind = "swapped_scale"      // an annotator or a group answers against the others
	OneRecord        CauseKind = "one_record"         // without the record the verdict is another
	PrevalenceEffect CauseKind = "prevalence"         // one answer dominates
)

// A Cause is a reason for low agreement that can be named.
type Cause struct {
	Kind         CauseKind `json:"cause"`
	Annotator    string    `json:"annotator"`     // empty for causes that are not about one
	Record       string    `json:"record"`        // of OneRecord; the item, where items have no record
	KappaWithout *float64  `json:"kappa_without"` // κ without the annotator or the record; null for other causes
	MeetsTarget  bool      `json:"meets_target"`  // agreement without the annotator is shown to meet the target
	Message      string    `json:"message"`
}

const (
	// maxCauseAnnotators is the number of annotators up to which each is left out in turn.
	maxCauseAnnotators = 40
	// minRecordInfluence is the change of κ below which a record does not drive it.
	minRecordInfluence = 0.05
	// maxCauseP is the largest p-value, adjusted for the annotators and fields of a report, of a
	// cause that is one annotator.
	maxCauseP = 0.05
	// maxSwappedKappa is the κ with the others below which a scale looks swapped. Where one
	// answer dominates, κ is often a little below 0.
	maxSwappedKappa = -0.2
)

// findCauses names what lowers the agreement on each field. There is no cause to look for if agreement
// meets the target, or is not known.
func (s *builder) findCauses(fields []FieldReport) error {
	tests, err := s.testAnnotators(fields)
	if err != nil {
		return err
	}
	for i := range fields {
		f := &fields[i]
		if !f.hasLowAgreement() {
			continue
		}
		split, isSplit, err := s.findSwappedGroups(s.fields[i])
		if err != nil {
			return err
		}
		if isSplit {
			f.Verdict.addCause(SwappedScale, "", nil, split.text())
		} else {
			s.addAnnotatorCauses(s.fields[i], &f.Verdict, tests[i])
		}
		s.addOtherCauses(s.fields[i], f)
		f.Verdict.applyCauses()
	}
	return nil
}

// hasLowAgreement reports whether κ is known and not shown to meet the target, on however few items.
func (f FieldReport) hasLowAgreement() bool {
	v := f.Verdict
	meetsTarget := v.GoProbability != nil && *v.GoProbability >= stats.CommittedProbability
	return v.Kappa.Value != nil && !meetsTarget && f.Figure("percent_agreement", "").Items >= minSharedItems
}

// addAnnotatorCauses names the annotators who lower agreement.
func (s *builder) addAnnotatorCauses(q fieldTable, v *Verdict, tests []annotatorTest) {
	constant := q.findNoticeablyConstant(s.countTests())
	if divergent, ok := v.findDivergent(q, tests, s.Options); ok {
		name, without := divergent.Annotator, divergent.Value
		v.addCause(OneAnnotator, name, &without, v.oneAnnotatorText(name, without, slices.Contains(constant, name), divergent.isSwapped()))
		v.Causes[0].MeetsTarget = v.meetsTargetWithout(name, q, s.Options)
	}
	for _, name := range constant {
		if !v.hasCause(name) {
			v.addCause(ConstantAnswers, name, nil, constantCauseText(name, q.Table.Paired().UsedValues(name)[0]))
		}
	}
	for _, test := range tests {
		if test.isSwapped() && !v.hasCause(test.Annotator) {
			v.addCause(SwappedScale, test.Annotator, nil, swappedCauseText(test.Annotator))
		}
	}
	if len(q.Table.Annotators()) == 2 && s.isBelowZero(v.Kappa) && *v.Kappa.Value < maxSwappedKappa {
		v.addCause(SwappedScale, "", nil, swappedPairText)
	}
}

// addOtherCauses names causes that are not about annotators.
func (s *builder) addOtherCauses(q fieldTable, f *FieldReport) {
	s.findDrivingRecord(q, &f.Verdict)
	if most, ok := q.dominant(); ok {
		f.Verdict.addCause(PrevalenceEffect, "", nil, prevalenceCauseText(*f, most))
	}
}

// isBelowZero reports whether a κ is shown to be below 0, among those of all fields.
func (s *builder) isBelowZero(κ study.AgreementFigure) bool {
	p, ok := κ.SamplingInterval().ProbabilityAtLeast(0)
	return ok && κ.High != nil && *κ.High < 0 && 2*p*float64(len(s.fields)) <= maxCauseP
}

const swappedPairText = "The two annotators answer against each other: κ is below 0. Ask whether one of them mistook the ends of the scale for each other."

func (v *Verdict) addCause(kind CauseKind, annotator string, without *float64, message string) {
	v.Causes = append(v.Causes, Cause{Kind: kind, Annotator: annotator, KappaWithout: without, Message: message})
}

func (v *Verdict) hasCause(annotator string) bool {
	return slices.ContainsFunc(v.Causes, func(c Cause) bool { return c.Annotator == annotator })
}

// findDrivingRecord adds the record without which κ itself has a higher outcome that is conclusive. In a study
// of few items some record often moves κ across a limit, but rarely that far.
func (s *builder) findDrivingRecord(q fieldTable, v *Verdict) {
	most, ok := q.Table.MostInfluential(stats.SharedKappa(stats.Linear))
	if !ok || most.Value-*v.Kappa.Value < minRecordInfluence || v.outcomeFor(most.Value) == v.outcomeFor(*v.Kappa.Value) {
		return
	}
	without := v.judgeAgain(q, q.Table.WithoutUnitOf(most.Item), s.Options)
	if !without.IsConclusive || without.Outcome != v.outcomeFor(most.Value) {
		return
	}
	record := most.Item
	if row, ok := slices.BinarySearch(q.Names, most.Item); ok && s.IsClustered() {
		record = cmp.Or(s.AllItems[q.Items[row]].RecordID, record)
	}
	v.Causes = append(v.Causes, Cause{Kind: OneRecord, Record: record, KappaWithout: &most.Value, Message: v.oneRecordText(record, most.Value)})
}

// judgeAgain returns the verdict on part of the answers to a field.
func (v *Verdict) judgeAgain(q fieldTable, part stats.RatingTable, o stats.IntervalOptions) Verdict {
	figures := study.FiguresFromEstimates(stats.ComputeEstimates(part, o, stats.PercentAgreement(), stats.SharedKappa(stats.Linear)))
	again := newVerdict(FieldReport{Figures: figures}, v.Target)
	if again.Outcome == Go {
		q.Table = part
		again.requireOtherAnswers(q)
	}
	return again
}
