package agreement

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A CauseKind is why agreement does not meet the target.
type CauseKind string

// The causes.
const (
	// without the annotator κ is shown to rise, to another advice or to the target
	OneAnnotator      CauseKind = "one_annotator"
	ConstantAnnotator CauseKind = "constant_annotator" // gave every shared item Answer
	SwappedScale      CauseKind = "swapped_scale"      // an annotator, or one of two, answers against the others
	OneAnswer         CauseKind = "one_answer"         // dominates; specific agreement is the figure to read
)

// A Cause is a reason for low agreement that can be named.
type Cause struct {
	Kind         CauseKind `json:"cause"`
	Annotator    string    `json:"annotator"`     // empty for causes that are not about one
	Answer       *int      `json:"answer"`        // of ConstantAnnotator and OneAnswer
	Share        *float64  `json:"share"`         // of the answers to shared items that are Answer, of OneAnswer
	KappaWithout *float64  `json:"kappa_without"` // of OneAnnotator
	MeetsWithout bool      `json:"meets_without"` // agreement without the annotator is shown to meet the target
}

const (
	// maxCauseAnnotators is the number of annotators up to which each is left out in turn.
	maxCauseAnnotators = 40
	// maxCauseP is the largest p-value of a cause, adjusted for the annotators and fields of a report.
	maxCauseP = 0.05
	// maxSwappedKappa is the κ with the others below which a scale looks swapped. Where one answer dominates, κ is
	// often
	// a little below 0.
	maxSwappedKappa = -0.2
	// minPrevalence is the share of one answer above which κ falls although annotators agree (Feinstein & Cicchetti
	// 1990,
	// Journal of Clinical Epidemiology 43).
	minPrevalence = 0.8
	// minOtherUnits is the number of shared items, or records, with another than the most frequent answer that a κ
	// needs
	// to meet the target: on fewer, annotators can agree by chance.
	minOtherUnits = 5
)

// CausingAnnotators returns the annotators who are causes.
func (f Field) CausingAnnotators() (names []string) {
	for _, c := range f.Causes {
		if c.Annotator != "" && !slices.Contains(names, c.Annotator) {
			names = append(names, c.Annotator)
		}
	}
	return names
}

// findCauses names what lowers the agreement on each field that does not meet the target.
func findCauses(s *study.Study, fields []Field) error {
	tests, err := testAnnotators(s, fields)
	if err != nil {
		return err
	}
	for i := range fields {
		f, q := &fields[i], s.Fields[i]
		if !f.mayHaveCause() {
			continue
		}
		f.addAnnotatorCauses(s, q, tests[i])
		// without a κ, that says it all
		if answer, share := mostFrequentAnswer(q); share >= minPrevalence && f.Kappa.Value != nil {
			f.Causes = append(f.Causes, Cause{Kind: OneAnswer, Answer: &answer, Share: &share})
		}
	}
	return nil
}

func (f *Field) mayHaveCause() bool { return f.Verdict == BelowTarget || f.Verdict == Open }

// addAnnotatorCauses names the annotators who lower agreement.
func (f *Field) addAnnotatorCauses(s *study.Study, q study.FieldTable, tests []annotatorTest) {
	if most, ok := f.findDivergent(s, q, tests); ok {
		without := most.Value
		f.Causes = append(f.Causes, Cause{Kind: OneAnnotator, Annotator: most.Annotator, KappaWithout: &without,
			MeetsWithout: f.meetsWithout(s, q, most.Annotator)})
	}
	f.Causes = append(f.Causes, constantAnnotators(q, len(s.Annotators)*len(s.Fields))...)
	for _, test := range tests {
		if test.isSwapped() {
			f.Causes = append(f.Causes, Cause{Kind: SwappedScale, Annotator: test.Annotator})
		}
	}
	if p, ok := f.Kappa.SamplingInterval().ProbabilityAtLeast(0); ok && len(q.Table.Annotators()) == 2 &&
		*f.Kappa.Value < maxSwappedKappa && 2*p*float64(len(s.Fields)) <= maxCauseP {
		f.Causes = append(f.Causes, Cause{Kind: SwappedScale})
	}
}

// An annotatorTest is whether one annotator lowers the agreement on a field, or answers against the others. The
// p-values
// are one-sided and adjusted for all annotators and fields.
type annotatorTest struct {
	stats.LeftOut
	kappaWithOthers float64
	swappedP        float64 // of no κ below 0 with the others
}

// isDivergent reports whether κ is shown to rise without the annotator.
func (t annotatorTest) isDivergent() bool {
	return t.IsDefined && t.P <= maxCauseP && t.PairedItems >= MinItems
}

// isSwapped reports whether the answers run against those of the others: κ with them is far below 0, and it rises
// without the annotator; neither is chance.
func (t annotatorTest) isSwapped() bool {
	return t.swappedP <= maxCauseP && t.kappaWithOthers < maxSwappedKappa && t.P <= maxCauseP
}

// testAnnotators tests each annotator of each field that may have a cause, if there are three or more. Without tests,
// annotators with the same error rate would be named by chance: one of them always has the lowest agreement.
func testAnnotators(s *study.Study, fields []Field) ([][]annotatorTest, error) {
	tests, all := make([][]annotatorTest, len(fields)), []*annotatorTest{}
	for i, q := range s.Fields {
		n := len(q.Table.Annotators())
		if n < 3 || n > maxCauseAnnotators {
			continue
		}
		if tests[i] = slices.Repeat([]annotatorTest{{LeftOut: stats.LeftOut{P: 1}, swappedP: 1}},
			n); fields[i].mayHaveCause() && fields[i].Kappa.Value != nil {
			figures, err := s.KappasWithOthers(q)
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
	if p, ok := withOthers.SamplingInterval().ProbabilityAtLeast(0); ok {
		test.swappedP = p
	}
	return test
}

// findDivergent returns the annotator without whom κ is highest, among those without whom it is shown to rise, past the
// limit for a rewrite or to the target.
func (f *Field) findDivergent(s *study.Study, q study.FieldTable, tests []annotatorTest) (most annotatorTest, ok bool) {
	for _, test := range tests {
		isCandidate := test.isDivergent() && test.Value > *f.Kappa.Value && (!ok || test.Value > most.Value)
		if isCandidate && (f.zone(test.Value) != f.zone(*f.Kappa.Value) || f.meetsWithout(s, q, test.Annotator)) {
			most, ok = test, true
		}
	}
	return most, ok
}

// zone returns how many of the limit for a rewrite and the target κ reaches.
func (f *Field) zone(κ float64) int {
	return study.BoolToInt(!study.IsBelow(κ, min(study.RewriteLimit, f.Target))) + study.BoolToInt(
		!study.IsBelow(κ, f.Target))
}

// meetsWithout reports whether agreement without an annotator is shown to meet the target.
func (f *Field) meetsWithout(s *study.Study, q study.FieldTable, name string) bool {
	q.Table = q.Table.SelectAnnotators(func(other string) bool { return other != name })
	again := Field{Target: f.Target, Figures: study.FiguresFromEstimates(stats.ComputeEstimates(q.Table, s.Options,
		stats.PercentAgreement(), stats.SharedKappa(stats.Linear)))}
	again.decide(q)
	return again.Verdict == Meets
}

// mostFrequentAnswer returns the most frequent answer to shared items, and its share.
func mostFrequentAnswer(q study.FieldTable) (value int, share float64) {
	counts, total := make([]int, len(q.Values)), 0
	for item := range q.Table.ByItem() {
		if len(item.Categories) < 2 {
			continue
		}
		for _, c := range item.Categories {
			counts[c]++
			total++
		}
	}
	most := slices.Index(counts, slices.Max(counts))
	return q.Values[most], float64(counts[most]) / float64(max(total, 1))
}

// hasOtherAnswers reports whether enough shared items, or records, have another than the most frequent answer.
func hasOtherAnswers(q study.FieldTable) bool {
	value, _ := mostFrequentAnswer(q)
	point, _ := q.Values.Index(value)
	items, records := 0, map[int]bool{}
	for item := range q.Table.ByItem() {
		if len(item.Categories) > 1 && slices.ContainsFunc(item.Categories, func(c uint8) bool {
			return int(c) != point
		}) {
			items++
			records[item.Cluster] = true
		}
	}
	if q.Table.HasClusters() {
		items = len(records)
	}
	return items >= minOtherUnits
}

// constantAnnotators names the annotators who gave one answer to all their shared items, although the others gave it
// too
// rarely for that to be chance among so many tests.
func constantAnnotators(q study.FieldTable, tests int) (constant []Cause) {
	shared := q.Table.Paired()
	for g, name := range shared.Annotators() {
		values := shared.UsedValues(name)
		if len(values) != 1 {
			continue
		}
		others, equal, units := 0, 0, map[int]bool{}
		for item := range shared.ByItem() {
			own := slices.Index(item.Annotators, int32(g))
			if own < 0 {
				continue
			}
			units[item.Cluster] = true
			for i, category := range item.Categories {
				others, equal = others+study.BoolToInt(i != own), equal+study.BoolToInt(i != own &&
					category == item.Categories[own])
			}
		}
		if p := math.Pow(float64(equal)/float64(others), float64(len(units))); p*float64(tests) <= maxCauseP {
			constant = append(constant, Cause{Kind: ConstantAnnotator, Annotator: name, Answer: &values[0]})
		}
	}
	return constant
}
