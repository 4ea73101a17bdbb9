package report

import "strconv"

// A jsonRow writes itself as the encoder does, which would take most of the time of a long list.
type jsonRow interface {
	// appendJSON appends the object with its lines indented; false if only the encoder can.
	appendJSON(text []byte, indent string) ([]byte, bool)
}

func (d FieldDisagreement) appendJSON(text []byte, indent string) ([]byte, bool) {
	if !isPlain(d.Item) || !isPlain(d.Field) || d.MeanDistance < 1e-6 || len(d.Answers) == 0 { // smaller numbers have an exponent
		return text, false
	}
	inner := "\n" + indent + "  "
	text = appendText(append(text, "{"+inner+`"item": `...), d.Item)
	text = appendText(append(text, ","+inner+`"field": `...), d.Field)
	text = strconv.AppendFloat(append(text, ","+inner+`"mean_distance": `...), d.MeanDistance, 'f', -1, 64)
	text = strconv.AppendInt(append(text, ","+inner+`"max_distance": `...), int64(d.MaxDistance), 10)
	text = append(text, ","+inner+`"answers": [`...)
	for i, a := range d.Answers {
		if !isPlain(a.Annotator) {
			return text, false
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = appendText(append(text, inner+"  {"+inner+`    "annotator": `...), a.Annotator)
		text = strconv.AppendInt(append(text, ","+inner+`    "value": `...), int64(a.Value), 10)
		text = append(text, inner+"  }"...)
	}
	return append(text, inner+"]\n"+indent+"}"...), true
}

// isPlain reports whether a text is the same in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func appendText(text []byte, plain string) []byte {
	return append(append(append(text, '"'), plain...), '"')
}
