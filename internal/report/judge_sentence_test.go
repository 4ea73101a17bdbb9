package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A judgedStudy is random labels and judgments of two fields, and draws.
type judgedStudy struct {
	*dataBuilder
	judge  map[project.ItemID][]int            // −1: no answer
	labels map[project.ItemID]map[string][]int // by annotator
}

// newJudgedStudy returns a study of up to three annotators, of whom each makes errors or all answer at random, and of
// a judge who makes none, some or only errors, or always gives the same answer. Some studies have drawn items.
func newJudgedStudy(t *testing.T, r *rand.Rand) judgedStudy {
	s := judgedStudy{newDataBuilder(t, []string{"empathy", "rag-generation"}[r.IntN(2)]), map[project.ItemID][]int{}, map[project.ItemID]map[string][]int{}}
	s.Protocol.Fields = s.Protocol.Fields[:2]
	points := len(s.Protocol.Fields[0].Scale)
	lowest := s.Protocol.Fields[0].Scale[0].Value
	labeled, onlyJudged, error := []int{0, 1, 31, 45}[r.IntN(4)], []int{0, 1, 3, 40}[r.IntN(4)], []float64{0, 0.3, 1}[r.IntN(3)]
	isRandom, isConstant := r.IntN(6) == 0, r.IntN(6) == 0
	names, presence := []string{"ada", "bo", "cy"}[:1+r.IntN(3)], []float64{1, 0.75}[r.IntN(2)]
	answer := func(truth int, error float64) int {
		if r.Float64() < error {
			truth = (truth + 1) % points
		}
		return lowest + truth
	}
	for i := range labeled + onlyJudged {
		id, truths := s.addItem(nil), []int{r.IntN(points), r.IntN(points)}
		for _, name := range names {
			if i < labeled && r.Float64() < presence {
				values := []int{answer(truths[0], 0.15), answer(truths[1], 0.15)}
				if isRandom {
					values = []int{lowest + r.IntN(points), lowest + r.IntN(points)}
				}
				s.addLabel(id, name, study.Work, values...)
				if s.labels[id] == nil {
					s.labels[id] = map[string][]int{}
				}
				s.labels[id][name] = values
			}
		}
		if r.IntN(12) > 0 {
			s.judge[id] = []int{answer(truths[0], error), answer(truths[1], error)}
			if isConstant {
				s.judge[id] = []int{lowest + points/2, lowest + points/2}
			}
			j := study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{s.Protocol.Fields[0].Key: s.judge[id][0]}}
			if r.IntN(12) > 0 {
				j.Values[s.Protocol.Fields[1].Key] = s.judge[id][1]
			} else {
				s.judge[id][1] = -1
			}
			s.Judgments = append(s.Judgments, j)
		}
	}
	for n := range r.IntN(3) * r.IntN(2) {
		s.addDraw(r, n)
	}
	return s
}

// addDraw adds a batch that drew some items; it could not draw all.
func (s judgedStudy) addDraw(r *rand.Rand, n int) {
	d := study.LabelDraw{Batch: fmt.Sprintf("b%d", n+1), Judge: "critic"}
	covered := []float64{0.6, 1}[r.IntN(2)]
	for id := range s.judge {
		if r.Float64() < covered {
			d.Items = append(d.Items, study.DrawCandidate{ItemID: id, Probability: 0.2 + 0.6*r.Float64(), IsDrawn: r.IntN(2) == 0})
		}
	}
	slices.SortFunc(d.Items, func(a, b study.DrawCandidate) int { return int(a.ItemID - b.ItemID) })
	s.Draws = append(s.Draws, d)
}

// testJudge returns how many annotators the judge is tested against in a field, and against how many it wins.
func (s judgedStudy) testJudge(field int) (tested, wins int) {
	var pValues []float64
	for _, name := range []string{"ada", "bo", "cy"} {
		n, sum, squares := 0.0, 0.0, 0.0
		for id, answers := range s.labels {
			own, isLabeled := answers[name]
			if !isLabeled || len(answers) < 2 || s.judge[id] == nil || s.judge[id][field] < 0 {
				continue
			}
			ownDistance, judgeDistance := 0, 0
			for other, values := range answers {
				if other != name {
					ownDistance += (own[field] - values[field]) * (own[field] - values[field])
					judgeDistance += (s.judge[id][field] - values[field]) * (s.judge[id][field] - values[field])
				}
			}
			difference := float64(boolToInt(ownDistance < judgeDistance) - boolToInt(judgeDistance < ownDistance))
			n, sum, squares = n+1, sum+difference, squares+difference*difference
		}
		if n < 30 {
			continue
		}
		variance := (squares - sum*sum/n) / (n - 1)
		if p := float64(boolToInt(sum/n >= 0.2)); variance < 1e-9 {
			pValues = append(pValues, p)
		} else {
			pValues = append(pValues, stats.StudentCDF((sum/n-0.2)/math.Sqrt(variance/n), n-1))
		}
	}
	slices.Sort(pValues)
	harmonic := 0.0
	for i := range pValues {
		harmonic += 1 / float64(i+1)
	}
	for i, p := range pValues {
		if p <= 0.05*float64(i+1)/float64(len(pValues))/harmonic {
			wins = i + 1
		}
	}
	return len(pValues), wins
}

// A fieldDesign is which labels of a field count, from the draws alone.
type fieldDesign struct {
	labeled, counted, drawn, unused, onlyJudged, uncovered int // items
	shared                                                 int // of counted, with two annotators
	batches                                                []string
}

// design returns which labels of a field count. Without a draw that has labels, all do.
func (s judgedStudy) design(field int) (d fieldDesign) {
	isDrawn, isOpen, isCounted := map[project.ItemID]bool{}, map[project.ItemID]bool{}, map[project.ItemID]bool{}
	isJudged := func(id project.ItemID) bool { return s.judge[id] != nil && s.judge[id][field] >= 0 }
	for _, draw := range s.Draws {
		hasLabels, candidates := false, map[project.ItemID]bool{}
		for _, c := range draw.Items {
			if isJudged(c.ItemID) {
				candidates[c.ItemID] = true
				hasLabels = hasLabels || c.IsDrawn && len(s.labels[c.ItemID]) > 0
			}
		}
		if !hasLabels {
			continue
		}
		d.batches = append(d.batches, "“"+draw.Batch+"”")
		for _, c := range draw.Items {
			if c.IsDrawn && isJudged(c.ItemID) {
				isDrawn[c.ItemID] = len(s.labels[c.ItemID]) > 0
			}
		}
		uncovered := 0
		for id := range s.judge {
			if isJudged(id) && !candidates[id] {
				isOpen[id] = true // it could not be drawn here, so its label represents itself
				uncovered += boolToInt(len(s.labels[id]) == 0)
			}
		}
		d.uncovered = max(d.uncovered, uncovered)
	}
	for id := range s.judge {
		switch {
		case !isJudged(id):
		case len(s.labels[id]) == 0:
			d.onlyJudged++
		default:
			d.labeled++
			isCounted[id] = len(d.batches) == 0 || isDrawn[id] || isOpen[id]
			d.shared += boolToInt(isCounted[id] && len(s.labels[id]) > 1)
			d.counted, d.unused, d.drawn = d.counted+boolToInt(isCounted[id]), d.unused+boolToInt(!isCounted[id]), d.drawn+boolToInt(isDrawn[id])
		}
	}
	d.onlyJudged += d.unused
	return d
}

// equivalentLabels returns how many labels would give an interval as wide as that with the judge, as both are shown; 0
// without them.
func equivalentLabels(e report.JudgeEstimate) float64 {
	if e.LabelsAlone.Low == nil || e.WithJudge.Low == nil || e.GainUndefined != "" {
		return 0
	}
	return float64(e.Labels) * math.Pow((*e.LabelsAlone.High-*e.LabelsAlone.Low)/(*e.WithJudge.High-*e.WithJudge.Low), 2)
}

// A printedPart is a part of a text, and whether it is true.
type printedPart struct {
	text string
	want bool
}

// sentences returns the parts of what is said of a field, and whether each is true. The test of weighted
// labels and the obstacle are not computed here.
func (s judgedStudy) sentences(field int, f report.JudgeField) []printedPart {
	alternative := f.Alternative
	tested, wins := s.testJudge(field)
	d, gain := s.design(field), equivalentLabels(f.Estimate)
	isDrawn := len(d.batches) > 0
	if isDrawn {
		tested, wins = len(alternative.Annotators), alternative.Wins()
	}
	isWon := tested > 0 && 2*wins >= tested
	hasNoStandard := alternative.Obstacle == judge.UnreliableAnswers
	isUndecided := alternative.Obstacle.LacksData()   // TestCompare_FewItems_IsNoDefect and others are about this
	isReplaced := isWon && alternative.Obstacle == "" // TestJudge_Obstacle_NeedsChance is about the obstacle
	hasGain := gain >= 1.1*float64(d.counted) && gain > 0
	isSupport := hasGain && !isReplaced
	parts := []printedPart{
		{"The judge may replace an annotator: ", isReplaced},
		{"The judge may not replace an annotator: ", tested > 0 && !isWon && !isUndecided},
		{"Whether the judge may replace an annotator is not known: it wins against", isUndecided && !hasNoStandard},
		{"The judge cannot be tested: annotators agree too little on this field (κ ", hasNoStandard},
		{fmt.Sprintf("it wins against %d of %s (ω = ", wins, count(tested, "annotator", "annotators")), tested > 0 && !hasNoStandard},
		{"The judge is not recommended to replace an annotator, although it wins against ", isWon && !isReplaced && !isUndecided},
		{"Whether it supports estimates is not known: fewer than two items have a judgment and no label", tested > 0 && !isWon && !isUndecided && d.counted >= 2 && d.onlyJudged < 2},
		{"labels are weighted by 1 / sampling probability", isDrawn},
		{fmt.Sprintf("Of %s with labels that count, %s drawn (batch", count(d.counted, "item", "items"), map[bool]string{true: "1 is", false: fmt.Sprint(d.drawn, " are")}[d.drawn == 1]), isDrawn},
		{"(batch “", len(d.batches) == 1},
		{"(batches “", len(d.batches) == 2},
		{"Not in the draw and not labeled", isDrawn && d.uncovered > 0},
		{fmt.Sprintf("not labeled: %s. The estimate assumes", count(d.uncovered, "judged item", "judged items")), isDrawn && d.uncovered > 0},
		{fmt.Sprintf("Not counted: %s that could be drawn but got labels otherwise.", count(d.unused, "item", "items")), isDrawn && d.unused > 0},
	}
	addsNothing := tested > 0 && !isWon && !isUndecided && gain > 0 && !isSupport
	parts = append(parts,
		printedPart{"precision of ", hasGain},
		printedPart{fmt.Sprintf("ith its judgments of %s, %d labeled items give the precision of %d labeled items", count(d.onlyJudged, "further item", "further items"), d.counted, int(gain+1e-9)), hasGain},
		printedPart{"The judge adds nothing: the labels alone are ", addsNothing})
	if isDrawn { // the test of weighted labels is not computed here
		return parts
	}
	return append(parts,
		printedPart{"Not enough data: no annotator has 30 items that the judge", tested == 0 && !isSupport},
		printedPart{"Whether the judge may replace an annotator is not known: no annotator has 30 items", tested == 0 && isSupport})
}

// TestJudges_Sentences_AreTrue checks that what is said of a judge, and the number of items behind each
// figure, follow from random labels, judgments and draws.
func TestJudges_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(43, 0)), map[string][2]int{}
	for n := range 300 {
		s := newJudgedStudy(t, r)
		judges, err := report.CompareJudges(s.Data, report.BuildOptions{Resamples: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := report.WriteJudgesText(&b, judges); err != nil {
			t.Fatal(err)
		}
		text, hasDesign := b.String(), false
		if strings.Contains(text, "No model judge has judged items of this project.") != (len(s.judge) == 0) || len(judges) != min(len(s.judge), 1) {
			t.Fatalf("study %d: %d judgments, %d judges:\n%s", n, len(s.judge), len(judges), text)
		}
		for i := range s.Protocol.Fields {
			if len(judges) == 0 {
				break
			}
			f, d := judges[0].Fields[i], s.design(i)
			said := f.Message
			if f.Estimate.Design != nil {
				said, hasDesign = strings.Join(append([]string{said, f.Estimate.Design.Note}, f.Estimate.Design.Notes...), " "), true
			}
			for _, part := range s.sentences(i, f) {
				if got := strings.Contains(said, part.text); got != part.want {
					t.Fatalf("study %d, field %d: %q is %t, want %t: %s", n, i, part.text, got, part.want, said)
				}
				key := strings.NewReplacer("items", "item", "annotators", "annotator", "judgments", "judgment", " are ", " is ").Replace(part.text)
				key = strings.Map(func(c rune) rune { return map[bool]rune{true: -1, false: c}[c >= '0' && c <= '9'] }, key)
				seen[key] = [2]int{seen[key][0] + boolToInt(part.want), seen[key][1] + boolToInt(!part.want)}
			}
			if !strings.Contains(text, "  "+f.Field+": "+f.Message+"\n") {
				t.Fatalf("study %d: %q is not on the terminal:\n%s", n, f.Message, text)
			}
			if e := f.Estimate; e.Labels != d.counted || e.Judgments != d.onlyJudged || f.SharedItems != d.labeled || f.HumanJudge.Items != d.counted || f.HumanHuman.Items != d.shared {
				t.Fatalf("study %d: %d labels, %d judgments, κ of %d and of %d items, want %+v", n, e.Labels, e.Judgments, f.HumanJudge.Items, f.HumanHuman.Items, d)
			}
		}
		if got := strings.Contains(text, "All estimates are weighted:"); got != hasDesign {
			t.Fatalf("study %d: the note on weights is %t:\n%s", n, got, text)
		}
	}
	for part, n := range seen {
		if n[0] < 3 || n[1] < 3 {
			t.Errorf("%q holds for %d fields and fails for %d; want both", part, n[0], n[1])
		}
	}
}

// TestJudgeEstimate_Gain_FollowsIntervals checks that what is said to be the worth of the judge, for a yes/no field and for a
// score, never contradicts the intervals next to it, where items were drawn by the judge's answers and where they were not.
func TestJudgeEstimate_Gain_FollowsIntervals(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(44, 0)), map[string]int{}
	for n := range 400 {
		d := newDataBuilder(t, []string{"empathy", "rag-generation"}[r.IntN(2)])
		d.Protocol.Fields = d.Protocol.Fields[:1]
		key, scale, isDrawn := d.Protocol.Fields[0].Key, d.Protocol.Fields[0].Scale.Values(), r.IntN(3) > 0
		share, misses, falseAlarms, labeled := []float64{0.06, 0.15, 0.4}[r.IntN(3)], []float64{0, 0.3, 0.6, 1}[r.IntN(4)], 0.1*r.Float64(), 40+r.IntN(100)
		if misses == 1 { // a random judge
			falseAlarms = 1
		}
		draw := study.LabelDraw{Batch: "next", Judge: "critic"}
		for i := range 500 {
			truth := 0
			if r.Float64() < share {
				truth = 1 + r.IntN(len(scale)-1)
			}
			judgment := truth
			if truth > 0 && r.Float64() < misses || truth == 0 && r.Float64() < falseAlarms {
				judgment = r.IntN(len(scale))
			}
			id, probability := d.addItem(nil), float64(labeled)/1000
			if judgment > 0 {
				probability = min(4*probability, 0.9)
			}
			isLabeled := !isDrawn && i < labeled || isDrawn && r.Float64() < probability
			if isDrawn {
				draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: probability, IsDrawn: isLabeled})
			}
			if isLabeled {
				d.addLabel(id, "ada", study.Work, scale[truth])
			}
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{key: scale[judgment]}})
		}
		if isDrawn {
			d.Draws = []study.LabelDraw{draw}
		}
		judges, err := report.CompareJudges(d.Data, report.BuildOptions{Resamples: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		f := judges[0].Fields[0]
		e, gain, kind := f.Estimate, equivalentLabels(f.Estimate)/float64(f.Estimate.Labels), fmt.Sprintf("%d points, drawn %t: ", len(scale), isDrawn)
		if e.EquivalentLabels == nil {
			continue
		}
		if f.Use != report.JudgeSupports && f.Use != report.JudgeUntested {
			t.Fatalf("study %d: %s", n, f.Use)
		}
		said, how := judges[0].Message, map[bool]string{true: ", if those were chosen in the same way."}[isDrawn]
		for text, want := range map[string]bool{
			fmt.Sprintf("%d labeled items give the precision of %d labeled items%s", e.Labels, int(gain*float64(e.Labels)+1e-9), how): gain >= 1.1,
			"The judge adds nothing: the labels alone are about as precise.":                                                          gain < 1.1 && gain*1.1 >= 1,
			"The judge adds nothing: the labels alone are more precise.":                                                              gain*1.1 < 1,
		} {
			if strings.Contains(said, text) != want {
				t.Fatalf("study %d, intervals %s and %s: %q is %t: %s", n, e.LabelsAlone.Range(), e.WithJudge.Range(), text, !want, said)
			}
		}
		seen[kind+map[bool]string{true: "gain", false: "none"}[gain >= 1.1]]++
	}
	for _, points := range []int{2, 5} {
		for _, kind := range []string{"drawn true: gain", "drawn true: none", "drawn false: gain", "drawn false: none"} {
			if n := seen[fmt.Sprintf("%d points, %s", points, kind)]; n < 10 {
				t.Errorf("%d points, %s: %d studies", points, kind, n)
			}
		}
	}
	t.Log(seen)
}
