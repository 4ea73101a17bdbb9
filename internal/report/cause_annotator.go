package report

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// An annotatorTest is whether one annotator lowers the agreement on a field, or answers against the
// others. The p-values are one-sided and adjusted for all annotators and fields of the report.
type annotatorTest struct {
	stats.LeftOut
	kappaWithOthers float64
	swappedP        float64 // of no κ below 0 with the others
}

// isDivergent reports whether κ is shown to rise without the annotator.
func (t annotatorTest) isDivergent() bool {
	return t.IsDefined && t.P <= maxCauseP && t.PairedItems >= minSharedItems
}

// isSwapped reports whether the answers run against those of the others: κ with them is far below 0,
// and it rises without the annotator; neither is chance. Of two annotators it is unknown which one is swapped.
func (t annotatorTest) isSwapped() bool {
	return t.swappedP <= maxCauseP && t.kappaWithOthers < maxSwappedKappa && t.P <= maxCauseP
}

// testAnnotators tests each annotator of each field with low agreement, if there are three or more.
// Without tests, annotators with the same error rate would be named by chance: one of them always
// has the lowest agreement.
func (s *builder) testAnnotators(fields []FieldReport) ([][]annotatorTest, error) {
	tests, all := make([][]annotatorTest, len(fields)), []*annotatorTest{}
	for i, q := range s.fields {
		n := len(q.Table.Annotators())
		if n < 3 || n > maxCauseAnnotators {
			continue
		}
		if tests[i] = slices.Repeat([]annotatorTest{{LeftOut: stats.LeftOut{P: 1}, swappedP: 1}}, n); fields[i].hasLowAgreement() {
			figures, err := s.KappasWithOthers(q.FieldTable)
			if err != nil {
				return nil, err
			}
			for j, e := range q.Table.LeaveOut(stats.SharedKappa(stats.Linear)) {
				position, _ := slices.BinarySearch(s.Annotators, e.Annotator)
				tests[i][j] = newAnnotatorTest(e, figures[position])
			}
		}
		for j := range tests[i] {
			all = append(all, &tests[i][j])
		}
	}
	leftOut, swapped := make([]float64, len(all)), make([]float64, len(all))
	for n, test := range all {
		leftOut[n], swapped[n] = test.P, test.swappedP
	}
	leftOut, swapped = stats.AdjustHolm(leftOut), stats.AdjustHolm(swapped)
	for n, test := range all {
		test.P, test.swappedP = leftOut[n], swapped[n]
	}
	return tests, nil
}

func newAnnotatorTest(e stats.LeftOut, withOthers study.AgreementFigure) annotatorTest {
	test := annotatorTest{LeftOut: e, swappedP: 1}
	if withOthers.Value == nil {
		return test
	}
	test.kappaWithOthers = *withOthers.Value
	if p, ok := withOthers.Interval.ProbabilityAtLeast(0); ok {
		test.swappedP = p
	}
	return test
}

// countTests returns the number of tests for a cause: one for each annotator and field.
func (s *builder) countTests() int { return len(s.Annotators) * len(s.fields) }

// findDivergent returns the annotator without whom κ is highest, among those without whom it is shown
// to rise to a better outcome.
func (v *Verdict) findDivergent(q fieldTable, tests []annotatorTest, o stats.IntervalOptions) (most annotatorTest, ok bool) {
	for _, test := range tests {
		isCandidate := test.isDivergent() && test.Value > *v.Kappa.Value && (!ok || test.Value > most.Value)
		if isCandidate && (v.outcomeFor(test.Value) != v.outcomeFor(*v.Kappa.Value) || v.meetsTargetWithout(test.Annotator, q, o)) {
			most, ok = test, true
		}
	}
	return most, ok
}

// meetsTargetWithout reports whether agreement without an annotator is shown to meet the target.
func (v *Verdict) meetsTargetWithout(name string, q fieldTable, o stats.IntervalOptions) bool {
	return v.judgeAgain(q, q.Table.SelectAnnotators(func(other string) bool { return other != name }), o).Outcome == Go
}

// findNoticeablyConstant returns the annotators who gave one answer to all their shared items, although
// the others gave it too rarely for that to be chance among so many tests.
func (q fieldTable) findNoticeablyConstant(tests int) (noticeable []string) {
	constant := q.findConstantAnnotators()
	for _, name := range constant {
		others, equal, units := 0, 0, map[int]bool{}
		for item := range q.Table.ByItem() {
			own := slices.IndexFunc(item.Annotators, func(g int32) bool { return q.Table.Annotators()[g] == name })
			if own < 0 || len(item.Annotators) < 2 {
				continue
			}
			units[item.Cluster] = true
			for i, category := range item.Categories {
				others, equal = others+study.BoolToInt(i != own), equal+study.BoolToInt(i != own && category == item.Categories[own])
			}
		}
		if p := math.Pow(float64(equal)/float64(others), float64(len(units))); p*float64(tests) <= maxCauseP {
			noticeable = append(noticeable, name)
		}
	}
	return noticeable
}
