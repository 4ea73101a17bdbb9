package audit

import "github.com/labelwright/labelwright/internal/locale"

// Sentences returns the sentences of all actions in a language.
func Sentences(l *locale.Locale) map[string]string {
	sentences := map[string]string{}
	for action, t := range texts {
		sentences[action] = l.Translate(t.sentence)
	}
	return sentences
}
