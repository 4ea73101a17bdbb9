package labeling

import (
	"fmt"
	"math"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A AnswerPair is what somebody said of a calibration item, beside its reference.
type AnswerPair struct {
	Own, Reference protocol.Answers
}

// A Bias is how somebody's answers to one field lie to the reference, over the
// calibration items that both answered.
type Bias struct {
	Field       protocol.Field
	N           int
	Mean        float64 // own less reference
	StdDev      float64 // the standard deviation of the differences, over n − 1; 0 of fewer than two
	ExactCount  int     // items answered alike
	FarCount    int     // items two points or more apart; of a yes or no, answered otherwise
	HigherCount int     // items answered higher than the reference; of a yes or no, a yes too many
	Message     string  // to whoever gave the answers
}

// MinItems is how many items a lean is told from. Where answers are off by 0.8
// of a point from item to item, the mean of five lies within one point of the
// truth at 95 % (Student's t: 2.78 · 0.8 / √5), that of three within two: no
// direction could be told.
const MinItems = 5

// Sufficient reports whether l rests on items enough to be told.
func (b Bias) Sufficient() bool { return b.N >= MinItems }

// Magnitude returns how far the mean lies from the reference, to the tenth of a point;
// halves of one count as more.
func (b Bias) Magnitude() float64 { return math.Round(10*math.Abs(b.Mean)) / 10 }

// LowerCount returns how many items were answered lower than the reference; of a yes
// or no, a no too many.
func (b Bias) LowerCount() int { return b.N - b.ExactCount - b.HigherCount }

// OneSided reports whether the answers lie to one side of the reference, as far as
// that can be told.
func (b Bias) OneSided() bool { return b.Sufficient() && math.Abs(b.Mean) >= negligibleBias }

// missThreshold is how many items may be far from the reference before the guide is
// to be read again.
const missThreshold = 2

// Missed reports whether the guide's section on the field is to be read again.
func (b Bias) Missed() bool { return b.FarCount >= missThreshold }

// StandardError returns the standard error of the mean; NaN of fewer than two.
func (b Bias) StandardError() float64 {
	if b.N < 2 {
		return math.NaN()
	}
	return b.StdDev / math.Sqrt(float64(b.N))
}

// ComputeBiases compares what one annotator said of the calibration items, field by
// field.
func ComputeBiases(p protocol.Protocol, items []AnswerPair) []Bias {
	biases := make([]Bias, len(p.Fields))
	for i, f := range p.Fields {
		biases[i] = computeBias(f, items)
	}
	return biases
}

// MissedFields returns the keys of the fields whose sections are to be read again.
func MissedFields(biases []Bias) []string {
	keys := []string{}
	for _, b := range biases {
		if b.Missed() {
			keys = append(keys, b.Field.Key)
		}
	}
	return keys
}

func computeBias(f protocol.Field, items []AnswerPair) Bias {
	b, differences, crossings := Bias{Field: f}, []float64{}, map[int]int{}
	for _, c := range items {
		own, answered := c.Own.Values[f.Key]
		reference, hasReference := c.Reference.Values[f.Key]
		if !answered || !hasReference {
			continue
		}
		differences = append(differences, float64(own-reference))
		for low := min(own, reference); low < max(own, reference); low++ {
			crossings[low]++
		}
		b.addDifference(own - reference)
	}
	b.N, b.Mean, b.StdDev = len(differences), mean(differences), stdDev(differences)
	switch {
	case !b.Sufficient():
		b.Message = b.describeTooFew()
	case f.Scale.IsBinary():
		b.Message = b.describeBinary()
	default:
		b.Message = b.describeScale(mainBoundary(crossings))
	}
	return b
}

// addDifference takes one difference into l.
func (b *Bias) addDifference(difference int) {
	if difference > 0 {
		b.HigherCount++
	}
	switch {
	case difference == 0:
		b.ExactCount++
	case b.Field.Scale.IsBinary() || difference >= 2 || difference <= -2:
		b.FarCount++
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / max(float64(len(values)), 1)
}

// stdDev is the standard deviation over n − 1.
func stdDev(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	center, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - center) * (v - center)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// mainBoundary returns the boundary that half of the differences or more lie
// at, by its lower point; none: not ok.
func mainBoundary(crossings map[int]int) (low int, ok bool) {
	total, highest, ties := 0, 0, 0
	for boundary, n := range crossings {
		total += n
		switch {
		case n > highest:
			low, highest, ties = boundary, n, 1
		case n == highest:
			ties++
		}
	}
	return low, highest > 1 && ties == 1 && 2*highest >= total
}

// negligibleBias is what a mean difference below is called: none.
const negligibleBias = 0.25

// describeTooFew tells of a field that too few items were answered on.
func (b Bias) describeTooFew() string {
	items, differ := fmt.Sprintf("%d items are", b.N), fmt.Sprintf("You differ on %d of them.", b.N-b.ExactCount)
	switch {
	case b.N == 0:
		return "Nothing of “" + b.Field.Title + "” can be compared."
	case b.ExactCount == b.N:
		differ = "You answered like the reference."
	case b.N == 1:
		differ = "You differ on it."
	}
	if b.N == 1 {
		items = "1 item is"
	}
	return fmt.Sprintf("%s too few to tell how you lean on “%s”. %s", items, b.Field.Title, differ)
}

func (b Bias) describeScale(boundary int, hasBoundary bool) string {
	title := "“" + b.Field.Title + "”"
	switch {
	case b.ExactCount == b.N:
		return fmt.Sprintf("You score %s exactly as the reference does.", title)
	case math.Abs(b.Mean) < negligibleBias:
		return fmt.Sprintf("On average you score %s like the reference; you differ on %d of %d items.", title, b.N-b.ExactCount, b.N)
	}
	direction := "higher"
	if b.Mean < 0 {
		direction = "lower"
	}
	message := fmt.Sprintf("You score %s %.1f %s than the reference", title, b.Magnitude(), direction)
	if hasBoundary {
		message += fmt.Sprintf(", mostly at the %d–%d boundary", boundary, boundary+1)
	}
	return message + "."
}

// describeBinary tells of a field that is answered yes or no.
func (b Bias) describeBinary() string {
	title, differing, higher, lower := "“"+b.Field.Title+"”", b.N-b.ExactCount, b.HigherCount, b.LowerCount()
	switch {
	case differing == 0:
		return fmt.Sprintf("You answer %s exactly as the reference does.", title)
	case lower == 0:
		return fmt.Sprintf("You say yes to %s where the reference says no, on %d of %d items.", title, higher, b.N)
	case higher == 0:
		return fmt.Sprintf("You say no to %s where the reference says yes, on %d of %d items.", title, lower, b.N)
	}
	return fmt.Sprintf("You differ from the reference on %s on %d of %d items: a yes too many on %d, a no too many on %d.", title, differing, b.N, higher, lower)
}
