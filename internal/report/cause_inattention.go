package report

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/ratereffect"
)

// inattentionEffects are the rater effects of an annotator who does not read or judge the items, so that
// low agreement says little about the question.
var inattentionEffects = []ratereffect.Effect{ratereffect.StraightLining, ratereffect.Speeding}

// addInattention names which of two annotators shows straight-lining or speeding. Of two, leaving one out
// shows nothing; with more, it shows whether an annotator is the cause.
func (s *builder) addInattention(q fieldTable, v *Verdict) {
	names := q.Table.Paired().Annotators()
	if len(names) != 2 {
		return
	}
	for _, name := range names {
		var found []string
		for _, e := range s.listRaterEffects()[name] {
			if e.Detected && s.isInattention(e.Result) {
				found = append(found, e.Name.Text())
			}
		}
		if len(found) > 0 {
			v.addCause(Inattention, name, nil, inattentionCauseText(name, joinNames(found)))
			v.Causes[len(v.Causes)-1].effects = joinNames(found)
		}
	}
}

func inattentionCauseText(name, effects string) string {
	return fmt.Sprintf("%s shows %s, so the answers of %s can be the reason for low agreement, and not the question.", name, effects, name)
}

// inattentionText asks to look at the answers of the annotators who show such effects.
func (v Verdict) inattentionText() string {
	var effects []string
	for _, c := range v.Causes {
		if c.Kind == Inattention {
			effects = append(effects, fmt.Sprintf("%s shows %s", c.Annotator, c.effects))
		}
	}
	return fmt.Sprintf("%s: look at the answers of %s before you change the question.", joinNames(effects), v.nameCausing())
}
