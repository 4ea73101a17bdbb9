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
	Says   string  // to whoever gave the answers
}

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
	l, off, crossed, more := Lean{Field: f}, []float64{}, map[int]int{}, 0
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
		if own > right {
			more++
		}
	}
	l.N, l.Mean, l.Spread = len(off), mean(off), spread(off)
	if f.Scale.Binary() {
		l.Says = l.saysYesNo(more)
	} else {
		l.Says = l.saysHow(mostCrossed(crossed))
	}
	return l
}

// count takes one difference into l.
func (l *Lean) count(apart int) {
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

func (l Lean) saysHow(boundary int, mostly bool) string {
	title := "“" + l.Field.Title + "”"
	switch {
	case l.N == 0:
		return "Nothing of " + title + " can be compared."
	case l.Exact == l.N:
		return fmt.Sprintf("You score %s exactly as the reference does.", title)
	case math.Abs(l.Mean) < nearly:
		return fmt.Sprintf("On average you score %s like the reference; you differ on %d of %d items.", title, l.N-l.Exact, l.N)
	}
	way := "higher"
	if l.Mean < 0 {
		way = "lower"
	}
	says := fmt.Sprintf("You score %s %.1f %s than the reference", title, math.Abs(l.Mean), way)
	if mostly {
		says += fmt.Sprintf(", mostly at the %d–%d boundary", boundary, boundary+1)
	}
	return says + "."
}

// saysYesNo tells of a field that is answered yes or no.
func (l Lean) saysYesNo(more int) string {
	title, differ := "“"+l.Field.Title+"”", l.N-l.Exact
	fewer := differ - more
	switch {
	case l.N == 0:
		return "Nothing of " + title + " can be compared."
	case differ == 0:
		return fmt.Sprintf("You answer %s exactly as the reference does.", title)
	case fewer == 0:
		return fmt.Sprintf("You say yes to %s where the reference says no, on %d of %d items.", title, more, l.N)
	case more == 0:
		return fmt.Sprintf("You say no to %s where the reference says yes, on %d of %d items.", title, fewer, l.N)
	}
	return fmt.Sprintf("You differ from the reference on %s on %d of %d items: a yes too many on %d, a no too many on %d.", title, differ, l.N, more, fewer)
}
