package account

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	zxcvbn "github.com/ccojocar/zxcvbn-go"
	"github.com/ccojocar/zxcvbn-go/match"

	"github.com/labelwright/labelwright/internal/fault"
)

// The limits of a password.
const (
	MinPasswordLength = 12 // in characters
	maxPasswordBytes  = 1024
	minCharacters     = 5 // different ones

	// minEntropy is the least entropy in bits, as zxcvbn estimates it: four common words
	// have 45. Sign-in allows 10 guesses in 15 minutes.
	minEntropy = 40

	// maxEstimated is how many characters zxcvbn reads. Its time grows with the square.
	maxEstimated = 64
)

// PasswordRules lists the rules of CheckPassword, to show before the user types.
var PasswordRules = []string{
	"At least 12 characters. Four unrelated words work well.",
	"Not mainly your name, your email address or “Labelwright”.",
	"Not a common password, a date, a sequence such as “abcd” or “qwerty”, or a repetition.",
}

// An Owner is whose password it is. Words from the name and the address are easy to guess.
type Owner struct{ Name, Email string }

// CheckPassword returns why the owner must not use a password, or nil. It estimates how
// many guesses a password takes with zxcvbn (Wheeler, USENIX Security 2016), which knows
// about 45,000 common passwords, names and words, and keyboards, sequences, repetitions
// and dates.
func CheckPassword(password string, owner Owner) error {
	switch {
	case utf8.RuneCountInString(password) < MinPasswordLength:
		return fault.Invalid.Errorf("Use at least %d characters. Four unrelated words work well.", MinPasswordLength)
	case len(password) > maxPasswordBytes:
		return fault.Invalid.Errorf("The password is longer than 1,024 bytes. Choose a shorter one.")
	case countCharacters(password) < minCharacters || isRepetition(password):
		return fault.Invalid.Errorf("The password repeats itself and is easy to guess. Choose another one.")
	}
	start := []rune(password)
	estimate := zxcvbn.PasswordStrength(string(start[:min(len(start), maxEstimated)]), owner.words())
	if estimate.Entropy >= minEntropy {
		return nil
	}
	isOwn := func(m match.Match) bool { return m.DictionaryName == "user_inputs" }
	isSequence := func(m match.Match) bool {
		return len(m.Token) > 3 && (m.Pattern == "sequence" || m.Pattern == "spatial")
	}
	switch matches := estimate.MatchSequence; {
	case slices.ContainsFunc(matches, isOwn):
		return fault.Invalid.Errorf("The password is easy to guess: it is mainly your name, your email address or “Labelwright”. Choose other words.")
	case slices.ContainsFunc(matches, isSequence):
		return fault.Invalid.Errorf("The password is easy to guess: it contains a sequence, a date or neighboring keys. Choose unrelated words.")
	}
	return fault.Invalid.Errorf("The password is easy to guess: it is built from common words. Add more unrelated words.")
}

// words returns the words that are easy to guess for the owner, and the product's name.
func (o Owner) words() []string {
	words := []string{"labelwright", o.Name, o.Email}
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(o.Name+" "+o.Email, isSeparator) {
		if utf8.RuneCountInString(word) > 1 {
			words = append(words, word)
		}
	}
	return words
}

func countCharacters(password string) int {
	seen := map[rune]bool{}
	for _, r := range password {
		seen[r] = true
	}
	return len(seen)
}

// isRepetition reports whether password is a shorter text several times, the last perhaps
// cut short.
func isRepetition(password string) bool {
	runes := []rune(password)
	for period := 1; period <= len(runes)/2; period++ {
		if slices.Equal(runes[period:], runes[:len(runes)-period]) {
			return true
		}
	}
	return false
}
