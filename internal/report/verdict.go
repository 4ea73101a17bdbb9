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
	NoVariation       stats.AgreementVerdict = "no variation"
	DominantAnswer    stats.AgreementVerdict = "one answer prevails"
	ConstantAnnotator stats.AgreementVerdict = "an annotator never varies"
)

// A Verdict is what agreement on a field means for the work.
type Verdict struct {
	Outcome         stats.AgreementVerdict `json:"word"`
	Message         string                 `json:"says"`   // the verdict in a sentence or two, with what to do
	OverlapAdvice   string                 `json:"enough"` // whether more overlap would change it
	InterimAnalyses []InterimAnalysis      `json:"looks"`  // at what there was at 20, 40, 80, … shared items
	IsConclusive    bool                   `json:"sure"`   // the whole interval says the same
	Target          float64                `json:"target"`
	MinItems        int                    `json:"least"` // shared items that a verdict takes
	Kappa           AgreementFigure        `json:"kappa"` // what it rests on
}

// minSharedItems is how many items two annotators must have judged before a verdict
// is given: as many as the first look takes. Fewer leave an interval of κ that
// reaches over all verdicts, whatever the answers.
const minSharedItems = firstInterimItems

// newVerdict judges linear-weighted κ, Light's, and where some pair has no
// variation Conger's, which needs none of each pair.
func newVerdict(f FieldReport, target float64) Verdict {
	if target <= 0 {
		target = 0.4
	}
	v := Verdict{Target: target, MinItems: minSharedItems, Kappa: f.Figure("cohen_kappa", "linear")}
	if v.Kappa.Value == nil {
		v.Kappa = f.Figure("conger_kappa", "linear")
	}
	shared := f.Figure("percent_agreement", "").Items
	switch {
	case shared < minSharedItems:
		v.Outcome = stats.VerdictNotEnoughData
		v.Message = fmt.Sprintf("Not enough overlap to say: %s by two annotators or more, and a verdict takes %d.", formatJudgedItems(shared), minSharedItems)
		v.OverlapAdvice = fmt.Sprintf("At least %d more shared items are needed.", minSharedItems-shared)
	case v.Kappa.Value == nil:
		v.Outcome = NoVariation
		v.Message = "No verdict: " + v.Kappa.Undefined + "."
		v.OverlapAdvice = "More overlap helps only if items come in on which the answers could differ."
	default:
		v.setOutcome(shared)
	}
	return v
}

func formatJudgedItems(items int) string {
	if items == 1 {
		return "1 item was judged"
	}
	return fmt.Sprintf("%d items were judged", items)
}

// outcomeFor is the verdict that a κ of enough items gives.
func (v *Verdict) outcomeFor(κ float64) stats.AgreementVerdict {
	return stats.JudgeAgreement(stats.PointEstimate{Value: κ, Items: minSharedItems}, v.Target, minSharedItems)
}

func (v *Verdict) setOutcome(shared int) {
	κ := *v.Kappa.Value
	v.Outcome = v.outcomeFor(κ)
	messages := map[stats.AgreementVerdict]string{
		stats.VerdictMeetsTarget: "Go on: agreement reaches the target of %s.",
		stats.VerdictRevise:      "Revise: agreement is below the target of %s. Go through the disagreements together and sharpen the anchors.",
		stats.VerdictRewrite:     "Rewrite: agreement is far below the target of %s. People read this question in different ways; ask it anew.",
	}
	if v.IsConclusive = v.lowOutcome() == v.Outcome && v.highOutcome() == v.Outcome; !v.IsConclusive {
		messages = map[stats.AgreementVerdict]string{
			stats.VerdictMeetsTarget: "Go on, though not surely: agreement reaches the target of %s so far.",
			stats.VerdictRevise:      "Revise, though not surely: agreement is below the target of %s so far. Go through the disagreements together.",
			stats.VerdictRewrite:     "Rewrite, though not surely: agreement is far below the target of %s so far. Read the disagreements before you change the question.",
		}
	}
	v.Message = fmt.Sprintf(messages[v.Outcome], formatValue(v.Target)) + " " + v.describeKappa() + v.describeInterval()
	v.OverlapAdvice = v.adviseOverlap(κ, shared)
}

// lowOutcome and high are what the ends of the interval say; nothing where it has none.
func (v *Verdict) lowOutcome() stats.AgreementVerdict  { return v.outcomeAt(v.Kappa.Low) }
func (v *Verdict) highOutcome() stats.AgreementVerdict { return v.outcomeAt(v.Kappa.High) }

func (v *Verdict) outcomeAt(end *float64) stats.AgreementVerdict {
	if end == nil {
		return ""
	}
	return v.outcomeFor(*end)
}

// describeInterval says where the interval lies against the target.
func (v *Verdict) describeInterval() string {
	switch {
	case v.Kappa.Low == nil:
		return ""
	case *v.Kappa.Low >= v.Target:
		return " All of the interval lies above the target."
	case *v.Kappa.High < v.Target && v.IsConclusive:
		return " All of the interval lies below the target."
	case *v.Kappa.High < v.Target:
		return fmt.Sprintf(" All of the interval lies below the target, but on both sides of %s.", formatValue(stats.RewriteThreshold))
	}
	return fmt.Sprintf(" The interval spans the target: anything from “%s” to “%s” is possible.", v.lowOutcome(), v.highOutcome())
}

func (v *Verdict) describeKappa() string {
	text := "κ is " + v.Kappa.Text()
	if v.Kappa.Low != nil {
		text += ", 95 % interval " + v.Kappa.Range()
	}
	if v.Kappa.Coefficient == "conger_kappa" {
		text += " (Conger's, because some pair of annotators has no variation)"
	}
	return text + "."
}

// adviseOverlap says whether more overlap would change the verdict. An interval narrows
// with the root of the number of items; this many would bring its end to the limit.
func (v *Verdict) adviseOverlap(κ float64, shared int) string {
	if v.Kappa.Low == nil {
		return "How sure this is cannot be said: " + v.Kappa.IntervalNote + "."
	}
	if v.IsConclusive {
		return "Enough overlap: the whole interval says the same, so more would not change the verdict."
	}
	limit, distance := v.findNearestLimit(κ)
	gap := math.Abs(κ - limit)
	needed := math.Ceil(float64(shared)*math.Pow(distance/max(gap, 1e-9), 2) - 1e-6)
	if needed > 5000 {
		return fmt.Sprintf("Agreement lies right at the limit of %s, which no amount of overlap settles. Take the lower verdict.", formatValue(limit))
	}
	return fmt.Sprintf("Not enough yet: the interval reaches over %s. If agreement stays as it is, about %d more shared items would settle it.",
		formatValue(limit), roundEstimate(max(1, int(needed)-shared)))
}

// roundEstimate keeps two figures of n: more would promise what an estimate cannot hold.
func roundEstimate(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step/2) / step * step
}

// IsInterpretable says whether κ could judge the field.
func (v Verdict) IsInterpretable() bool {
	return v.Outcome == stats.VerdictMeetsTarget || v.Outcome == stats.VerdictRevise || v.Outcome == stats.VerdictRewrite
}

// ShortText is the verdict in a word or two.
func (v Verdict) ShortText() string {
	if v.IsConclusive || !v.IsInterpretable() {
		return string(v.Outcome)
	}
	return string(v.Outcome) + ", not sure"
}

// findNearestLimit returns the limit of the verdict that the interval crosses and that
// takes the most items to part from, and the interval's reach towards it.
func (v *Verdict) findNearestLimit(κ float64) (limit, distance float64) {
	maxRatio := 0.0
	for _, l := range []float64{stats.RewriteThreshold, v.Target} {
		if l <= *v.Kappa.Low || l > *v.Kappa.High {
			continue
		}
		r := *v.Kappa.High - κ
		if l <= κ {
			r = κ - *v.Kappa.Low
		}
		if ratio := r / max(math.Abs(κ-l), 1e-9); ratio > maxRatio {
			maxRatio, limit, distance = ratio, l, r
		}
	}
	return limit, distance
}
