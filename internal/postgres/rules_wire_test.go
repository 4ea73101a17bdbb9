package postgres

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A wire is a case as Node and PostgreSQL receive it: also what Go cannot hold.
type wire struct {
	facts, values        json.RawMessage
	observations, unsure []*string
	note                 string
}

func (s submission) wire() wire {
	return wire{mustJSON(s.facts), mustJSON(s.answers.Values), pointers(s.answers.Observations), pointers(s.answers.Unsure), s.answers.Note}
}

// line returns w as Node reads it.
func (w wire) line() json.RawMessage {
	return mustJSON(map[string]any{"facts": w.facts, "answers": map[string]any{
		"values": w.values, "observations": w.observations, "unsure": w.unsure, "note": w.note}})
}

func pointers(texts []string) []*string {
	list := make([]*string, len(texts))
	for i := range texts {
		list[i] = &texts[i]
	}
	return list
}

func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a case that JSON cannot hold: %v", err))
	}
	return text
}

// foreign returns w with each answer, fact and list made something that Go's
// types cannot hold. Each must be refused, except that a fact which is not true
// is merely not so.
func foreign(p protocol.Protocol, w wire) (answers, facts []wire) {
	for _, key := range fieldKeys(p) {
		for _, text := range []string{`"1"`, `"0"`, `null`, `1.5`, `0.1`, `true`, `false`, `[]`, `[1]`, `[0]`, `{}`, `{"0":1}`, `1e400`, `""`} {
			answers = append(answers, wire{w.facts, with(w.values, key, text), w.observations, w.unsure, w.note})
		}
	}
	null := append(slices.Clone(w.observations), nil)
	answers = append(answers,
		wire{w.facts, w.values, null, w.unsure, w.note},
		wire{w.facts, w.values, append(null, nil), w.unsure, w.note},
		wire{w.facts, w.values, w.observations, append(slices.Clone(w.unsure), nil), w.note})
	for _, f := range p.Facts {
		for _, text := range []string{`"true"`, `null`, `1`, `0`, `"t"`, `[]`, `[true]`, `{"true":true}`} {
			facts = append(facts, wire{with(w.facts, f.Key, text), w.values, w.observations, w.unsure, w.note})
		}
	}
	return answers, facts
}

// with returns a JSON object with one more member, as text.
func with(object json.RawMessage, key, text string) json.RawMessage {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &members); err != nil {
		panic(err)
	}
	members[key] = json.RawMessage(text)
	return mustJSON(members)
}
