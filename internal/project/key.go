package project

import (
	"strconv"
	"strings"

	"github.com/mozillazg/go-unidecode"
)

// maxProposedKey is the number of characters of a proposed key, without its number.
const maxProposedKey = 40

// ProposeKey returns a key for a title in any script: its words in Latin letters, joined by
// hyphens. A key that is taken gets a number.
func ProposeKey(title string, isTaken func(key string) bool) string {
	key := joinWords(unidecode.Unidecode(title))
	if key == "" || checkKey(key) != nil {
		key = strings.Trim("project-"+key, "-")
	}
	candidate := key
	for n := 2; isTaken(candidate); n++ {
		candidate = key + "-" + strconv.Itoa(n)
	}
	return candidate
}

// joinWords returns the first words of a text as a key.
func joinWords(text string) (key string) {
	isSeparator := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	text = strings.NewReplacer("'", "", "`", "", "’", "").Replace(strings.ToLower(text))
	for _, word := range strings.FieldsFunc(text, isSeparator) {
		word = word[:min(len(word), maxProposedKey)]
		if key != "" && len(key)+1+len(word) > maxProposedKey {
			break
		}
		key = strings.Trim(key+"-"+word, "-")
	}
	return key
}

// RAGProtocols are the protocols that one file of RAG records fills, each in a project of its own.
var RAGProtocols = []string{"rag-retrieval", "rag-grounding", "rag-generation"}

// RAGSpecs returns the specs of the projects for RAG records: spec's title and key followed by
// what each of them judges.
func RAGSpecs(spec Spec) []Spec {
	specs := make([]Spec, len(RAGProtocols))
	for i, name := range RAGProtocols {
		_, part, _ := strings.Cut(name, "-")
		specs[i] = spec
		specs[i].Protocol = name
		specs[i].Title += ": " + part
		specs[i].Key += "-" + part
	}
	return specs
}
