package project

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxProposedKey is the number of characters of a proposed key, without its number.
const maxProposedKey = 40

// latinLetters are those that do not decompose into a letter from a to z and a mark.
var latinLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th",
	"ł", "l", "ı", "i", "'", "", "`", "", "’", "")

// ProposeKey returns a key for a title: its words in the letters from a to z and digits, joined by
// hyphens, without marks such as accents. A title without such letters, as in Chinese, gets
// "project". A key that is taken gets a number.
func ProposeKey(title string, isTaken func(key string) bool) string {
	key := joinWords(title)
	if !strings.ContainsFunc(key, unicode.IsLetter) || checkKey(key) != nil {
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
	text = norm.NFKD.String(latinLetters.Replace(strings.ToLower(text)))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
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
