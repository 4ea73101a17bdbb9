package labeling

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Reference is what a lead holds to be right of a calibration item.
type Reference struct {
	Answers protocol.Answers
	Reasons map[string]string // by field, and under protocol.NoteKey of the item as a whole
}

// ReferenceReasonKey returns the key under which forms and problems speak of a field's why.
func ReferenceReasonKey(key string) string { return "reasons." + key }

// reasonLimit is how many characters one reason may have.
const reasonLimit = 1000

// Check returns r tidied of what is blank, or what is wrong with it: answers
// that an annotator could not give, or no word on why.
func (r Reference) Check(p protocol.Protocol, facts protocol.Facts) (Reference, protocol.Problems) {
	problems := p.Check(facts, r.Answers)
	reasons := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(r.Reasons)) {
		reason := strings.Trim(r.Reasons[key], protocol.BlankChars)
		if _, isField := p.Field(key); !isField && key != protocol.NoteKey {
			problems = append(problems, protocol.Problem{Key: ReferenceReasonKey(key), Rule: "known_why", Message: fmt.Sprintf("“%s” is no question of this protocol.", key)})
		}
		if utf8.RuneCountInString(reason) > reasonLimit {
			problems = append(problems, protocol.Problem{Key: ReferenceReasonKey(key), Rule: "why_length", Message: "Please keep the reason under 1,000 characters."})
		}
		if reason != "" {
			reasons[key] = reason
		}
	}
	if len(reasons) == 0 {
		problems = append(problems, protocol.Problem{Key: ReferenceReasonKey(protocol.NoteKey), Rule: "why_given", Message: "Please say in a word why this is right: annotators read it beside their own answers."})
	}
	r.Reasons = reasons
	return r, problems
}
