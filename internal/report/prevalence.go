package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
)

// minPrevalence is the share of one answer above which κ falls although annotators
// agree (Feinstein & Cicchetti 1990, Journal of Clinical Epidemiology 43).
const minPrevalence = 0.8

// minOtherItems is the number of shared items with another than the dominant answer from which κ
// shows whether annotators agree on it.
const minOtherItems = 10

// minGoItems is the same for a κ that meets the target: a value that only three or four items, or records, have can
// be agreed on by chance.
const minGoItems = 5

// adjustForPrevalence withdraws a low κ that is no evidence against the question: of a dominant
// answer, unless κ is conclusive and enough items have another. An annotator whose constant answer may
// be chance, among so many tests, is no cause: the answer is. A high κ is withdrawn if it rests on a few
// items.
func (v *Verdict) adjustForPrevalence(q fieldTable, f FieldReport, tests int) {
	if !v.IsInterpretable() && !v.IsUndecided() {
		return
	}
	if v.Outcome == Go {
		v.requireOtherAnswers(q)
		return
	}
	most, isDominant := q.dominant()
	isShown := most.others >= minOtherItems
	constant := q.findConstantAnnotators()
	isConstant := len(constant) > 0 && !q.hasVariedPair(constant)
	isByChance := isConstant && len(q.findNoticeablyConstant(tests)) == 0
	switch {
	case isDominant && (!isShown && v.outcomeAt(f.GwetAC().Low) == Go || most.hasOneDisagreement() || isByChance):
		v.withdraw(DominantAnswer, v.dominantAnswerText(most), sameItemsText)
	case isConstant:
		v.withdraw(ConstantAnnotator, v.constantAnnotatorText(f, q, constant), constantAnswersText)
		v.ConstantAnnotators = constant
	}
}

// requireOtherAnswers withdraws a κ that meets the target if too few items have another answer than the most frequent one.
func (v *Verdict) requireOtherAnswers(q fieldTable) {
	if most, _ := q.dominant(); most.otherUnits < minGoItems {
		v.withdraw(DominantAnswer, v.fewOtherItemsText(most), sameItemsText)
	}
}

func (v *Verdict) withdraw(outcome Outcome, message, overlapAdvice string) {
	v.Outcome, v.IsConclusive, v.Message, v.MoreItems = outcome, false, message, nil
	v.setOverlap(OverlapVariedItems, overlapAdvice)
}

// A dominantAnswer is the most frequent answer to shared items.
type dominantAnswer struct {
	value  int
	share  float64
	others int // shared items with another answer
	agreed int // of them, with equal answers
	// otherUnits are the records of these items, or the items where none share a record.
	otherUnits int
	areRecords bool
}

// hasOneDisagreement reports whether at most one item has different answers.
func (a dominantAnswer) hasOneDisagreement() bool { return a.others-a.agreed <= 1 }

// dominant returns the most frequent answer; false if others are frequent too.
func (q fieldTable) dominant() (a dominantAnswer, ok bool) {
	a.value, a.share = q.mostCommonAnswer()
	q.countOtherItems(&a)
	return a, a.share >= minPrevalence
}

// mostCommonAnswer returns the most frequent answer to shared items, and its share.
func (q fieldTable) mostCommonAnswer() (value int, share float64) {
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
	most := 0
	for c, n := range counts {
		if n > counts[most] {
			most = c
		}
	}
	return q.Values[most], float64(counts[most]) / float64(max(total, 1))
}

// countOtherItems counts the shared items with another answer than the dominant one.
func (q fieldTable) countOtherItems(a *dominantAnswer) {
	point, _ := q.Values.Index(a.value)
	a.areRecords = q.Table.HasClusters()
	records := map[int]bool{}
	for item := range q.Table.ByItem() {
		if len(item.Categories) > 1 && slices.ContainsFunc(item.Categories, func(c uint8) bool { return int(c) != point }) {
			a.others++
			a.agreed += study.BoolToInt(slices.Min(item.Categories) == slices.Max(item.Categories))
			records[item.Cluster] = true
		}
	}
	if a.otherUnits = a.others; a.areRecords {
		a.otherUnits = len(records)
	}
}

// hasVariedPair reports whether two annotators share an item neither of whom always answers the same.
func (q fieldTable) hasVariedPair(constant []string) bool {
	names := q.Table.Annotators()
	isConstant := make([]bool, len(names))
	for i, name := range names {
		isConstant[i] = slices.Contains(constant, name)
	}
	for item := range q.Table.ByItem() {
		varied := 0
		for _, annotator := range item.Annotators {
			varied += study.BoolToInt(!isConstant[annotator])
		}
		if varied > 1 {
			return true
		}
	}
	return false
}

// findConstantAnnotators returns the annotators who gave one answer to all their shared
// items, in order of name.
func (q fieldTable) findConstantAnnotators() (constant []string) {
	shared := q.Table.Paired()
	for _, name := range shared.Annotators() {
		if len(shared.UsedValues(name)) == 1 {
			constant = append(constant, name)
		}
	}
	return slices.Clip(constant)
}
