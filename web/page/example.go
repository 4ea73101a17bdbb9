package page

import (
	"slices"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/protocol"
)

func exampleID(e protocol.Example) string { return "example-" + e.Key }

func exampleReason(f protocol.Field, e protocol.Example) string {
	reason, _ := e.Reason(f.Key)
	return reason.Text
}

// examplesWith returns the examples with a value of a question, and a reason for it.
func examplesWith(p protocol.Protocol, f protocol.Field, value int) []protocol.Example {
	return slices.DeleteFunc(slices.Clone(p.ExamplesFor(f.Key)), func(e protocol.Example) bool {
		return e.Answers.Values[f.Key] != value
	})
}

// answerText returns the label of a value, or the value.
func answerText(f protocol.Field, value int) string {
	for _, point := range f.Scale {
		if point.Value == value && point.Label != "" {
			return point.Label
		}
	}
	return formatInt(value)
}

func unsureText(l *locale.Locale, e protocol.Example, f protocol.Field) string {
	if slices.Contains(e.Answers.Unsure, f.Key) {
		return ", " + l.T("between two values")
	}
	return ""
}

// partOf returns a part of the unit, or one with its key as the title if there is none.
func partOf(p protocol.Protocol, key string) protocol.Part {
	for _, part := range p.Unit.Parts {
		if part.Key == key {
			return part
		}
	}
	return protocol.Part{Key: key, Title: key}
}

func observationTitle(p protocol.Protocol, key string) string {
	o, _ := p.Observation(key)
	return o.Title
}
