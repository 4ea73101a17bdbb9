package protocol

import "slices"

// A Problem is one reason why answers cannot be stored, in words for the
// person who gave them.
type Problem struct {
	Key  string `json:"key"`  // the field, observation or note to show it at
	Rule string `json:"rule"` // the constraint it breaks, named as in the database
	Says string `json:"says"`
}

// Problems is a refusal, as an error.
type Problems []Problem

// Error returns a sentence for the log; people are shown each problem.
func (ps Problems) Error() string { return "Some answers need another look." }

// At returns the sentences to show at key, each once.
func (ps Problems) At(key string) (sentences []string) {
	for _, p := range ps {
		if p.Key == key && !slices.Contains(sentences, p.Says) {
			sentences = append(sentences, p.Says)
		}
	}
	return sentences
}

// The sentences of the checks that every protocol has. The browser is given
// the same ones.
const (
	missing     = "Please choose an answer."
	misplaced   = "This question does not apply to this item. Leave it open."
	unoffered   = "Please choose one of the answers offered."
	unknown     = "“%s” is not part of this form. Reload the page."
	noteTooLong = "The note is longer than 4,000 characters. Please shorten it."
)

func (f Field) missing() Problem   { return Problem{f.Key, f.Key + "_given", missing} }
func (f Field) misplaced() Problem { return Problem{f.Key, f.Key + "_applies", misplaced} }
func (f Field) unoffered() Problem { return Problem{f.Key, f.Key + "_scale", unoffered} }

// Broken returns the problem behind a violated constraint of p's partition.
func (p Protocol) Broken(constraint string) (Problem, bool) {
	for _, f := range p.Fields {
		for _, q := range []Problem{f.missing(), f.misplaced(), f.unoffered()} {
			if q.Rule == constraint {
				return q, true
			}
		}
	}
	for _, r := range p.AllRules() {
		if r.ID == constraint {
			return Problem{r.Then[0].Key, r.ID, r.Says}, true
		}
	}
	return Problem{}, false
}
