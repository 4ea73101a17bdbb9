package postgres

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// rawCase is a case as Node and PostgreSQL receive it. It can hold what Go types cannot.
type rawCase struct {
	facts, values        json.RawMessage
	observations, unsure []*string
	note                 string
}

func (s typedCase) toRaw() rawCase {
	return rawCase{mustJSON(s.facts), mustJSON(s.answers.Values), toPointers(s.answers.Observations),
		toPointers(s.answers.Unsure), s.answers.Note}
}

// toJSON returns the case as Node reads it.
func (c rawCase) toJSON() json.RawMessage {
	return mustJSON(map[string]any{"facts": c.facts, "answers": map[string]any{
		"values": c.values, "observations": c.observations, "unsure": c.unsure, "note": c.note}})
}

func toPointers(texts []string) []*string {
	list := make([]*string, len(texts))
	for i := range texts {
		list[i] = &texts[i]
	}
	return list
}

func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a case: %v", err))
	}
	return text
}

// malformCase returns variants of a case in which an answer, a list or a fact has a type
// that Go cannot hold. All must be rejected, except that a malformed fact counts as false.
func malformCase(p protocol.Protocol, c rawCase) (answers, facts []rawCase) {
	for _, key := range fieldKeys(p) {
		for _, text := range []string{`"1"`, `"0"`, `null`, `1.5`, `0.1`, `true`, `false`, `[]`, `[1]`, `[0]`, `{}`,
			`{"0":1}`, `1e400`, `""`} {
			answers = append(answers, rawCase{c.facts, withMember(c.values, key, text), c.observations,
				c.unsure, c.note})
		}
	}
	withNull := append(slices.Clone(c.observations), nil)
	answers = append(answers,
		rawCase{c.facts, c.values, withNull, c.unsure, c.note},
		rawCase{c.facts, c.values, append(withNull, nil), c.unsure, c.note},
		rawCase{c.facts, c.values, c.observations, append(slices.Clone(c.unsure), nil), c.note})
	for _, f := range p.Facts {
		for _, text := range []string{`"true"`, `null`, `1`, `0`, `"t"`, `[]`, `[true]`, `{"true":true}`} {
			facts = append(facts, rawCase{withMember(c.facts, f.Key, text), c.values, c.observations, c.unsure, c.note})
		}
	}
	return answers, facts
}

// withMember returns a JSON object with another member.
func withMember(object json.RawMessage, key, text string) json.RawMessage {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &members); err != nil {
		panic(err)
	}
	members[key] = json.RawMessage(text)
	return mustJSON(members)
}
