package protocol

import (
	"slices"
	"testing"
)

// Each field has two examples, and each boundary between two points one. Read checks that
// their answers obey the rules.
func TestBuiltin_Examples_CoverEveryBoundary(t *testing.T) {
	t.Parallel()
	for _, p := range Builtin() {
		for _, f := range p.Fields {
			examples := p.ExamplesFor(f.Key)
			if len(examples) < 2 {
				t.Errorf("%s.%s: %d examples, want 2", p.Key, f.Key, len(examples))
			}
			for i, point := range f.Scale[:len(f.Scale)-1] {
				if !slices.ContainsFunc(examples, func(e Example) bool {
					r, _ := e.Reason(f.Key)
					return r.Low == point.Value
				}) {
					t.Errorf("%s.%s: no example at %d or %d", p.Key, f.Key, point.Value, f.Scale[i+1].Value)
				}
			}
			if f.Scale.IsBinary() && !haveBothAnswers(examples, f.Key) {
				t.Errorf("%s.%s: the examples have the same answer", p.Key, f.Key)
			}
		}
		for _, e := range p.Examples {
			if _, filled := p.FillForced(e.facts(p), e.Answers); len(filled) > 0 {
				t.Errorf("%s, %s: the ticks force other answers: %v", p.Key, e.Key, filled)
			}
		}
	}
}

func haveBothAnswers(examples []Example, field string) bool {
	has := func(value int) bool {
		return slices.ContainsFunc(examples, func(e Example) bool { return e.Answers.Values[field] == value })
	}
	return has(0) && has(1)
}
