package itemtext

import (
	"html"
	"strings"
	"sync"

	"github.com/labelwright/labelwright/internal/locale"
)

// imageStart is how the placeholder of an image begins.
const imageStart = `<span class="image-placeholder">`

// The labels that Render and Plain write into the markup, in English.
const (
	labelTable   = locale.Text("Table")
	labelDone    = locale.Text("Done")
	labelNotDone = locale.Text("Not done")
	labelImage   = locale.Text("Image:")
)

// WithLabelsIn returns markup of Render or Plain with its labels in the language of l.
func WithLabelsIn(l *locale.Locale, markup string) string {
	if l == locale.English {
		return markup
	}
	found, _ := replacers.LoadOrStore(l, newReplacer(l))
	return found.(*strings.Replacer).Replace(markup)
}

// replacers holds a *strings.Replacer for each *locale.Locale.
var replacers sync.Map

// newReplacer replaces the labels. Texts of items cannot have what it looks for, because
// their angle brackets are escaped.
func newReplacer(l *locale.Locale) *strings.Replacer {
	pairs := []string{imageStart + string(labelImage), imageStart + html.EscapeString(l.Translate(labelImage))}
	labels := []locale.Text{labelTable, labelDone, labelNotDone, labelInvisible}
	for _, m := range marks {
		labels = append(labels, m.title)
	}
	for _, label := range labels {
		pairs = append(pairs, ` aria-label="`+string(label)+`"`, ` aria-label="`+html.EscapeString(l.Translate(label))+`"`)
	}
	return strings.NewReplacer(pairs...)
}
