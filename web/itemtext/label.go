package itemtext

import (
	"html"
	"strings"
	"sync"

	"github.com/labelwright/labelwright/internal/locale"
)

// imageLabel is what the placeholder of an image starts with.
const imageLabel = `<span class="image-label">` + string(labelImage) + `</span>`

// The labels that Render and Plain write into the markup, in English.
const (
	labelTable = locale.Text("Table")
	labelImage = locale.Text("Image:")
)

// WithLabelsIn returns markup of Render or Plain with its labels in the language of l.
func WithLabelsIn(l *locale.Locale, markup string) string {
	if l.Tag() == locale.English.Tag() {
		return markup
	}
	found, _ := replacers.LoadOrStore(l.Tag(), newReplacer(l))
	return found.(*strings.Replacer).Replace(markup)
}

// replacers holds a *strings.Replacer for each language.
var replacers sync.Map

// newReplacer replaces the labels. Texts of items cannot have what it looks for, because
// their angle brackets are escaped.
func newReplacer(l *locale.Locale) *strings.Replacer {
	pairs := []string{imageLabel, strings.Replace(imageLabel, string(labelImage),
		html.EscapeString(l.Translate(labelImage)), 1)}
	labels := []locale.Text{labelTable, labelInvisible}
	for _, m := range marks {
		labels = append(labels, m.title)
	}
	for _, label := range labels {
		pairs = append(pairs, ` aria-label="`+string(label)+`"`, ` aria-label="`+html.EscapeString(l.Translate(label))+
			`"`)
	}
	return strings.NewReplacer(pairs...)
}
