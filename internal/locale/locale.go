// Package locale writes texts, numbers and dates in the language of a reader. A text is
// named by its English form: l.T("Break in %d items", n). The files in catalog hold its
// plural forms and its translations.
package locale

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Locale writes in one language.
type Locale struct {
	tag       string
	name      string // in its own language
	direction string
	printer   *message.Printer
	isPseudo  bool
	zone      *time.Location // nil: UTC, which dates name
}

// The languages. Pseudo has English texts in marks, from right to left and with the digits of
// Arabic: tests find with it what is not in the catalog. It is offered to no user.
var (
	English = newLocale("en", "English")
	German  = newLocale("de", "Deutsch")
	Pseudo  = &Locale{tag: "ar-XB", name: "Pseudo", direction: "rtl", printer: newPrinter(language.Arabic),
		isPseudo: true}
)

// Offered lists the languages that users can choose.
var Offered = []*Locale{English, German}

// The marks around each text of Pseudo.
const (
	OpeningMark = "⟦"
	ClosingMark = "⟧"
)

func newLocale(tag, name string) *Locale {
	return &Locale{tag: tag, name: name, direction: "ltr", printer: newPrinter(language.MustParse(tag))}
}

func newPrinter(tag language.Tag) *message.Printer {
	return message.NewPrinter(tag, message.Catalog(texts))
}

// Tag returns the language as in the attribute lang, such as "de".
func (l *Locale) Tag() string { return l.tag }

// Name returns the name of the language in that language.
func (l *Locale) Name() string { return l.name }

// Direction returns "ltr" or "rtl".
func (l *Locale) Direction() string { return l.direction }

// T returns a text with its arguments in the language of l. Numbers are written with the
// separators of the language. The text is a constant, so that tests find it.
func (l *Locale) T(text string, args ...any) string {
	for i, arg := range args {
		if t, ok := arg.(Text); ok {
			args[i] = l.Translate(t)
		}
	}
	if !l.isPseudo {
		return l.printer.Sprintf(text, args...)
	}
	return OpeningMark + l.printer.Sprintf(text, args...) + ClosingMark
}

// Has reports whether the catalog has a translation of text.
func (l *Locale) Has(text string) bool {
	_, ok := entries[German.tag][text]
	return ok
}

// A Text is a text of the catalog that is kept before its language is known.
type Text = fault.Text

// Translate returns t in the language of l.
func (l *Locale) Translate(t Text) string {
	if t == "" {
		return ""
	}
	return l.T(string(t))
}

// Count returns the form of t for a number, such as "1,033 items".
func (l *Locale) Count(t Text, n int) string { return l.T(string(t), n) }

// Fill returns t with a value for its only verb.
func (l *Locale) Fill(t Text, value string) string { return l.T(string(t), value) }

// Message returns the text to show for an error.
func (l *Locale) Message(err error) string {
	f := fault.From(err)
	if f.Format == "" {
		return f.Message
	}
	return l.fill(f.Format, f.Args)
}

// FieldMessage returns the text to show for a problem of a field.
func (l *Locale) FieldMessage(p fault.FieldProblem) string {
	if p.Format == "" {
		return p.Message
	}
	return l.fill(p.Format, p.Args)
}

// fill returns a format with its arguments, of which errors are in the language of l too.
func (l *Locale) fill(format string, args []any) string {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok && fault.KindOf(err) != fault.Internal {
			args[i] = l.Message(err)
		}
	}
	return l.T(format, args...)
}

// Number writes n with the separators of the language, such as "1,033".
func (l *Locale) Number(n int) string { return l.printer.Sprintf("%d", n) }

// Decimal writes x with a number of decimals, such as "2.5".
func (l *Locale) Decimal(x float64, decimals int) string {
	return l.printer.Sprintf("%.*f", decimals, x)
}

// Figure writes formatted figures, such as "0.72", "4.0% to 9.5%" or "−1.2 (±0.3)", as the language does. Other texts
// stay as they are.
func (l *Locale) Figure(text string) string {
	if l.tag != German.tag || !figures.MatchString(text) {
		return text
	}
	text = decimalPoint.ReplaceAllString(text, "$1,$2")
	return strings.NewReplacer("%", "\u00a0%", " to ", " bis ").Replace(text)
}

var (
	figures      = regexp.MustCompile(`^(?:[\d.,%+−±≈<>≤≥()\[\]\s–-]|to)*\d(?:[\d.,%+−±≈<>≤≥()\[\]\s–-]|to)*$`)
	decimalPoint = regexp.MustCompile(`(\d)\.(\d{1,2}\b)`) // three digits follow a separator of thousands
)

// In returns l with dates in a time zone. With nil, they are in UTC and say so.
func (l *Locale) In(zone *time.Location) *Locale {
	in := *l
	in.zone = zone
	return &in
}

// KnownZone returns the time zone of dates, or nil without any.
func (l *Locale) KnownZone() *time.Location { return l.zone }

// Zone returns the time zone of dates.
func (l *Locale) Zone() *time.Location {
	if l.zone == nil {
		return time.UTC
	}
	return l.zone
}

// Date writes the day of t, such as "2 Jan 2006".
func (l *Locale) Date(t time.Time) string { return l.format(t, l.T("2 Jan 2006")) }

// Month writes the month of t, such as "January 2006".
func (l *Locale) Month(t time.Time) string {
	t = t.In(l.Zone())
	return l.Translate(longMonths[t.Month()-1]) + t.Format(" 2006")
}

// Time writes t, such as "2 Jan 2006, 15:04", or "2 Jan 2006, 15:04 UTC" without a time zone.
func (l *Locale) Time(t time.Time) string {
	if l.zone == nil {
		return l.format(t, l.T("2 Jan 2006, 15:04 UTC"))
	}
	return l.format(t, l.T("2 Jan 2006, 15:04"))
}

// Clock writes the time of day of t, such as "15:04", or "15:04 UTC" without a time zone.
func (l *Locale) Clock(t time.Time) string {
	if l.zone == nil {
		return t.UTC().Format("15:04 UTC")
	}
	return t.In(l.zone).Format("15:04")
}

var months = [...]Text{Text("Jan"), Text("Feb"), Text("Mar"), Text("Apr"), Text("May"), Text("Jun"), Text("Jul"),
	Text("Aug"), Text("Sep"), Text("Oct"), Text("Nov"), Text("Dec")}

var longMonths = [...]Text{Text("January"), Text("February"), Text("March"), Text("April"), Text("May"), Text("June"),
	Text("July"), Text("August"), Text("September"), Text("October"), Text("November"), Text("December")}

// format writes t by a layout of package time in which the month is "Jan".
func (l *Locale) format(t time.Time, layout string) string {
	t = t.In(l.Zone())
	before, after, _ := strings.Cut(layout, "Jan")
	return t.Format(before) + l.Translate(months[t.Month()-1]) + t.Format(after)
}

type contextKey struct{}

// With returns a context whose texts are in the language of l.
func With(ctx context.Context, l *Locale) context.Context {
	return context.WithValue(ctx, contextKey{}, l)
}

// From returns the locale of a context, or English.
func From(ctx context.Context) *Locale {
	if l, ok := ctx.Value(contextKey{}).(*Locale); ok {
		return l
	}
	return English
}

// ByTag returns the offered locale of a tag, or nil.
func ByTag(tag string) *Locale {
	for _, l := range Offered {
		if l.tag == tag {
			return l
		}
	}
	return nil
}

var matcher = language.NewMatcher([]language.Tag{language.English, language.German})

// ForBrowser returns the offered locale that fits the header Accept-Language best. Pseudo is
// used for a header with exactly its tag.
func ForBrowser(acceptLanguage string) *Locale {
	if acceptLanguage == Pseudo.tag {
		return Pseudo
	}
	_, i := language.MatchStrings(matcher, acceptLanguage)
	return Offered[i]
}
