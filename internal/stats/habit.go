package stats

import (
	"math"
	"slices"
)

// Absent stands for the answer to a field that did not apply.
const Absent = math.MinInt

// An Asked is a field as habits see it.
type Asked struct {
	Key    string
	Scale  Scale
	Unsafe []int // the answers that say danger; none where the field is not about safety
}

// A Label is one submitted annotation as habits see it. Calibration items and
// hidden duplicates do not belong among them.
type Label struct {
	Item, Annotator string
	Position        int     // 1, 2, … in the annotator's sequence
	SinceBreak      int     // items done since the last break, 0 just after it
	Seconds         float64 // active time
	Length          float64 // characters of the text that was judged
	Answers         []int   // by field; Absent where a field did not apply
}

// A HabitName is what a habit is called.
type HabitName string

// The habits, in the order they are reported.
const (
	Leniency     HabitName = "leniency"
	Compression  HabitName = "score compression"
	SafeMiddle   HabitName = "safe middle"
	Halo         HabitName = "halo"
	Anchoring    HabitName = "anchoring on early items"
	Fatigue      HabitName = "fatigue drift"
	LengthCredit HabitName = "length over-credited"
	StraightLine HabitName = "straight-lining"
	Speeding     HabitName = "speeding"
	SafetyMissed HabitName = "safety overlooked"
)

// A Habit is what one annotator's answers say about one habit. Value, Peers and
// Interval are in the habit's own unit; those of scores are shares of the scale.
type Habit struct {
	Name      HabitName
	Annotator string
	Undefined string // why it cannot be judged; blank where it can

	Value    float64
	Interval Interval
	Peers    float64 // the median of the same value over the others
	N        int     // items it rests on
	Needs    int     // items it takes
	Found    bool    // the whole interval lies beyond what does not matter
	Says     string  // one sentence: what it is and what to do
}

// A reading is the measured value of one annotator, before the others are known.
type reading struct {
	value    float64
	interval Interval
	n        int
	why      string // why there is no value
}

// A trait is how a habit is measured and when it is found.
type trait struct {
	name    HabitName
	needs   int
	measure func(c *crew, own []int, o Options) reading
	limits  func(peers float64) (low, high float64) // inside them it does not matter
	says    func(h Habit, c *crew) string
}

// traits in the order of their names.
func traits() []trait {
	return []trait{
		{Leniency, 20, measureLeniency, around(0.075), saysLeniency},
		{Compression, 30, measureSpread, func(peers float64) (float64, float64) { return 0.85 * peers, math.Inf(1) }, saysCompression},
		{SafeMiddle, 30, measureMiddle, above(0.1), saysMiddle},
		{Halo, 30, measureHalo, above(0.15), saysHalo},
		{Anchoring, 30, measureAnchoring, around(0.08), saysAnchoring},
		{Fatigue, 60, measureFatigue, around(0.05), saysFatigue},
		{LengthCredit, 40, measureLength, func(float64) (float64, float64) { return math.Inf(-1), 0.05 }, saysLength},
		{StraightLine, 20, measureStraight, above(0.15), saysStraight},
		{Speeding, 20, measureSpeed, above(0.1), saysSpeed},
		{SafetyMissed, 8, measureSafety, above(0.2), saysSafety},
	}
}

// around are limits on both sides of none.
func around(margin float64) func(float64) (float64, float64) {
	return func(float64) (float64, float64) { return -margin, margin }
}

// above is a limit over the others.
func above(margin float64) func(float64) (float64, float64) {
	return func(peers float64) (float64, float64) { return math.Inf(-1), peers + margin }
}

// Habits judges every habit of every annotator against the others, annotators in
// the order of their names. A habit is found where its whole interval lies beyond
// a margin that would not matter: small differences between people are no habit.
func Habits(fields []Asked, labels []Label, o Options) []Habit {
	c := newCrew(fields, labels)
	of := map[string][]Habit{}
	for _, t := range traits() {
		for _, h := range t.judge(c, o.complete()) {
			of[h.Annotator] = append(of[h.Annotator], h)
		}
	}
	var all []Habit
	for _, name := range c.people {
		all = append(all, of[name]...)
	}
	return all
}

// judge measures everybody, then each against the others.
func (t trait) judge(c *crew, o Options) []Habit {
	readings := make([]reading, len(c.people))
	for i, own := range c.of {
		readings[i] = t.read(c, own, o)
	}
	habits := make([]Habit, len(c.people))
	for i, name := range c.people {
		r := readings[i]
		h := Habit{Name: t.name, Annotator: name, Undefined: r.why, N: r.n, Needs: t.needs}
		peers, ok := medianOfOthers(readings, i)
		if !ok && r.why == "" {
			h.Undefined = "nobody else can be compared yet"
		}
		if h.Undefined == "" {
			h.Value, h.Interval, h.Peers = r.value, r.interval, peers
			low, high := t.limits(peers)
			from, to := h.ends()
			h.Found = to < low || from > high
		}
		h.Says = t.sentence(h, c)
		habits[i] = h
	}
	return habits
}

func (t trait) read(c *crew, own []int, o Options) reading {
	if len(c.people) < 2 {
		return reading{why: "nobody else has answered: habits show against others"}
	}
	r := t.measure(c, own, o)
	if r.why == "" && r.n < t.needs {
		r.why = tooFew(r.n, t.needs)
	}
	return r
}

// ends are the interval's. Where no resample differs the value is as sure as its
// items can make it.
func (h Habit) ends() (low, high float64) {
	if h.Interval.Defined() {
		return h.Interval.Low, h.Interval.High
	}
	return h.Value, h.Value
}

// medianOfOthers says false where nobody else has a value.
func medianOfOthers(readings []reading, but int) (float64, bool) {
	var values []float64
	for i, r := range readings {
		if i != but && r.why == "" {
			values = append(values, r.value)
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	return quantile(values, 0.5), true
}
