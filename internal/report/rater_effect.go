package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
)

// A RaterEffect is ratereffect.EffectResult as programs and pages read it.
type RaterEffect struct {
	Name     ratereffect.EffectName `json:"habit"`
	Detected bool                   `json:"found"`
	Message  string                 `json:"says"`
	Number
	PeerMedian float64 `json:"peers"` // the median of the same over the others
	Items      int     `json:"items"`
	MinItems   int     `json:"needs"`
}

// computeRaterEffects judges everybody's work, by annotator.
func (s *study) computeRaterEffects() map[string][]RaterEffect {
	fields := make([]ratereffect.FieldSpec, len(s.fields))
	for i, q := range s.fields {
		fields[i] = ratereffect.FieldSpec{Scale: q.scale, UnsafeAnswers: unsafeAnswers(q)}
	}
	labels, answerCache := make([]ratereffect.LabeledItem, 0, len(s.workLabels)), map[string][]int{}
	for _, name := range s.listWorkAnnotators() {
		for position, l := range s.labelsByAnnotator[name] {
			labels = append(labels, s.toEffectLabel(s.workLabels[l], position+1, answerCache))
		}
	}
	byAnnotator := map[string][]RaterEffect{}
	for _, h := range ratereffect.DetectEffects(fields, labels, s.options) {
		byAnnotator[h.Annotator] = append(byAnnotator[h.Annotator], RaterEffect{Name: h.Name, Detected: h.Detected, Message: h.Message,
			Number: newNumber(h.Value, h.Undefined, h.Interval), PeerMedian: h.PeerMedian, Items: h.ItemCount, MinItems: h.MinItems})
	}
	for _, effects := range byAnnotator {
		slices.SortStableFunc(effects, func(a, b RaterEffect) int { return cmp.Compare(rankEffect(a), rankEffect(b)) })
	}
	return byAnnotator
}

// rankEffect sets what was found first, and what cannot be told last.
func rankEffect(h RaterEffect) int {
	switch {
	case h.Detected:
		return 0
	case h.Value != nil:
		return 1
	}
	return 2
}

// toEffectLabel is one label as habits see it. Labels that answer alike share their
// answers.
func (s *study) toEffectLabel(l *Label, position int, answerCache map[string][]int) ratereffect.LabeledItem {
	item := s.itemsByID[l.ItemID]
	label := ratereffect.LabeledItem{Item: item.SourceID, Annotator: l.Annotator, Position: position, ItemsSinceBreak: l.ItemsSinceBreak,
		ActiveSeconds: float64(l.ActiveMS) / 1000, TextLength: float64(item.TextLength)}
	var key []byte
	for _, q := range s.fields {
		key = append(key, 0)
		if v, ok := l.Values[q.Key]; ok {
			index, _ := q.scale.Index(v)
			key[len(key)-1] = byte(index + 1)
		}
	}
	if label.Answers = answerCache[string(key)]; label.Answers == nil {
		label.Answers = s.listAnswers(l)
		answerCache[string(key)] = label.Answers
	}
	return label
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

// unsafeAnswers returns the answers that say danger, of the two fields that are about
// it: the lower two fifths of a scale of safety, and unsafe content seen.
func unsafeAnswers(q fieldTable) []int {
	switch q.Key {
	case "safety":
		return q.scale[:len(q.scale)*2/5]
	case "unsafe_content":
		return []int{1}
	}
	return nil
}
