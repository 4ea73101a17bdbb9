// Package prose writes the sentences of a report from its codes and numbers, in the language of the reader.
package prose

import (
	"math"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A Writer writes in one language.
type Writer struct{ *locale.Locale }

// joinFields names fields by their titles: “A”, “B” and “C”, or all of them.
func (w Writer) joinFields(titles []string, total int) string {
	if len(titles) == total && total > 2 {
		return w.T("all %d fields", total)
	}
	text := ""
	for i, title := range titles {
		quoted := w.T("“%s”", title)
		switch {
		case i == 0:
			text = quoted
		case i == len(titles)-1:
			text = w.T("%s and %s", text, quoted)
		default:
			text = w.T("%s, %s", text, quoted)
		}
	}
	return text
}

// interval writes a value with its interval, or without one if it has none.
func (w Writer) interval(value float64, low, high *float64) string {
	if low == nil || high == nil {
		return w.signed(value)
	}
	return w.T("%s (95%% CI %s to %s)", w.signed(value), w.signed(*low), w.signed(*high))
}

// signed writes two decimals, with a true minus sign and without a negative zero.
func (w Writer) signed(value float64) string {
	text := w.Decimal(math.Abs(value), 2)
	if value < 0 && math.Abs(value) >= 0.005 {
		return "−" + text
	}
	return text
}

// Value writes the value of a figure, or a dash.
func (w Writer) Value(f judge.Figure) string {
	if f.Value == nil {
		return "–"
	}
	return w.signed(*f.Value)
}

// Range writes the interval of a figure, or a dash.
func (w Writer) Range(f judge.Figure) string {
	if f.Low == nil || f.High == nil {
		return "–"
	}
	return w.T("%s to %s", w.signed(*f.Low), w.signed(*f.High))
}
