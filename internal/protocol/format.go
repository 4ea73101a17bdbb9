package protocol

import "slices"

// A TextFormat is how the texts of a part are shown. Empty is FormatText.
type TextFormat string

// The formats. A text that is a JSON object is shown formatted in each of them.
const (
	FormatText     TextFormat = "text"     // paragraphs
	FormatMarkdown TextFormat = "markdown" // in a conversation, only what the user did not write
	FormatCode     TextFormat = "code"     // as written, in one width
)

// Formats lists the formats.
var Formats = []TextFormat{FormatText, FormatMarkdown, FormatCode}

// WithFormats returns p with other formats of parts, by key.
func (p Protocol) WithFormats(formats map[string]TextFormat) Protocol {
	if len(formats) == 0 {
		return p
	}
	p.Unit.Parts = slices.Clone(p.Unit.Parts)
	for i, part := range p.Unit.Parts {
		if format, isSet := formats[part.Key]; isSet {
			p.Unit.Parts[i].Format = format
		}
	}
	return p
}

// FormatFor returns the format of a text of p. The role is that of the turn, or empty.
func (p Part) FormatFor(role string) TextFormat {
	if p.Format == FormatMarkdown && role == "user" {
		return FormatText
	}
	return p.Format
}
