package prose

import (
	"strings"

	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// Verdict names a verdict.
func (w Writer) Verdict(v agreement.Verdict) string {
	switch v {
	case agreement.Meets:
		return w.T("meets the target")
	case agreement.BelowTarget:
		return w.T("below the target")
	case agreement.TooFewItems:
		return w.T("too few items")
	}
	return w.T("open")
}

// Agreement says in a sentence for each verdict which fields have it.
func (w Writer) Agreement(fields []agreement.Field) string {
	titles := map[agreement.Verdict][]string{}
	for _, f := range fields {
		titles[f.Verdict] = append(titles[f.Verdict], f.Title)
	}
	var sentences []string
	for _, v := range agreement.Verdicts {
		if len(titles[v]) == 0 {
			continue
		}
		names := w.joinFields(titles[v], len(fields))
		sentences = append(sentences, map[agreement.Verdict]func() string{
			agreement.BelowTarget: func() string { return w.T("Agreement is below the target on %s.", names) },
			agreement.Open: func() string {
				return w.T("Whether agreement meets the target is open on %s.", names)
			},
			agreement.TooFewItems: func() string { return w.T("Too few items have two labels to tell on %s.", names) },
			agreement.Meets:       func() string { return w.T("Agreement meets the target on %s.", names) },
		}[v]())
	}
	return strings.Join(sentences, " ")
}

// Field says in a sentence or two what the verdict on a field rests on, and what would decide an open one.
func (w Writer) Field(f agreement.Field) string {
	target := w.number(f.Kappa.Number, f.Target)
	switch f.Verdict {
	case agreement.Meets:
		return w.T("κ is %s, and meets the target of %s.", w.kappa(f.Kappa.Number), target)
	case agreement.BelowTarget:
		return w.T("κ is %s, below the target of %s.", w.kappa(f.Kappa.Number), target)
	case agreement.TooFewItems:
		return w.T("Items with two labels: %d. A verdict needs %d.", f.SharedItems, agreement.MinItems)
	}
	switch {
	case f.Kappa.Value == nil:
		return w.T("The answers to shared items do not vary, so there is no κ.")
	case f.MeetsProbability == nil:
		return w.T("κ is %s. Too few answers differ for an interval.", w.number(f.Kappa.Number, *f.Kappa.Value))
	case lacksOtherAnswers(f):
		return w.T("κ is %s, but too few items have another answer to rely on it.", w.kappa(f.Kappa.Number))
	}
	start := w.T("κ is %s, which contains the target of %s.", w.kappa(f.Kappa.Number), target)
	if f.MoreItems == nil {
		return start + " " + w.T("More labels will not decide: κ is at the target.")
	}
	return start + " " + w.T("About %d more shared items would decide, if κ stays at %s.", *f.MoreItems,
		w.number(f.Kappa.Number, *f.Kappa.Value))
}

// lacksOtherAnswers reports whether κ would meet the target, if enough items had another answer than the most frequent
// one.
func lacksOtherAnswers(f agreement.Field) bool {
	return f.Verdict == agreement.Open && f.MeetsProbability != nil && *f.MeetsProbability >= stats.CommittedProbability
}

func hasCause(f agreement.Field, kind agreement.CauseKind) bool {
	for _, c := range f.Causes {
		if c.Kind == kind {
			return true
		}
	}
	return false
}

// Cause says in a sentence or two why agreement on a field is low.
func (w Writer) Cause(f agreement.Field, c agreement.Cause) string {
	switch c.Kind {
	case agreement.OneAnnotator:
		return w.T("Without %s, κ is %s.", c.Annotator, w.number(f.Kappa.Number, *c.KappaWithout))
	case agreement.ConstantAnnotator:
		return w.T("%s gave every shared item the answer %d.", c.Annotator, *c.Answer)
	case agreement.SwappedScale:
		if c.Annotator == "" {
			return w.T("The two annotators answer against each other: one may have mistaken the ends of the scale for each other.")
		}
		return w.T("%s answers against the others, and may have mistaken the ends of the scale for each other.",
			c.Annotator)
	}
	return w.T("%s%% of the answers are %d, which lowers κ: read the agreement on each answer instead.",
		w.Decimal(100*min(*c.Share, 0.99), 0), *c.Answer)
}

// Boundary says how many disagreements are about the worst boundary of a field; empty without one.
func (w Writer) Boundary(f agreement.Field) string {
	b, ok := f.WorstBoundary()
	if !ok || f.Verdict == agreement.Meets || hasCause(f, agreement.OneAnswer) {
		return ""
	}
	return w.T("%d of %d pairs of different answers are %d and %d.", b.AdjacentPairs, f.DifferentPairs(),
		b.Lower, b.Upper)
}

// kappa writes a figure with its interval.
func (w Writer) kappa(n study.Number) string {
	if n.Low == nil {
		return w.number(n, *n.Value)
	}
	return w.T("%s (95%% CI %s to %s)", w.number(n, *n.Value), w.number(n, max(*n.Low, -1)),
		w.number(n, min(*n.High, 1)))
}

// number writes a value with as many places as keep it on its side of the limits of n.
func (w Writer) number(n study.Number, value float64) string {
	text := w.Decimal(max(value, -value), n.Places(value))
	if value < 0 && strings.Trim(text, "0.,") != "" {
		return "−" + text
	}
	return text
}
