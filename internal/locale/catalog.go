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

// texts holds all languages. A text that a language lacks is shown in English.
var texts = mustReadCatalogs()

func mustReadCatalogs() catalog.Catalog {
	builder := catalog.NewBuilder(catalog.Fallback(language.English))
	for _, tag := range []language.Tag{language.English, language.German} {
		for key, e := range mustReadEntries(tag.String()) {
			if err := builder.Set(tag, key, e.message(key)); err != nil {
				panic(fmt.Sprintf("%s: %q: %v", tag, key, err))
			}
		}
	}
	return builder
}

// mustReadEntries reads the file of a language, in which the English texts are the keys.
func mustReadEntries(tag string) map[string]entry {
	source, err := catalogFiles.ReadFile("catalog/" + tag + ".yaml")
	if err != nil {
		panic(err)
	}
	var entries map[string]entry
	if err := yaml.Unmarshal(source, &entries); err != nil {
		panic(fmt.Sprintf("catalog/%s.yaml: %v", tag, err))
	}
	return entries
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
