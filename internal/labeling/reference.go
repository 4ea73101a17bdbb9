package labeling

import (
	"fmt"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Reference holds the correct answers of a calibration item, and the reasons.
type Reference struct {
	Answers protocol.Answers
	Reasons map[string]string // by field key; under protocol.NoteKey for the whole item
}

// ReferenceReasonKey returns the key of a field's reason in forms and problems.
func ReferenceReasonKey(key string) string { return "reasons." + key }

// reasonLimit is the maximum length of a reason or comment, in characters.
const reasonLimit = 1000

// readReason returns the reason for answers as it is stored, or its problem at the field key.
func readReason(key, text string) (string, protocol.Problems) {
	reason, err := plaintext.ReadText(text, 0, reasonLimit, fault.Invalid.Errorf(
		"Use at most 1,000 characters for the reason."))
	if err != nil {
		return reason, protocol.Problems{{Key: key, Rule: "reason_text", Message: fault.Message(err)}}
	}
	return reason, nil
}

// Check returns r without blank reasons, and its problems: invalid answers, or no reason.
func (r Reference) Check(p protocol.Protocol, facts protocol.Facts) (Reference, protocol.Problems) {
	problems := p.Check(facts, r.Answers)
	reasons := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(r.Reasons)) {
		reason, invalid := readReason(ReferenceReasonKey(key), r.Reasons[key])
		if _, isField := p.Field(key); !isField && key != protocol.NoteKey {
			problems = append(problems, protocol.Problem{Key: ReferenceReasonKey(key), Rule: "known_reason",
				Message: fmt.Sprintf("This protocol has no question “%s”.", key)})
		}
		problems = append(problems, invalid...)
		if reason != "" {
			reasons[key] = reason
		}
	}
	if len(reasons) == 0 {
		problems = append(problems, protocol.Problem{Key: ReferenceReasonKey(protocol.NoteKey), Rule: "reason_given",
			Message: "Explain why these answers are correct. Annotators read the reason next to their own answers."})
	}
	r.Reasons = reasons
	return r, problems
}
