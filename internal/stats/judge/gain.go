package judge

import "math"

// A GainReason is why a label of an item is expected to add much.
type GainReason string

// The reasons.
const (
	Disagreement GainReason = "disagreement"  // annotators differed from the judge more than usual where it gave this answer
	AnnotatorTie GainReason = "annotator_tie" // annotators were tied more often than usual where it gave this answer
	JudgesDiffer GainReason = "judges_differ" // other judges gave the item another answer
	RareValue    GainReason = "rare_value"    // the judge gives this answer less often than others
	NoReason     GainReason = "none"          // no part is above the average
)

// A Gain is what a label of an item is expected to add, in parts of 0 to 1.
type Gain struct {
	Disagreement float64 // root mean square distance of the judge from the annotators' mean at its answer, as a share of the scale
	AnnotatorTie float64 // share of items with tied annotators at the judge's answer
	JudgesDiffer float64 // share of the other judges with another answer
	RareValue    float64 // 1 − how often the judge gives its answer, relative to equally frequent answers

	isOftenOff, isOftenTied bool // more than over all answers
}

// sideShare is how much ties and rare values count. Estimates gain from labels where the judge
// is wrong; the others add items to read.
const sideShare = 0.5

func (g Gain) parts() [4]float64 {
	return [4]float64{g.Disagreement, g.JudgesDiffer, sideShare * g.AnnotatorTie, sideShare * g.RareValue}
}

// Total is the sum of the parts, where ties and rare values count half.
func (g Gain) Total() (total float64) {
	for _, part := range g.parts() {
		total += part
	}
	return total
}

// Reason returns the reason of the part that counts most, of those that set the item apart.
func (g Gain) Reason() GainReason {
	reason, largest := NoReason, 0.0
	reasons := [...]GainReason{Disagreement, JudgesDiffer, AnnotatorTie, RareValue}
	setsApart := [...]bool{g.isOftenOff, true, g.isOftenTied, true}
	for i, part := range g.parts() {
		if setsApart[i] && part > largest {
			reason, largest = reasons[i], part
		}
	}
	return reason
}

// Experience is what is known about a judge's answers to a field.
type Experience struct {
	scale    []int
	judged   map[int]float64 // items by the judge's answer
	total    float64
	byAnswer map[int]errorSums // of labeled items
	overall  errorSums
}

type errorSums struct{ items, squares, ties float64 }

// NewExperience starts with nothing known about a field with this scale.
func NewExperience(scale []int) *Experience {
	return &Experience{scale: scale, judged: map[int]float64{}, byAnswer: map[int]errorSums{}}
}

// AddJudgment counts an answer of the judge.
func (e *Experience) AddJudgment(answer int) {
	e.judged[answer]++
	e.total++
}

// AddLabels counts an item with an answer of the judge and answers of annotators.
func (e *Experience) AddLabels(answer int, labels []int) {
	if len(labels) == 0 {
		return
	}
	sum, counts, most := 0.0, map[int]int{}, 0
	for _, label := range labels {
		sum += float64(label)
		counts[label]++
		most = max(most, counts[label])
	}
	leaders := 0
	for _, count := range counts {
		if count == most {
			leaders++
		}
	}
	distance := (sum/float64(len(labels)) - float64(answer)) / e.span()
	added := errorSums{items: 1, squares: distance * distance}
	if leaders > 1 {
		added.ties = 1
	}
	e.byAnswer[answer], e.overall = e.byAnswer[answer].plus(added), e.overall.plus(added)
}

func (s errorSums) plus(t errorSums) errorSums {
	return errorSums{s.items + t.items, s.squares + t.squares, s.ties + t.ties}
}

func (e *Experience) span() float64 {
	return max(float64(e.scale[len(e.scale)-1]-e.scale[0]), 1)
}

const (
	// priorItems is how many labeled items the errors over all answers count for in addition to
	// those at one answer, so that a single item at a rare answer does not decide its gain.
	priorItems = 5
	// priorSquare is the mean square distance of a judge that is not known yet.
	priorSquare = 0.25 * 0.25
)

// Gain returns the expected gain of a label of an item without one, from the judge's answer and
// those of other judges.
func (e *Experience) Gain(answer int, others []int) Gain {
	g := Gain{RareValue: min(max(1-e.judged[answer]*float64(len(e.scale))/max(e.total, 1), 0), 1)}
	at, overall := e.byAnswer[answer], e.overall
	square := (overall.squares + priorItems*priorSquare) / (overall.items + priorItems)
	g.Disagreement = min(math.Sqrt((at.squares+priorItems*square)/(at.items+priorItems)), 1)
	g.AnnotatorTie = (at.ties + priorItems*overall.ties/max(overall.items, 1)) / (at.items + priorItems)
	g.isOftenOff, g.isOftenTied = at.squares*overall.items > overall.squares*at.items, at.ties*overall.items > overall.ties*at.items
	for _, other := range others {
		if other != answer {
			g.JudgesDiffer += 1 / float64(len(others))
		}
	}
	return g
}
