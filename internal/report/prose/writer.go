// Package prose writes the sentences of a report from its codes and numbers, in the language of the reader.
package prose

import (
	"math"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A Writer writes in one language.
type Writer struct {
	*locale.Locale
	onText func(text string) // called with each text of the catalog that is written; nil outside of tests
}

// T writes a text of the catalog with its arguments.
func (w Writer) T(text string, args ...any) string {
	if w.onText != nil {
		w.onText(text)
	}
	return w.Locale.T(text, args...)
}

// joinFields names fields by their titles: “A”, “B” and “C”, or all of them.
func (w Writer) joinFields(titles []string, total int) string {
	if len(titles) == total && total > 2 {
		return w.T("all %d fields", total)
	}
	quoted := make([]string, len(titles))
	for i, title := range titles {
		quoted[i] = w.T("“%s”", title)
	}
	return w.join(quoted)
}

// join writes a list: A, B and C.
func (w Writer) join(parts []string) (text string) {
	for i, part := range parts {
		switch {
		case i == 0:
			text = part
		case i == len(parts)-1:
			text = w.T("%s and %s", text, part)
		default:
			text = w.T("%s, %s", text, part)
		}
	}
	return text
}

// P writes a p-value so that it stays on its side of the limit.
func (w Writer) P(p float64) string {
	switch {
	case p < 0.001:
		return "< " + w.Decimal(0.001, 3)
	case p < 0.1:
		return w.Decimal(math.Ceil(p*1000)/1000, 3)
	}
	return w.Decimal(p, 2)
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
