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
	Why     map[string]string // by field, and under protocol.Note of the item as a whole
}

// WhyOf returns the key under which forms and problems speak of a field's why.
func WhyOf(key string) string { return "why." + key }

// whyLimit is how many characters one reason may have.
const whyLimit = 1000

// Check returns r tidied of what is blank, or what is wrong with it: answers
// that an annotator could not give, or no word on why.
func (r Reference) Check(p protocol.Protocol, facts protocol.Facts) (Reference, protocol.Problems) {
	problems := p.Check(facts, r.Answers)
	kept := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(r.Why)) {
		why := strings.Trim(r.Why[key], protocol.Blank)
		if _, known := p.Field(key); !known && key != protocol.Note {
			problems = append(problems, protocol.Problem{Key: WhyOf(key), Rule: "known_why", Says: fmt.Sprintf("“%s” is no question of this protocol.", key)})
		}
		if utf8.RuneCountInString(why) > whyLimit {
			problems = append(problems, protocol.Problem{Key: WhyOf(key), Rule: "why_length", Says: "Please keep the reason under 1,000 characters."})
		}
		if why != "" {
			kept[key] = why
		}
	}
	if len(kept) == 0 {
		problems = append(problems, protocol.Problem{Key: WhyOf(protocol.Note), Rule: "why_given", Says: "Please say in a word why this is right: annotators read it beside their own answers."})
	}
	r.Why = kept
	return r, problems
}
