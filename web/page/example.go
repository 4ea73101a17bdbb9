package page

import (
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

func exampleID(e protocol.Example) string { return "example-" + e.Key }

func exampleReason(f protocol.Field, e protocol.Example) string {
	reason, _ := e.Reason(f.Key)
	return reason.Text
}

// boundaryText returns the question at a boundary: "2 or 3?"
func boundaryText(f protocol.Field, e protocol.Example) string {
	reason, _ := e.Reason(f.Key)
	return answerText(f, reason.Low) + " or " + answerText(f, reason.High) + "?"
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

func unsureText(e protocol.Example, f protocol.Field) string {
	if slices.Contains(e.Answers.Unsure, f.Key) {
		return ", between two values"
	}
	return ""
}

func partTitle(p protocol.Protocol, key string) string {
	for _, part := range p.Unit.Parts {
		if part.Key == key {
			return part.Title
		}
	}
	return key
}

func observationTitle(p protocol.Protocol, key string) string {
	o, _ := p.Observation(key)
	return o.Title
}

func exampleChunkHeading(c protocol.ExampleChunk) string {
	if c.Source == "" {
		return "Chunk " + formatInt(c.Rank)
	}
	return "Chunk " + formatInt(c.Rank) + " · " + c.Source
}
