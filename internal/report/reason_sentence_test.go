package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A reasonStudy is random labels to one field, and all that figures about annotators use.
type reasonStudy struct {
	*dataBuilder
	points     []int
	annotators []string
	work       map[string]map[project.ItemID]int // by annotator
	duplicates map[string]map[project.ItemID]int
	calibrated map[string]map[project.ItemID]int
	judge      map[project.ItemID]int
	groupOf    map[project.ItemID]string
}

// newReasonStudy returns a study in which annotators share many, few or no items, and some of them always
// give one answer.
func newReasonStudy(t *testing.T, r *rand.Rand) reasonStudy {
	s := reasonStudy{newDataBuilder(t, []string{"empathy", "ambiguity", "rag-generation"}[r.IntN(3)]), nil, []string{"ada", "bo", "cy"}[:1+r.IntN(3)],
		map[string]map[project.ItemID]int{}, map[string]map[project.ItemID]int{}, map[string]map[project.ItemID]int{}, map[project.ItemID]int{}, map[project.ItemID]string{}}
	s.Protocol.Fields = s.Protocol.Fields[:1]
	for _, p := range s.Protocol.Fields[0].Scale {
		s.points = append(s.points, p.Value)
	}
	s.References, s.Adjudicated = map[project.ItemID]map[string]int{}, map[project.ItemID]map[string]int{}
	for _, name := range s.annotators {
		s.work[name], s.duplicates[name], s.calibrated[name] = map[project.ItemID]int{}, map[project.ItemID]int{}, map[project.ItemID]int{}
	}
	onlyNew := r.IntN(4) > 0 // lacks answers
	presence, isConstant, missing, second := []float64{0.1, 0.6, 1}[r.IntN(3)], r.IntN(2) == 0, []float64{0, 0.5, 1}[r.IntN(3)], []string{"new", "new", "base"}[r.IntN(3)]
	for range []int{2, 5, 14, 30}[r.IntN(4)] {
		id := s.addItem(func(item *study.ItemData) {
			item.Meta = map[string]string{"system": []string{"base", second}[r.IntN(2)]}
		})
		s.groupOf[id] = s.Items[len(s.Items)-1].Meta["system"]
		for _, name := range s.annotators {
			value := s.points[r.IntN(len(s.points))]
			if isConstant && (r.IntN(20) > 0 || name == "ada") {
				value = s.points[1]
			}
			if r.Float64() < presence {
				s.addAnswers(r, id, name, value, (s.groupOf[id] == "new" || !onlyNew) && r.Float64() < missing)
			}
		}
		if r.IntN(3) == 0 {
			s.judge[id] = s.points[r.IntN(len(s.points))]
			s.Judgments = append(s.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{s.Protocol.Fields[0].Key: s.judge[id]}})
		}
		if decision := s.points[r.IntN(len(s.points))]; r.IntN(2) == 0 {
			s.Adjudicated[id] = map[string]int{s.Protocol.Fields[0].Key: decision}
		}
	}
	return s
}

// addAnswers adds a label, which lacks an answer if isMissing, and sometimes a hidden duplicate and a
// calibration label.
func (s reasonStudy) addAnswers(r *rand.Rand, id project.ItemID, name string, value int, isMissing bool) {
	key := s.Protocol.Fields[0].Key
	if isMissing {
		s.addLabel(id, name, study.Work, -1)
		return
	}
	s.addLabel(id, name, study.Work, value)
	s.work[name][id] = value
	if r.IntN(4) == 0 {
		again := []int{value, s.points[r.IntN(len(s.points))]}[r.IntN(2)]
		s.addLabel(id, name, study.Duplicate, again)
		s.duplicates[name][id] = again
	}
	if r.IntN(8) == 0 {
		s.addLabel(id, name, study.Calibration, value)
		s.calibrated[name][id] = value
		if s.References[id] == nil {
			s.References[id] = map[string]int{key: s.points[r.IntN(2)]}
		}
	}
}

// singleValue returns the only value, if there is only one.
func singleValue(values []int) (value int, ok bool) {
	if len(values) == 0 || slices.Min(values) != slices.Max(values) {
		return 0, false
	}
	return values[0], true
}

// sharedText returns why κ of pairs of answers is missing.
func sharedText(values []int, ifNone string) string {
	switch v, isSingle := singleValue(values); {
	case len(values) == 0:
		return ifNone
	case isSingle:
		return fmt.Sprintf("every answer to a shared item is %d, and agreement needs answers that vary", v)
	}
	return ""
}

// withOthers returns the answers of an annotator and of others to items that they share.
func (s reasonStudy) withOthers(name string) (values []int) {
	for _, other := range s.annotators {
		for id, v := range s.work[other] {
			if own, isShared := s.work[name][id]; isShared && other != name {
				values = append(values, own, v)
			}
		}
	}
	return values
}

// A reasonCheck is a reason as it is given, and the one that the labels give.
type reasonCheck struct{ figure, got, want string }

// annotatorReasons returns the reasons for missing figures about an annotator.
func (s reasonStudy) annotatorReasons(a report.Annotator) (list []reasonCheck) {
	f := a.Fields[0]
	list = append(list, reasonCheck{"κ with others", f.Kappa.Undefined, sharedText(s.withOthers(a.Name), "no other annotator has labeled the same items")})
	decided := 0
	for id := range s.work[a.Name] {
		decided += boolToInt(s.Adjudicated[id] != nil)
	}
	list = append(list, reasonCheck{"equal to decisions", f.AdjudicationComparison.PercentAgreement.Undefined, map[bool]string{true: "there are too few adjudicated items"}[decided < 10]},
		reasonCheck{"number of decisions", fmt.Sprint(f.AdjudicationComparison.Items), fmt.Sprint(decided)})
	if repeated := s.duplicates[a.Name]; len(repeated) > 0 {
		var values []int
		for id, again := range repeated {
			values = append(values, again, s.work[a.Name][id])
		}
		c := a.SelfConsistency[0]
		list = append(list, reasonCheck{"within one point", c.WithinOnePoint.Undefined, map[bool]string{true: "on a scale with fewer than four points, one point apart is not close"}[len(s.points) < 4]},
			reasonCheck{"κ with oneself", c.Kappa.Undefined, sharedText(values, "")})
	}
	if calibrated := s.calibrated[a.Name]; len(calibrated) > 0 {
		list = append(list, s.biasReason("calibration", a.CalibrationBias[0].Number, calibrated, func(id project.ItemID) (int, bool) {
			return s.References[id][s.Protocol.Fields[0].Key], true
		}))
	}
	return list
}

// biasReason returns why a bias has no interval.
func (s reasonStudy) biasReason(figure string, n study.Number, answers map[project.ItemID]int, reference func(project.ItemID) (int, bool)) reasonCheck {
	var differences []int
	for id, v := range answers {
		if other, ok := reference(id); ok {
			differences = append(differences, v-other)
		}
	}
	want := ""
	if _, isSingle := singleValue(differences); len(differences) < 3 {
		want = "at least 3 items are needed"
	} else if isSingle {
		want = "every difference is the same, so the uncertainty cannot be estimated"
	}
	return reasonCheck{figure, n.MissingReason(), want}
}

// judgeReasons returns the reasons for missing figures about the judge.
func (s reasonStudy) judgeReasons(f report.JudgeField) (list []reasonCheck) {
	var withJudge, among, all []int
	for id, judgment := range s.judge {
		var humans []int
		for _, name := range s.annotators {
			if v, ok := s.work[name][id]; ok {
				humans = append(humans, v)
			}
		}
		if len(humans) > 0 {
			withJudge = append(append(withJudge, judgment), humans...)
		}
		if all = append(all, humans...); len(humans) > 1 {
			among = append(among, humans...)
		}
	}
	amongText := sharedText(among, "no judged item has labels from two annotators")
	if text := sharedText(all, ""); len(among) > 0 && text != "" { // answers to other items are equal, too
		amongText = strings.Replace(text, "answer to a shared item", "answer", 1)
	}
	list = append(list, reasonCheck{"κ with the judge", f.HumanJudge.Undefined, sharedText(withJudge, "no item has a label and a judgment")},
		reasonCheck{"κ among annotators", f.HumanHuman.Undefined, amongText})
	for _, b := range f.Bias {
		var items int
		for id := range s.judge {
			items += boolToInt(s.consensusIs(id, b.Point))
		}
		list = append(list, reasonCheck{"bias at a point", b.Undefined, map[bool]string{true: "no item has this consensus"}[items == 0]}, reasonCheck{"items at a point", fmt.Sprint(b.Items), fmt.Sprint(items)})
	}
	return list
}

// consensusIs reports whether the consensus on an item is a value: of the decision, of one answer, of more
// than half, or on a scale of three points or more the middle one.
func (s reasonStudy) consensusIs(id project.ItemID, value int) bool {
	var answers []int
	for _, name := range s.annotators {
		if v, ok := s.work[name][id]; ok {
			answers = append(answers, v)
		}
	}
	slices.Sort(answers)
	decision, isDecided := s.Adjudicated[id][s.Protocol.Fields[0].Key]
	switch n := len(answers); {
	case n == 0:
		return false
	case isDecided:
		return decision == value
	case n%2 == 1:
		return answers[n/2] == value
	}
	return answers[0] == answers[1] && answers[0] == value || len(s.points) > 2 && answers[0]+answers[1] == 2*value
}

// TestReasons_Figures_AreTrue checks that a figure about annotators, a judge or groups is missing if and
// only if the labels give the reason that is stated, in random studies.
func TestReasons_Figures_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(46, 0)), map[string]map[string]int{}
	for n := range 150 {
		s := newReasonStudy(t, r)
		built, err := report.Build(s.Data, report.BuildOptions{Resamples: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var list []reasonCheck
		for _, a := range built.Annotators {
			list = append(list, s.annotatorReasons(a)...)
		}
		for _, j := range built.Judges {
			list = append(list, s.judgeReasons(j.Fields[0])...)
		}
		for _, c := range list {
			if c.got != c.want {
				t.Fatalf("study %d, %s: %q, want %q", n, c.figure, c.got, c.want)
			}
			if seen[c.figure] == nil {
				seen[c.figure] = map[string]int{}
			}
			seen[c.figure][strings.Map(func(c rune) rune { return map[bool]rune{true: '#', false: c}[c >= '0' && c <= '9'] }, c.want)]++
		}
	}
	for figure, reasons := range map[string]int{"κ with others": 3, "equal to decisions": 2, "within one point": 2, "κ with oneself": 2, "calibration": 3, "κ with the judge": 3, "κ among annotators": 4, "bias at a point": 2, "difference": 3} {
		if len(seen[figure]) != reasons {
			t.Errorf("%s: %d reasons occurred, want %d: %v", figure, len(seen[figure]), reasons, seen[figure])
		}
	}
}

// TestReasons_ManyPairs_AreTrue checks that an interval of a pair is missing for their number if and only if
// more than 66 pairs share items.
func TestReasons_ManyPairs_AreTrue(t *testing.T) {
	t.Parallel()
	for _, annotators := range []int{4, 12, 13} {
		d := newDataBuilder(t, "rag-generation")
		d.Protocol.Fields = d.Protocol.Fields[:1]
		for i := range 6 {
			id := d.addItem(nil)
			for g := range annotators {
				d.addLabel(id, fmt.Sprintf("a%02d", g), study.Work, (i+g/5)%2)
			}
		}
		built, err := report.Build(d.Data, report.BuildOptions{Resamples: 20, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		pairs := built.Fields[0].Pairs
		if len(pairs) != annotators*(annotators-1)/2 {
			t.Fatalf("%d pairs of %d annotators", len(pairs), annotators)
		}
		for _, p := range pairs {
			isMissing := p.Kappa.IntervalNote == "there are too many pairs to compute an interval for each"
			if isMissing != (len(pairs) > 66) || isMissing != (p.Confusion == nil) {
				t.Fatalf("%d pairs, %s and %s: %s", len(pairs), p.First, p.Second, p.Kappa.IntervalNote)
			}
		}
	}
}
