package report

import (
	"fmt"
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// The verdicts where κ cannot judge, besides those of package stats: all answers
// are alike; nearly all are, so that κ is low although people agree; whoever is
// compared, one of the two always answers the same, so that κ is 0 whatever the
// other says.
const (
	NoVariation stats.Verdict = "no variation"
	Prevailing  stats.Verdict = "one answer prevails"
	Unvarying   stats.Verdict = "an annotator never varies"
)

// A Verdict is what agreement on a field means for the work.
type Verdict struct {
	Word   stats.Verdict `json:"word"`
	Says   string        `json:"says"`   // the verdict in a sentence or two, with what to do
	Enough string        `json:"enough"` // whether more overlap would change it
	Looks  []Look        `json:"looks"`  // at what there was at 20, 40, 80, … shared items
	Sure   bool          `json:"sure"`   // the whole interval says the same
	Target float64       `json:"target"`
	Least  int           `json:"least"` // shared items that a verdict takes
	Kappa  Figure        `json:"kappa"` // what it rests on
}

// leastShared is how many items two annotators must have judged before a verdict
// is given: as many as the first look takes. Fewer leave an interval of κ that
// reaches over all verdicts, whatever the answers.
const leastShared = firstLook

// verdictOf judges linear-weighted κ, Light's, and where some pair has no
// variation Conger's, which needs none of each pair.
func verdictOf(f Field, target float64) Verdict {
	if target <= 0 {
		target = 0.4
	}
	v := Verdict{Target: target, Least: leastShared, Kappa: f.Get("cohen_kappa", "linear")}
	if v.Kappa.Value == nil {
		v.Kappa = f.Get("conger_kappa", "linear")
	}
	shared := f.Get("percent_agreement", "").Items
	switch {
	case shared < leastShared:
		v.Word = stats.NotEnough
		v.Says = fmt.Sprintf("Not enough overlap to say: %s by two annotators or more, and a verdict takes %d.", judged(shared), leastShared)
		v.Enough = fmt.Sprintf("At least %d more shared items are needed.", leastShared-shared)
	case v.Kappa.Value == nil:
		v.Word = NoVariation
		v.Says = "No verdict: " + v.Kappa.Undefined + "."
		v.Enough = "More overlap helps only if items come in on which the answers could differ."
	default:
		v.judge(shared)
	}
	return v
}

func judged(items int) string {
	if items == 1 {
		return "1 item was judged"
	}
	return fmt.Sprintf("%d items were judged", items)
}

// wordOf is the verdict that a κ of enough items gives.
func (v *Verdict) wordOf(κ float64) stats.Verdict {
	return stats.VerdictOf(stats.Figure{Value: κ, Items: leastShared}, v.Target, leastShared)
}

func (v *Verdict) judge(shared int) {
	κ := *v.Kappa.Value
	v.Word = v.wordOf(κ)
	does := map[stats.Verdict]string{
		stats.Go:      "Go on: agreement reaches the target of %s.",
		stats.Revise:  "Revise: agreement is below the target of %s. Go through the disagreements together and sharpen the anchors.",
		stats.Rewrite: "Rewrite: agreement is far below the target of %s. People read this question in different ways; ask it anew.",
	}
	if v.Sure = v.low() == v.Word && v.high() == v.Word; !v.Sure {
		does = map[stats.Verdict]string{
			stats.Go:      "Go on, though not surely: agreement reaches the target of %s so far.",
			stats.Revise:  "Revise, though not surely: agreement is below the target of %s so far. Go through the disagreements together.",
			stats.Rewrite: "Rewrite, though not surely: agreement is far below the target of %s so far. Read the disagreements before you change the question.",
		}
	}
	v.Says = fmt.Sprintf(does[v.Word], short(v.Target)) + " " + v.figure() + v.span()
	v.Enough = v.enough(κ, shared)
}

// low and high are what the ends of the interval say; nothing where it has none.
func (v *Verdict) low() stats.Verdict  { return v.endOf(v.Kappa.Low) }
func (v *Verdict) high() stats.Verdict { return v.endOf(v.Kappa.High) }

func (v *Verdict) endOf(end *float64) stats.Verdict {
	if end == nil {
		return ""
	}
	return v.wordOf(*end)
}

// span says where the interval lies against the target.
func (v *Verdict) span() string {
	switch {
	case v.Kappa.Low == nil:
		return ""
	case *v.Kappa.Low >= v.Target:
		return " All of the interval lies above the target."
	case *v.Kappa.High < v.Target && v.Sure:
		return " All of the interval lies below the target."
	case *v.Kappa.High < v.Target:
		return fmt.Sprintf(" All of the interval lies below the target, but on both sides of %s.", short(stats.Floor))
	}
	return fmt.Sprintf(" The interval spans the target: anything from “%s” to “%s” is possible.", v.low(), v.high())
}

func (v *Verdict) figure() string {
	says := "κ is " + v.Kappa.Text()
	if v.Kappa.Low != nil {
		says += ", 95 % interval " + v.Kappa.Range()
	}
	if v.Kappa.Coefficient == "conger_kappa" {
		says += " (Conger's, because some pair of annotators has no variation)"
	}
	return says + "."
}

// enough says whether more overlap would change the verdict. An interval narrows
// with the root of the number of items; this many would bring its end to the limit.
func (v *Verdict) enough(κ float64, shared int) string {
	if v.Kappa.Low == nil {
		return "How sure this is cannot be said: " + v.Kappa.Covers + "."
	}
	if v.Sure {
		return "Enough overlap: the whole interval says the same, so more would not change the verdict."
	}
	limit, reach := v.nearest(κ)
	gap := math.Abs(κ - limit)
	needed := math.Ceil(float64(shared)*math.Pow(reach/max(gap, 1e-9), 2) - 1e-6)
	if needed > 5000 {
		return fmt.Sprintf("Agreement lies right at the limit of %s, which no amount of overlap settles. Take the lower verdict.", short(limit))
	}
	return fmt.Sprintf("Not enough yet: the interval reaches over %s. If agreement stays as it is, about %d more shared items would settle it.",
		short(limit), about(max(1, int(needed)-shared)))
}

// about keeps two figures of n: more would promise what an estimate cannot hold.
func about(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step/2) / step * step
}

// Judged says whether κ could judge the field.
func (v Verdict) Judged() bool {
	return v.Word == stats.Go || v.Word == stats.Revise || v.Word == stats.Rewrite
}

// Short is the verdict in a word or two.
func (v Verdict) Short() string {
	if v.Sure || !v.Judged() {
		return string(v.Word)
	}
	return string(v.Word) + ", not sure"
}

// nearest returns the limit of the verdict that the interval crosses and that
// takes the most items to part from, and the interval's reach towards it.
func (v *Verdict) nearest(κ float64) (limit, reach float64) {
	most := 0.0
	for _, l := range []float64{stats.Floor, v.Target} {
		if l <= *v.Kappa.Low || l > *v.Kappa.High {
			continue
		}
		r := *v.Kappa.High - κ
		if l <= κ {
			r = κ - *v.Kappa.Low
		}
		if times := r / max(math.Abs(κ-l), 1e-9); times > most {
			most, limit, reach = times, l, r
		}
	}
	return limit, reach
}
