package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A CauseKind is why agreement is low.
type CauseKind string

// The causes.
const (
	OneAnnotator     CauseKind = "one_annotator"      // without the annotator the verdict is another
	ConstantAnswers  CauseKind = "constant_annotator" // the annotator gives every item the same answer
	SwappedScale     CauseKind = "swapped_scale"      // the annotator answers against the others, or one of two against the other
	OneRecord        CauseKind = "one_record"         // without the record the verdict is another
	PrevalenceEffect CauseKind = "prevalence"         // one answer dominates
)

// A Cause is a reason for low agreement that can be named.
type Cause struct {
	Kind         CauseKind `json:"cause"`
	Annotator    string    `json:"annotator"`     // empty for causes that are not about one
	Record       string    `json:"record"`        // of OneRecord; the item, where items have no record
	KappaWithout *float64  `json:"kappa_without"` // κ without the annotator or the record; null for other causes
	Message      string    `json:"message"`
}

const (
	// maxCauseAnnotators is the number of annotators up to which each is left out in turn.
	maxCauseAnnotators = 40
	// minRecordInfluence is the change of κ below which a record does not drive it.
	minRecordInfluence = 0.05
	// maxSwappedKappa is the κ with the others below which a scale looks swapped. Where one
	// answer dominates, κ is often a little below 0.
	maxSwappedKappa = -0.2
)

// findCauses names what lowers the agreement on a field. There is no cause to look for if
// agreement meets the target, or is not known.
func (s *study) findCauses(q fieldTable, f *FieldReport, constant []string) error {
	v := &f.Verdict
	if v.Kappa.Value == nil || v.Outcome == Go || f.Figure("percent_agreement", "").Items < minSharedItems {
		return nil
	}
	swapped, err := s.findSwapped(q)
	if err != nil {
		return err
	}
	if name, without, ok := v.findDivergent(q, *f, s.options); ok {
		v.addCause(OneAnnotator, name, &without, v.oneAnnotatorText(name, without, slices.Contains(constant, name), slices.Contains(swapped, name)))
	}
	for _, name := range constant {
		if !v.hasCause(name) {
			v.addCause(ConstantAnswers, name, nil, constantCauseText(name, q.table.Paired().UsedValues(name)[0]))
		}
	}
	for _, name := range swapped {
		if !v.hasCause(name) {
			v.addCause(SwappedScale, name, nil, swappedCauseText(name))
		}
	}
	if len(q.table.Annotators()) == 2 && v.Kappa.High != nil && *v.Kappa.High < 0 && *v.Kappa.Value < maxSwappedKappa {
		v.addCause(SwappedScale, "", nil, swappedPairText)
	}
	s.findDrivingRecord(q, v)
	if value, share := q.mostCommonAnswer(); share >= minPrevalence {
		v.addCause(PrevalenceEffect, "", nil, prevalenceCauseText(*f, share, value))
	}
	return nil
}

const swappedPairText = "The two annotators answer against each other: κ is below 0. Ask whether one of them mistook the ends of the scale for each other."

func (v *Verdict) addCause(kind CauseKind, annotator string, without *float64, message string) {
	v.Causes = append(v.Causes, Cause{Kind: kind, Annotator: annotator, KappaWithout: without, Message: message})
}

func (v *Verdict) hasCause(annotator string) bool {
	return slices.ContainsFunc(v.Causes, func(c Cause) bool { return c.Annotator == annotator })
}

// findDivergent returns the annotator without whom κ is highest, if the verdict is then
// better.
func (v *Verdict) findDivergent(q fieldTable, f FieldReport, o stats.IntervalOptions) (name string, without float64, ok bool) {
	names := q.table.Annotators()
	if len(names) < 3 || len(names) > maxCauseAnnotators {
		return "", 0, false
	}
	without = *v.Kappa.Value
	for _, e := range q.table.LeaveOut(stats.CongerKappa(stats.Linear)) {
		if e.IsDefined && e.Value > without && e.PairedItems >= minSharedItems {
			name, without = e.Annotator, e.Value
		}
	}
	if name == "" {
		return "", 0, false
	}
	best := q.table.SelectAnnotators(func(other string) bool { return other != name })
	other := FieldReport{Scale: f.Scale, Confusion: countPairs(q, best), Figures: figuresFromEstimates(stats.ComputeEstimates(best, o,
		stats.PercentAgreement(), stats.CongerKappa(stats.Linear)))}
	changed := newVerdict(other, v.Target)
	isBetter := changed.Outcome == Go || changed.Outcome == Revise && v.outcomeFor(*v.Kappa.Value) == Rewrite
	return name, without, isBetter
}

// countPairs counts the answers of every two annotators to the same item, in both directions.
func countPairs(q fieldTable, t stats.RatingTable) [][]int {
	counts := q.newMatrix()
	for item := range t.ByItem() {
		for i, a := range item.Categories {
			for j, b := range item.Categories {
				if i != j {
					counts[a][b]++
				}
			}
		}
	}
	return counts
}

// findSwapped returns the annotators whose answers run against those of the others: the whole
// interval of their κ with them is below 0, and κ is far below. With two annotators it is unknown which one.
func (s *study) findSwapped(q fieldTable) (names []string, err error) {
	if n := len(q.table.Annotators()); n < 3 || n > maxCauseAnnotators {
		return nil, nil
	}
	figures, err := s.kappasWithOthers(q)
	if err != nil {
		return nil, err
	}
	for i, name := range s.annotators {
		if κ := figures[i]; κ.High != nil && *κ.High < 0 && *κ.Value < maxSwappedKappa {
			names = append(names, name)
		}
	}
	return names, nil
}

// findDrivingRecord adds the record without which the outcome of κ itself is another.
func (s *study) findDrivingRecord(q fieldTable, v *Verdict) {
	most, ok := q.table.MostInfluential(stats.CongerKappa(stats.Linear))
	if !ok || most.Value-*v.Kappa.Value < minRecordInfluence || v.outcomeFor(most.Value) == v.outcomeFor(*v.Kappa.Value) {
		return
	}
	record := most.Item
	if row, ok := slices.BinarySearch(q.names, most.Item); ok && s.isClustered() {
		record = cmp.Or(s.items[q.items[row]].RecordID, record)
	}
	v.Causes = append(v.Causes, Cause{Kind: OneRecord, Record: record, KappaWithout: &most.Value, Message: v.oneRecordText(record, most.Value)})
}
