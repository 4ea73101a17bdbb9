package locale

import (
	"embed"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message/catalog"
)

//go:embed catalog/*.yaml
var catalogFiles embed.FS

// An entry is the translation of a text: one form, or one for each plural category of the
// first number in the text.
type entry struct {
	form    string
	plurals map[string]string
}

// UnmarshalYAML reads a string or a map of plural categories.
func (e *entry) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.MappingNode {
		return node.Decode(&e.plurals)
	}
	return node.Decode(&e.form)
}

// entries holds the texts of each language.
var entries = map[string]map[string]entry{"en": mustReadEntries("en"), "de": mustReadEntries("de")}

// texts holds all languages. A text that a language lacks is shown in English.
var texts = mustBuildCatalog()

func mustBuildCatalog() catalog.Catalog {
	builder := catalog.NewBuilder(catalog.Fallback(language.English))
	for tag := range entries {
		for key, e := range entries[tag] {
			if err := builder.Set(language.MustParse(tag), key, e.message(key)); err != nil {
				panic(fmt.Sprintf("%s: %q: %v", tag, key, err))
			}
		}
	}
	return builder
}

// Forms returns the texts for a script, by their English form: each is a string, or a string
// for each plural category. English texts without plural forms are left out.
func (l *Locale) Forms(keys []string) map[string]any {
	forms := map[string]any{}
	for _, key := range keys {
		switch e, ok := entries[l.tag][key]; {
		case l.isPseudo:
			forms[key] = OpeningMark + key + ClosingMark
		case ok && e.plurals != nil:
			forms[key] = e.plurals
		case ok:
			forms[key] = e.form
		}
	}
	return forms
}

// mustReadEntries reads the file of a language, in which the English texts are the keys.
func mustReadEntries(tag string) map[string]entry {
	source, err := catalogFiles.ReadFile("catalog/" + tag + ".yaml")
	if err != nil {
		panic(err)
	}
	var read map[string]entry
	if err := yaml.Unmarshal(source, &read); err != nil {
		panic(fmt.Sprintf("catalog/%s.yaml: %v", tag, err))
	}
	return read
}

func (e entry) message(key string) catalog.Message {
	if e.plurals == nil {
		return catalog.String(e.form)
	}
	var cases []any
	for _, category := range []string{"=0", "one", "other"} { // "other" is last: it always fits
		if form, ok := e.plurals[category]; ok {
			cases = append(cases, category, form)
		}
	}
	return plural.Selectf(countArgument(key), "%d", cases...)
}

var verb = regexp.MustCompile(`%(?:\[\d+\])?[-+# 0]*\d*(?:\.\d+)?[a-z%]`)

// countArgument returns the number of the first argument that is a whole number.
func countArgument(key string) int {
	position := 0
	for _, v := range verb.FindAllString(key, -1) {
		if strings.HasSuffix(v, "%") {
			continue
		}
		position++
		if strings.HasSuffix(v, "d") {
			return position
		}
	}
	return 1
}
