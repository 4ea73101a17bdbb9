package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/stats"
)

// A RaterEffect is the result of one test for a rater effect on one annotator.
type RaterEffect struct {
	Name     ratereffect.Effect      `json:"effect"`
	Detected bool                    `json:"detected"`
	State    ratereffect.ResultState `json:"state"`
	Basis    string                  `json:"basis"` // of a detected effect: absolute or relative; else empty
	Message  string                  `json:"message"`
	Number
	PeerMedian float64 `json:"peer_median"` // of the same value, over the other annotators
	Items      int     `json:"items"`
	MinItems   int     `json:"min_items"`

	Result ratereffect.Result `json:"-"` // Message is its text in English
}

// computeRaterEffects tests every annotator's work for rater effects: detected effects
// first, then effects without enough data last.
func (s *study) computeRaterEffects() map[string][]RaterEffect {
	fields := make([]ratereffect.FieldSpec, len(s.fields))
	for i, q := range s.fields {
		fields[i] = ratereffect.FieldSpec{Scale: q.scale, UnsafeAnswers: unsafeAnswers(q)}
	}
	labels, answerCache := make([]ratereffect.LabeledItem, 0, len(s.work)), map[string][]int{}
	for _, name := range s.workAnnotators() {
		for i, l := range s.byAnnotator[name] {
			labels = append(labels, s.toLabeledItem(l, i+1, answerCache))
		}
	}
	byAnnotator := map[string][]RaterEffect{}
	for _, e := range ratereffect.Detect(fields, labels, s.options) {
		number := newNumber(e.Value, stats.Reason{}, e.Interval)
		if reason := e.UndefinedText(); reason != "" {
			number = Number{Undefined: reason, IntervalNote: reason, Reason: stats.ReasonCode(e.Undefined)}
		}
		byAnnotator[e.Annotator] = append(byAnnotator[e.Annotator], RaterEffect{Name: e.Effect, Detected: e.Detected, State: e.State(), Basis: basisOf(e), Message: e.Message(),
			Number: number, PeerMedian: e.PeerMedian, Items: e.ItemCount, MinItems: e.MinItems, Result: e})
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
	case e.IsAbsolute:
		return "absolute"
	}
	return "relative"
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

// toLabeledItem converts a label. Labels with equal answers share one slice, which keeps
// a million answers in memory.
func (s *study) toLabeledItem(l *Label, position int, answerCache map[string][]int) ratereffect.LabeledItem {
	item := s.itemsByID[l.ItemID]
	var key []byte
	for _, q := range s.fields {
		key = append(key, 0)
		if v, ok := l.Values[q.Key]; ok {
			index, _ := q.scale.Index(v)
			key[len(key)-1] = byte(index + 1)
		}
	}
	if answerCache[string(key)] == nil {
		answerCache[string(key)] = s.listAnswers(l)
	}
	return ratereffect.LabeledItem{Item: item.SourceID, Annotator: l.Annotator, Position: position, ItemsSinceBreak: l.ItemsSinceBreak,
		ActiveSeconds: float64(l.ActiveMS) / 1000, TextLength: float64(item.TextLength), Answers: answerCache[string(key)]}
}

func (s *study) listAnswers(l *Label) []int {
	answers := make([]int, len(s.fields))
	for i, q := range s.fields {
		answers[i] = ratereffect.NotApplicable
		if v, ok := l.Values[q.Key]; ok {
			answers[i] = v
		}
	}
	return answers
}

// unsafeAnswers returns the answers that report a risk: the lower two fifths of the
// scale of safety, and 1 for unsafe content.
func unsafeAnswers(q fieldTable) []int {
	switch q.Key {
	case "safety":
		return q.scale[:len(q.scale)*2/5]
	case "unsafe_content":
		return []int{1}
	}
	return nil
}
