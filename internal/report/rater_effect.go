package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A RaterEffect is the result of one test for a rater effect on one annotator.
type RaterEffect struct {
	Name     ratereffect.Effect      `json:"effect"`
	Detected bool                    `json:"detected"`
	State    ratereffect.ResultState `json:"state"`
	Basis    string                  `json:"basis"` // of a detected effect: absolute, known_answers or relative; else empty
	Message  string                  `json:"message"`
	study.Number
	PeerMedian float64 `json:"peer_median"` // of the same value, over the other annotators or of known answers
	Items      int     `json:"items"`
	MinItems   int     `json:"min_items"`
	IsKnown    bool    `json:"known_answers"` // the value is next to that of known answers, not of the other annotators

	Result ratereffect.Result `json:"-"` // Message is its text in English
}

// LeniencyMargin is the difference from the others, as a share of the scale, up to which an annotator counts as
// neither lenient nor severe. Package ratereffect detects an effect if the whole interval is beyond it.
const LeniencyMargin = 0.075

// listRaterEffects returns the rater effects by annotator. They are computed once.
func (s *builder) listRaterEffects() map[string][]RaterEffect {
	if s.raterEffects == nil {
		s.raterEffects = s.computeRaterEffects()
	}
	return s.raterEffects
}

// computeRaterEffects tests every annotator's work for rater effects: detected effects
// first, then effects without enough data last.
func (s *builder) computeRaterEffects() map[string][]RaterEffect {
	fields := make([]ratereffect.FieldSpec, len(s.fields))
	for i, q := range s.fields {
		fields[i] = ratereffect.FieldSpec{Scale: q.Values, UnsafeAnswers: unsafeAnswers(q)}
	}
	position := s.positions()
	labels := ratereffect.Labels{Annotators: s.Annotators, AnnotatorOf: s.Work.Annotator, ItemOf: s.Work.Item,
		ShortestPace: float64(s.Protocol.Plan.MinSecondsPerItem), Position: position,
		ItemsSinceBreak: func(l int32) int { return int(s.Work.ItemsSinceBreak[l]) },
		ActiveSeconds:   func(l int32) float64 { return float64(s.Work.ActiveMS[l]) / 1000 },
		TextLength:      s.TextLength, IsForced: s.forcedAnswers()}
	for _, q := range s.fields {
		labels.Points = append(labels.Points, q.Points)
	}
	byAnnotator, known := map[string][]RaterEffect{}, s.collectKnownAnswers(position)
	s.knownAnswers = map[string]int{}
	for _, annotator := range known.AnnotatorOf {
		s.knownAnswers[s.Annotators[annotator]]++
	}
	for _, e := range ratereffect.DetectAmong(fields, labels, known, s.Options) {
		number := study.NewNumber(e.Value, stats.Reason{}, e.Interval)
		if reason := e.UndefinedText(); reason != "" {
			number = study.Number{Undefined: reason, IntervalNote: reason, Reason: stats.ReasonCode(e.Undefined)}
		}
		byAnnotator[e.Annotator] = append(byAnnotator[e.Annotator], RaterEffect{Name: e.Effect, Detected: e.Detected, State: e.State(), Basis: basisOf(e), Message: e.Message(),
			Number: number, PeerMedian: e.PeerMedian, Items: e.ItemCount, MinItems: e.MinItems, IsKnown: e.IsKnown, Result: e})
	}
	for _, effects := range byAnnotator {
		slices.SortStableFunc(effects, func(a, b RaterEffect) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	return byAnnotator
}

// basisOf returns which test detected an effect.
func basisOf(e ratereffect.Result) string {
	switch {
	case !e.Detected:
		return ""
	case e.IsKnown:
		return "known_answers"
	case e.IsAbsolute:
		return "absolute"
	}
	return "relative"
}

// HasTooFewItems reports whether more labels could show the effect. Missed risks count however few.
func (e RaterEffect) HasTooFewItems() bool {
	return e.Items < e.MinItems && !e.Result.HasMisses() && !e.Result.Undefined.NeedsOtherData()
}

// rank orders detected effects before others, and effects without a value last.
func (e RaterEffect) rank() int {
	switch {
	case e.Detected:
		return 0
	case e.Value != nil:
		return 1
	}
	return 2
}

// positions returns the place of each label among those of its annotator, from 1.
func (s *builder) positions() func(label int32) int {
	places := make([]int32, s.Work.Len())
	for annotator := range s.Annotators {
		for i, l := range s.ByAnnotator.At(int32(annotator)) {
			places[l] = int32(i + 1)
		}
	}
	return func(label int32) int { return int(places[label]) }
}

// forcedAnswers returns which answers of the labels ticked observations force; nil if none is ticked.
func (s *builder) forcedAnswers() func(label int32, field int) bool {
	if s.Observations.SetOf == nil {
		return nil
	}
	facts := protocol.Facts{}
	for _, f := range s.Protocol.Facts {
		facts[f.Key] = true // so that all fields apply; answers to those that do not are missing
	}
	forced := make([][]bool, len(s.Observations.Sets))
	for n, set := range s.Observations.Sets {
		_, filled := s.Protocol.FillForced(facts, protocol.Answers{Observations: set})
		forced[n] = make([]bool, len(s.fields))
		for f, q := range s.fields {
			forced[n][f] = slices.ContainsFunc(filled, func(a protocol.Filled) bool { return a.Field == q.Key })
		}
	}
	return func(label int32, field int) bool { return forced[s.Observations.SetOf[label]][field] }
}

// unsafeAnswers returns the answers that report a risk: the lower two fifths of the
// scale of safety, and 1 for unsafe content.
func unsafeAnswers(q fieldTable) []int {
	switch q.Key {
	case "safety":
		return q.Values[:len(q.Values)*2/5]
	case "unsafe_content":
		return []int{1}
	}
	return nil
}
