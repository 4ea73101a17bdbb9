package report

import "strconv"

// A jsonRow writes itself as the encoder does, which would take most of the time of a long list.
type jsonRow interface {
	// appendJSON appends the object with its lines indented; false if only the encoder can.
	appendJSON(text []byte, indent string) ([]byte, bool)
}

func (r ConsensusResult) appendJSON(text []byte, indent string) ([]byte, bool) {
	if len(r.Posterior) > 0 || len(r.Verdicts) > 0 || !isPlain(r.Item) || !isPlain(r.Field) {
		return text, false
	}
	inner := "\n" + indent + "  "
	text = appendText(append(text, "{"+inner+`"item": `...), r.Item)
	text = appendText(append(text, ","+inner+`"field": `...), r.Field)
	text = appendText(append(text, ","+inner+`"method": `...), string(r.Method))
	if text = append(text, ","+inner+`"value": `...); r.Value == nil {
		text = append(text, "null"...)
	} else {
		text = strconv.AppendInt(text, int64(*r.Value), 10)
	}
	text = appendInts(append(text, ","+inner+`"tied_values": `...), r.TiedValues, inner)
	text = strconv.AppendInt(append(text, ","+inner+`"answer_count": `...), int64(r.AnswerCount), 10)
	return append(text, "\n"+indent+"}"...), true
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

func appendInts(text []byte, values []int, inner string) []byte {
	switch {
	case values == nil:
		return append(text, "null"...)
	case len(values) == 0:
		return append(text, "[]"...)
	}
	text = append(text, '[')
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(append(text, inner+"  "...), int64(v), 10)
	}
	return append(text, inner+"]"...)
}
