package labeling

import (
	"fmt"
	"math"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Compared is what somebody said of a calibration item, beside its reference.
type Compared struct {
	Own, Reference protocol.Answers
}

// A Lean is how somebody's answers to one field lie to the reference, over the
// calibration items that both answered.
type Lean struct {
	Field  protocol.Field
	N      int
	Mean   float64 // own less reference
	Spread float64 // the standard deviation of the differences, over n − 1; 0 of fewer than two
	Exact  int     // items answered alike
	Far    int     // items two points or more apart; of a yes or no, answered otherwise
	More   int     // items answered higher than the reference; of a yes or no, a yes too many
	Says   string  // to whoever gave the answers
}

// Fewest is how many items a lean is told from. Where answers are off by 0.8
// of a point from item to item, the mean of five lies within one point of the
// truth at 95 % (Student's t: 2.78 · 0.8 / √5), that of three within two: no
// direction could be told.
const Fewest = 5

// Told reports whether l rests on items enough to be told.
func (l Lean) Told() bool { return l.N >= Fewest }

// Size returns how far the mean lies from the reference, to the tenth of a point;
// halves of one count as more.
func (l Lean) Size() float64 { return math.Round(10*math.Abs(l.Mean)) / 10 }

// Fewer returns how many items were answered lower than the reference; of a yes
// or no, a no too many.
func (l Lean) Fewer() int { return l.N - l.Exact - l.More }

// Aside reports whether the answers lie to one side of the reference, as far as
// that can be told.
func (l Lean) Aside() bool { return l.Told() && math.Abs(l.Mean) >= nearly }

// farApart is how many items may be far from the reference before the guide is
// to be read again.
const farApart = 2

// Missed reports whether the guide's section on the field is to be read again.
func (l Lean) Missed() bool { return l.Far >= farApart }

// Error returns the standard error of the mean; NaN of fewer than two.
func (l Lean) Error() float64 {
	if l.N < 2 {
		return math.NaN()
	}
	return l.Spread / math.Sqrt(float64(l.N))
}

// Leans compares what one annotator said of the calibration items, field by
// field.
func Leans(p protocol.Protocol, items []Compared) []Lean {
	leans := make([]Lean, len(p.Fields))
	for i, f := range p.Fields {
		leans[i] = leanOf(f, items)
	}
	return leans
}

// Missed returns the keys of the fields whose sections are to be read again.
func Missed(leans []Lean) []string {
	keys := []string{}
	for _, l := range leans {
		if l.Missed() {
			keys = append(keys, l.Field.Key)
		}
	}
	return keys
}

func leanOf(f protocol.Field, items []Compared) Lean {
	l, off, crossed := Lean{Field: f}, []float64{}, map[int]int{}
	for _, c := range items {
		own, answered := c.Own.Values[f.Key]
		right, asked := c.Reference.Values[f.Key]
		if !answered || !asked {
			continue
		}
		off = append(off, float64(own-right))
		for low := min(own, right); low < max(own, right); low++ {
			crossed[low]++
		}
		l.count(own - right)
	}
	l.N, l.Mean, l.Spread = len(off), mean(off), spread(off)
	switch {
	case !l.Told():
		l.Says = l.saysFew()
	case f.Scale.Binary():
		l.Says = l.saysYesNo()
	default:
		l.Says = l.saysHow(mostCrossed(crossed))
	}
	return l
}

// count takes one difference into l.
func (l *Lean) count(apart int) {
	if apart > 0 {
		l.More++
	}
	switch {
	case apart == 0:
		l.Exact++
	case l.Field.Scale.Binary() || apart >= 2 || apart <= -2:
		l.Far++
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / max(float64(len(values)), 1)
}

// spread is the standard deviation over n − 1.
func spread(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	middle, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - middle) * (v - middle)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// mostCrossed returns the boundary that half of the differences or more lie
// at, by its lower point; none: not ok.
func mostCrossed(crossed map[int]int) (low int, ok bool) {
	total, most, times := 0, 0, 0
	for at, n := range crossed {
		total += n
		switch {
		case n > most:
			low, most, times = at, n, 1
		case n == most:
			times++
		}
	}
	return low, most > 1 && times == 1 && 2*most >= total
}

// nearly is what a mean difference below is called: none.
const nearly = 0.25

// saysFew tells of a field that too few items were answered on.
func (l Lean) saysFew() string {
	items, differ := fmt.Sprintf("%d items are", l.N), fmt.Sprintf("You differ on %d of them.", l.N-l.Exact)
	switch {
	case l.N == 0:
		return "Nothing of “" + l.Field.Title + "” can be compared."
	case l.Exact == l.N:
		differ = "You answered like the reference."
	case l.N == 1:
		differ = "You differ on it."
	}
	if l.N == 1 {
		items = "1 item is"
	}
	return fmt.Sprintf("%s too few to tell how you lean on “%s”. %s", items, l.Field.Title, differ)
}

func (l Lean) saysHow(boundary int, mostly bool) string {
	title := "“" + l.Field.Title + "”"
	switch {
	case l.Exact == l.N:
		return fmt.Sprintf("You score %s exactly as the reference does.", title)
	case math.Abs(l.Mean) < nearly:
		return fmt.Sprintf("On average you score %s like the reference; you differ on %d of %d items.", title, l.N-l.Exact, l.N)
	}
	way := "higher"
	if l.Mean < 0 {
		way = "lower"
	}
	says := fmt.Sprintf("You score %s %.1f %s than the reference", title, l.Size(), way)
	if mostly {
		says += fmt.Sprintf(", mostly at the %d–%d boundary", boundary, boundary+1)
	}
	return says + "."
}

// saysYesNo tells of a field that is answered yes or no.
func (l Lean) saysYesNo() string {
	title, differ, more, fewer := "“"+l.Field.Title+"”", l.N-l.Exact, l.More, l.Fewer()
	switch {
	case differ == 0:
		return fmt.Sprintf("You answer %s exactly as the reference does.", title)
	case fewer == 0:
		return fmt.Sprintf("You say yes to %s where the reference says no, on %d of %d items.", title, more, l.N)
	case more == 0:
		return fmt.Sprintf("You say no to %s where the reference says yes, on %d of %d items.", title, fewer, l.N)
	}
	return fmt.Sprintf("You differ from the reference on %s on %d of %d items: a yes too many on %d, a no too many on %d.", title, differ, l.N, more, fewer)
}
