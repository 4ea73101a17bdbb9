package protocol

import "slices"

// A Problem is one reason why answers cannot be stored, in words for the
// person who gave them.
type Problem struct {
	Key     string `json:"key"`  // the field, observation or note to show it at
	Rule    string `json:"rule"` // the constraint it breaks, named as in the database
	Message string `json:"message"`
}

// Problems is a refusal, as an error.
type Problems []Problem

// Error returns a sentence for the log; people are shown each problem.
func (ps Problems) Error() string { return "Some answers need another look." }

// MessagesFor returns the sentences to show at key, each once.
func (ps Problems) MessagesFor(key string) (messages []string) {
	for _, p := range ps {
		if p.Key == key && !slices.Contains(messages, p.Message) {
			messages = append(messages, p.Message)
		}
	}
	return messages
}

// The sentences of the checks that every protocol has. The browser is given
// the same ones.
const (
	messageMissing       = "Please choose an answer."
	messageNotApplicable = "This question does not apply to this item. Leave it open."
	messageOffScale      = "Please choose one of the answers offered."
	messageUnknownKey    = "“%s” is not part of this form. Reload the page."
	messageNoteTooLong   = "The note is longer than 4,000 characters. Please shorten it."
)

func (f Field) missingProblem() Problem { return Problem{f.Key, f.Key + "_given", messageMissing} }
func (f Field) notApplicableProblem() Problem {
	return Problem{f.Key, f.Key + "_applies", messageNotApplicable}
}
func (f Field) offScaleProblem() Problem { return Problem{f.Key, f.Key + "_scale", messageOffScale} }

// ProblemForConstraint returns the problem behind a violated constraint of p's partition.
func (p Protocol) ProblemForConstraint(constraint string) (Problem, bool) {
	for _, f := range p.Fields {
		for _, problem := range []Problem{f.missingProblem(), f.notApplicableProblem(), f.offScaleProblem()} {
			if problem.Rule == constraint {
				return problem, true
			}
		}
	}
	for _, r := range p.AllRules() {
		if r.ID == constraint {
			return Problem{r.Then[0].Key, r.ID, r.Message}, true
		}
	}
	return Problem{}, false
}
