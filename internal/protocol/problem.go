package protocol

import (
	"slices"
	"strings"
)

// A Problem is one reason why answers cannot be stored, with a message for the
// annotator.
type Problem struct {
	Key     string `json:"key"`  // the field, observation or note to show it at
	Rule    string `json:"rule"` // the broken constraint, named as in the database
	Message string `json:"message"`
}

// Problems is the error for answers that cannot be stored.
type Problems []Problem

// Error returns a summary for the log. Pages show each problem at its field.
func (ps Problems) Error() string { return "Some answers are invalid." }

// MessagesFor returns the distinct messages to show at key.
func (ps Problems) MessagesFor(key string) (messages []string) {
	for _, p := range ps {
		if p.Key == key && !slices.Contains(messages, p.Message) {
			messages = append(messages, p.Message)
		}
	}
	return messages
}

// Messages of the checks that every protocol has. The browser uses the same ones.
const (
	messageMissing       = "Choose an answer."
	messageNotApplicable = "This question does not apply to this item. Clear the answer."
	messageOffScale      = "Choose one of the listed answers."
	messageUnknownKey    = "“%s” is not part of this form. Reload the page."
	messageNoteTooLong   = "The note is longer than 4,000 characters. Shorten it."
	messageHighest       = "%s is the highest value. Choose the lower of the two values, or clear “between two values”."
)

// MessageTwoAnswers is the message for a field with two answers, which no page sends.
const MessageTwoAnswers = "Choose one answer. The form contains two."

// CommonMessages lists the messages that do not depend on the protocol, in English.
var CommonMessages = []string{messageMissing, messageNotApplicable, messageOffScale, messageUnknownKey,
	messageNoteTooLong, messageHighest, MessageTwoAnswers}

// IsCommonMessage reports whether a message is of a check that every protocol has. Other
// messages are in the language of the protocol.
func IsCommonMessage(message string) bool { return slices.Contains(CommonMessages, message) }

// SplitCommonMessage returns the format and the argument of a common message that has one.
func SplitCommonMessage(message string) (format, argument string, ok bool) {
	for _, format := range []string{messageUnknownKey, messageHighest} {
		before, after, _ := strings.Cut(format, "%s")
		argument, hasBefore := strings.CutPrefix(message, before)
		argument, hasAfter := strings.CutSuffix(argument, after)
		if hasBefore && hasAfter {
			return format, argument, true
		}
	}
	return "", "", false
}

func (f Field) missingProblem() Problem { return Problem{f.Key, f.Key + "_given", messageMissing} }
func (f Field) notApplicableProblem() Problem {
	return Problem{f.Key, f.Key + "_applies", messageNotApplicable}
}
func (f Field) offScaleProblem() Problem { return Problem{f.Key, f.Key + "_scale", messageOffScale} }

// ProblemForConstraint returns the problem for a violated constraint of p's
// partition.
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
