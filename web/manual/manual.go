// Package manual holds the manual, which the server shows below /help.
package manual

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/labelwright/labelwright/internal/protocol"
)

//go:embed en de files
var files embed.FS

// A Chapter is for one kind of readers.
type Chapter struct {
	Key, Language string
	Sections      []Section
}

// A Section has one subject.
type Section struct {
	ID, Title string
	HTML      string
	text      string // Markdown, for searches
}

// chapterKeys lists the chapters in the order of the contents.
var chapterKeys = []string{"annotators", "leads", "admins", "authors", "programs"}

// Files returns the files that chapters link to.
func Files() fs.FS {
	sub, _ := fs.Sub(files, "files") // embedded
	return sub
}

// Chapters returns the chapters in a language, and in English where there is no translation.
func Chapters(language string) (chapters []Chapter) {
	read := readChapters()
	for _, key := range chapterKeys {
		c, ok := read[language+"/"+key]
		if !ok {
			c = read["en/"+key]
		}
		chapters = append(chapters, c)
	}
	return chapters
}

// Find returns the chapters with only those sections that have all words of a query.
func Find(chapters []Chapter, query string) (found []Chapter) {
	words := strings.Fields(strings.ToLower(query))
	for _, c := range chapters {
		c.Sections = slices.DeleteFunc(slices.Clone(c.Sections), func(s Section) bool {
			text := strings.ToLower(s.Title + " " + s.text)
			return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
		})
		if len(c.Sections) > 0 {
			found = append(found, c)
		}
	}
	return found
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// readChapters reads the embedded files once, by language and key. A test reads all of them.
var readChapters = sync.OnceValue(func() map[string]Chapter {
	chapters := map[string]Chapter{}
	names, _ := fs.Glob(files, "*/*.md")
	for _, name := range names {
		text, _ := files.ReadFile(name)
		id := strings.TrimSuffix(name, ".md")
		language, key, _ := strings.Cut(id, "/")
		if key == "authors" {
			text = append(text, describeSchema()...)
		}
		c := Chapter{Key: key, Language: language}
		for _, part := range strings.Split(string(text), "\n## ")[1:] {
			heading, body, _ := strings.Cut(part, "\n")
			var html bytes.Buffer
			_ = markdown.Convert([]byte(body), &html) // writing to a buffer cannot fail
			c.Sections = append(c.Sections, Section{ID: sectionID(heading), Title: heading, HTML: html.String(),
				text: body})
		}
		chapters[id] = c
	}
	return chapters
})

// sectionID returns the fragment of a section's address.
func sectionID(title string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return r != 'ä' && r != 'ö' && r != 'ü' && r != 'ß' && (r < 'a' || r > 'z')
	}), "-")
}

// A schemaObject is what the reference says of an object of the schema of protocols.
type schemaObject struct {
	Description string
	Type        any
	Ref         string `json:"$ref"`
	Enum        []any
	Required    []string
	Properties  map[string]schemaObject
	Items       *schemaObject
}

// describeSchema returns tables of the keys of a protocol, as its JSON schema has them.
func describeSchema() (text string) {
	var schema struct {
		Definitions map[string]schemaObject `json:"$defs"`
	}
	if err := json.Unmarshal(protocol.Schema(), &schema); err != nil {
		return "" // unreachable: a test reads the schema
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Definitions)) {
		object := schema.Definitions[name]
		if len(object.Properties) == 0 {
			continue
		}
		text += fmt.Sprintf("### %s\n\n%s\n\n| key | value | meaning |\n|---|---|---|\n", name, object.Description)
		for _, key := range slices.Sorted(maps.Keys(object.Properties)) {
			p, need := object.Properties[key], ""
			if slices.Contains(object.Required, key) {
				need = ", required"
			}
			text += fmt.Sprintf("| `%s` | %s%s | %s |\n", key, p.kind(), need,
				strings.ReplaceAll(p.Description, "|", `\|`))
		}
		text += "\n"
	}
	return text
}

// kind names what an object may be.
func (o schemaObject) kind() string {
	switch {
	case o.Ref != "":
		return strings.TrimPrefix(o.Ref, "#/$defs/")
	case len(o.Enum) > 0:
		values := make([]string, len(o.Enum))
		for i, v := range o.Enum {
			values[i] = fmt.Sprintf("`%v`", v)
		}
		return strings.Join(values, ", ")
	case o.Items != nil:
		return "list of " + o.Items.kind()
	case o.Type != nil:
		return fmt.Sprint(o.Type)
	}
	return "one of several"
}
