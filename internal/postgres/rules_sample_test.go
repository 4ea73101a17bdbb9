package postgres

import "github.com/labelwright/labelwright/internal/protocol"

// sampleProtocol has everything that a protocol can have, under keys that ask
// for care with quotes and prototypes, and values beyond one digit.
func sampleProtocol() protocol.Protocol {
	is := func(key string, in ...int) protocol.Cond { return protocol.Cond{Key: key, In: in} }
	when := func(conds ...protocol.Cond) []protocol.Cond { return conds }
	scale := func(values ...int) (s protocol.Scale) {
		for _, v := range values {
			s = append(s, protocol.Point{Value: v})
		}
		return s
	}
	const odd = `it's "odd" \ %s $&`
	return protocol.Protocol{
		Key: "sample", Version: 1, Between: true,
		Facts: []protocol.Fact{{Key: "constructor"}, {Key: "multi_turn"}},
		Fields: []protocol.Field{
			{Key: "a", Scale: scale(0, 1, 2)},
			{Key: "b", Scale: scale(0, 1, 2)},
			{Key: odd, Scale: scale(-1, 0, 10)},
			{Key: "d", Scale: scale(0, 1, 2), OnlyWhen: "multi_turn"},
		},
		Observations: []protocol.Observation{{Key: "premature"}, {Key: "__proto__"}, {Key: "claims"}, {Key: "framed"}},
		Rules: []protocol.Rule{
			{ID: "premature_a0", When: when(is("premature", 1)), Then: when(is("a", 0)), Says: "A tick forces a field."},
			{ID: "nonsense", When: when(is("__proto__", 1)), Then: when(is("a", 0), is("b", 0), is(odd, -1)), Says: "A tick forces several."},
			{ID: "claims_unless_framed", When: when(is("claims", 1), is("framed", 0)), Then: when(is("b", 0, 1)), Says: "An exception."},
			{ID: "framed_needs_claims", When: when(is("framed", 1)), Then: when(is("claims", 1)), Says: "A tick needs a tick."},
			{ID: "note_on_ends", When: when(is(odd, -1, 10)), Then: when(is("note", 1)), Says: "A required note."},
			{ID: "b_follows_d", When: when(is("d", 1, 2), is("premature", 0, 1)), Then: when(is("b", 1, 2)), Says: "A field follows a field."},
			{ID: "turns", When: when(is("multi_turn", 1), is("constructor", 0), is("b", 2)), Then: when(is(odd, 0, 10)), Says: "Facts matter."},
			{ID: "doubt_needs_word", When: when(is(protocol.UnsureOf("b"), 1)), Then: when(is("note", 1)), Says: "Doubt asks for a word."},
			{ID: "silence", When: when(is("note", 0), is("b", 2)), Then: when(is("framed", 0), is("premature", 0)), Says: "A blank note is an answer."},
		},
		Hints: []protocol.Hint{
			{ID: "low", When: when(is("a", 0, 1), is("multi_turn", 0)), Suggest: when(is("b", 1))},
			{ID: "quiet", When: when(is("note", 0), is("premature", 1)), Note: "premature"},
		},
	}
}
