package protocol

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// proseKeys are the keys of a definition whose texts a translation has. Everything under them is
// a text, except what codeKeys names.
var proseKeys = []string{"title", "summary", "noun", "question", "scale", "reward", "penalize", "boundaries", "if",
	"guidance", "subject", "message", "text", "points", "content warning", "item"}

// codeKeys are the keys whose values are never translated, but for the notes of hints, which may be.
var codeKeys = []string{"when", "then", "suggest", "answers", "role", "rank", "source", "boundary", "note"}

// In returns p with its texts in a language, if it has a translation.
func (p Protocol) In(language string) Protocol {
	t, isTranslated := p.Translations[language]
	if !isTranslated {
		return p
	}
	t.Source, t.Unit.Parts = p.Source, slices.Clone(t.Unit.Parts)
	for i := range t.Unit.Parts {
		t.Unit.Parts[i].Format = p.Unit.Parts[i].Format
	}
	return t
}

// TranslateWarning returns a content warning in a language if it is that of p. Others are a
// project's own.
func (p Protocol) TranslateWarning(warning, language string) string {
	if warning != p.Plan.ContentWarning {
		return warning
	}
	return p.In(language).Plan.ContentWarning
}

// TranslateProblems returns problems of answers with the messages of p.
func (p Protocol) TranslateProblems(problems Problems) Problems {
	return mapSlice(problems, func(problem Problem) Problem {
		if own, ok := p.ProblemForConstraint(problem.Rule); ok && !IsCommonMessage(problem.Message) {
			problem.Message = own.Message
		}
		return problem
	})
}

// readTranslations reads each translation as the definition with the translated texts in place,
// so that the same limits apply.
func (r *reader) readTranslations(root *yaml.Node, original Protocol) map[string]Protocol {
	list := childNode(root, "translations")
	if list == nil {
		return nil
	}
	languages, lines := r.readPairs(list, "translations by language")
	translations := map[string]Protocol{}
	for _, language := range sortedKeys(languages) {
		if !languagePattern.MatchString(language) || language == original.Language {
			r.errorf(lines[language], "%s is not another language than that of the protocol. %s", quote(language),
				describeKeyPattern(languagePattern))
		}
		translated := r.translate(root, languages[language], lines[language], "", false)
		inner := &reader{file: r.file, terms: map[string]term{}, lines: map[string]int{}}
		if len(r.errs) == 0 {
			p := inner.readProtocol(translated)
			p.Language = language
			translations[language] = p
		}
		r.errs = append(r.errs, inner.errs...)
	}
	if len(r.errs) == 0 {
		joinNotes(original, translations)
	}
	return translations
}

// joinNotes gives each hint its note in the other languages: annotators of one project can use several.
func joinNotes(original Protocol, translations map[string]Protocol) {
	all := []Protocol{original}
	for _, language := range sortedKeys(translations) {
		all = append(all, translations[language])
	}
	for i := range original.Hints {
		for _, p := range all {
			for _, other := range all {
				h, note := &p.Hints[i], other.Hints[i].Note
				if note != h.Note && !slices.Contains(h.OtherNotes, note) {
					h.OtherNotes = append(h.OtherNotes, note)
				}
			}
		}
	}
}

// translate returns n with the texts of t, which has the same shape, but lists whose elements
// have a key or an id as mappings by it. An example without any translation stays as it is.
func (r *reader) translate(n, t *yaml.Node, line int, path string, isProse bool) *yaml.Node {
	if t != nil {
		line = t.Line
	}
	switch {
	case n.Kind == yaml.ScalarNode && !isProse && t != nil:
		r.errorf(line, "“%s” is not a text to translate. Remove it.", path)
	case n.Kind == yaml.ScalarNode && isProse && t == nil && n.Value != "":
		r.errorf(line, "The translation lacks “%s”: %s", path, n.Value)
	case n.Kind == yaml.ScalarNode && isProse && t != nil:
		return t
	case n.Kind == yaml.MappingNode:
		return r.translateMapping(n, t, line, path, isProse)
	case n.Kind == yaml.SequenceNode:
		return r.translateList(n, t, line, path, isProse)
	}
	return n
}

func (r *reader) translateMapping(n, t *yaml.Node, line int, path string, isProse bool) *yaml.Node {
	texts, lines := map[string]*yaml.Node{}, map[string]int{}
	if t != nil {
		texts, lines = r.readPairs(t, "a translation of “"+path+"”")
	}
	translated := *n
	translated.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if path == "" && key.Value == "translations" {
			continue
		}
		isNote := key.Value == "note" && strings.HasPrefix(path, "hints.") && texts[key.Value] != nil
		isText := isNote || (isProse || slices.Contains(proseKeys, key.Value)) && !slices.Contains(codeKeys, key.Value)
		if !slices.Contains(codeKeys, key.Value) || texts[key.Value] != nil {
			value = r.translate(value, texts[key.Value], line, joinPath(path, key.Value), isText)
		}
		translated.Content = append(translated.Content, key, value)
		delete(texts, key.Value)
	}
	for _, key := range sortedKeys(texts) {
		r.errorf(lines[key], "“%s” is not in the protocol. Remove its translation.", joinPath(path, key))
	}
	return &translated
}

func (r *reader) translateList(n, t *yaml.Node, line int, path string, isProse bool) *yaml.Node {
	translated := *n
	translated.Content = slices.Clone(n.Content)
	byKey := map[string]*yaml.Node{}
	var lines map[string]int
	switch {
	case t == nil:
	case t.Kind == yaml.MappingNode:
		byKey, lines = r.readPairs(t, "a translation")
	case t.Kind != yaml.SequenceNode || len(t.Content) != len(n.Content):
		r.errorf(line, "The translation of “%s” needs a list of %d texts, as the original.", path, len(n.Content))
		return n
	}
	for i, child := range n.Content {
		key := childNode(child, "key")
		if key == nil {
			key = childNode(child, "id")
		}
		var text *yaml.Node
		childPath := path
		switch {
		case key != nil:
			text, childPath = byKey[key.Value], joinPath(path, key.Value)
			delete(byKey, key.Value)
			if text == nil && path == "examples" {
				continue
			}
		case t != nil && t.Kind == yaml.SequenceNode:
			text = t.Content[i]
		}
		translated.Content[i] = r.translate(child, text, line, childPath, isProse)
	}
	for _, key := range sortedKeys(byKey) {
		r.errorf(lines[key], "“%s” is not in the protocol. Remove its translation.", joinPath(path, key))
	}
	return &translated
}

// childNode returns the value of a key of mapping n, or nil.
func childNode(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
