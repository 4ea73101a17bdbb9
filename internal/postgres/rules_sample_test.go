package postgres

import "github.com/labelwright/labelwright/internal/protocol"

// newSampleProtocol returns a protocol with every feature, with keys that need quoting or
// exist in JavaScript prototypes, and with values of several digits.
func newSampleProtocol() protocol.Protocol {
	cond := func(key string, in ...int) protocol.Condition { return protocol.Condition{Key: key, Values: in} }
	conditions := func(conds ...protocol.Condition) []protocol.Condition { return conds }
	scale := func(values ...int) (s protocol.Scale) {
		for _, v := range values {
			s = append(s, protocol.Point{Value: v})
		}
		return s
	}
	const odd = `it's "odd" \ %s $&`
	return protocol.Protocol{
		Key: "sample", Version: 1, AllowsBetween: true,
		Facts: []protocol.Fact{{Key: "constructor"}, {Key: "multi_turn"}},
		Fields: []protocol.Field{
			{Key: "a", Scale: scale(0, 1, 2)},
			{Key: "b", Scale: scale(0, 1, 2)},
			{Key: odd, Scale: scale(-1, 0, 10)},
			{Key: "d", Scale: scale(0, 1, 2), OnlyWhen: "multi_turn"},
		},
		Observations: []protocol.Observation{{Key: "premature"}, {Key: "__proto__"}, {Key: "claims"}, {Key: "framed"}},
		Rules: []protocol.Rule{
			{ID: "premature_a0", When: conditions(cond("premature", 1)), Then: conditions(cond("a", 0)),
				Message: "An observation forces a field."},
			{ID: "nonsense", When: conditions(cond("__proto__", 1)), Then: conditions(cond("a", 0), cond("b", 0),
				cond(odd, -1)), Message: "An observation forces several fields."},
			{ID: "claims_unless_framed", When: conditions(cond("claims", 1), cond("framed", 0)),
				Then: conditions(cond("b", 0, 1)), Message: "An exception."},
			{ID: "framed_needs_claims", When: conditions(cond("framed", 1)), Then: conditions(cond("claims", 1)),
				Message: "An observation needs another."},
			{ID: "note_on_ends", When: conditions(cond(odd, -1, 10)), Then: conditions(cond("note", 1)),
				Message: "A note is required."},
			{ID: "b_follows_d", When: conditions(cond("d", 1, 2), cond("premature", 0, 1)),
				Then: conditions(cond("b", 1, 2)), Message: "A field follows a field."},
			{ID: "turns", When: conditions(cond("multi_turn", 1), cond("constructor", 0), cond("b", 2)),
				Then: conditions(cond(odd, 0, 10)), Message: "Facts matter."},
			{ID: "unsure_needs_note", When: conditions(cond(protocol.UnsureKey("b"), 1)),
				Then: conditions(cond("note", 1)), Message: "Unsure needs a note."},
			{ID: "blank_note", When: conditions(cond("note", 0), cond("b", 2)), Then: conditions(cond("framed", 0),
				cond("premature", 0)), Message: "A blank note triggers a rule."},
		},
		Hints: []protocol.Hint{
			{ID: "low", When: conditions(cond("a", 0, 1), cond("multi_turn", 0)),
				Suggestions: conditions(cond("b", 1))},
			{ID: "quiet", When: conditions(cond("note", 0), cond("premature", 1)), Note: "premature"},
			{ID: "framed_note", When: conditions(cond("framed", 1)), Note: `it's "framed" \ $&`},
			{ID: "a_note", When: conditions(cond("a", 2), cond("framed", 0)), Note: "two"},
			{ID: "claims_note", When: conditions(cond("claims", 1)), Note: "claims", Explains: true},
		},
	}
}
