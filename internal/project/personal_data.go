package project

import (
	"regexp"
	"strings"
)

// A PersonalDataKind is a kind of personal data.
type PersonalDataKind string

// The kinds of personal data that are searched for.
const (
	EmailAddress PersonalDataKind = "email_address"
	SocialHandle PersonalDataKind = "social_handle"
	BankAccount  PersonalDataKind = "bank_account"
	PhoneNumber  PersonalDataKind = "phone_number"
)

// A PersonalDataMatch counts one kind of possible personal data.
type PersonalDataMatch struct {
	Kind  PersonalDataKind
	Items int // items with a match
	Count int // matches
}

// personalDataPatterns are heuristics with false positives and negatives. Text matched by
// one pattern is not matched again by those after it.
var personalDataPatterns = []struct {
	kind          PersonalDataKind
	requiredChars string // any of them must occur
	pattern       *regexp.Regexp
}{
	{EmailAddress, "@", regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)},
	{SocialHandle, "@", regexp.MustCompile(`(?:^|[\s(,;:])@[\pL_][\pL\pN_.]{2,29}\b`)},
	{BankAccount, "0123456789", regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b`)},
	{PhoneNumber, "0123456789", regexp.MustCompile(`(?:\+|\b00|\b0|\()[0-9]{1,4}\)?(?:[ ./-]?\(?[0-9]{2,4}\)?){2,5}\b|\b[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}\b`)},
}

// FindPersonalData returns the kinds of possible personal data in the items, without
// those that do not occur.
func FindPersonalData(items []Item) (found []PersonalDataMatch) {
	counts := make([]PersonalDataMatch, len(personalDataPatterns))
	for i, m := range personalDataPatterns {
		counts[i].Kind = m.kind
	}
	for _, item := range items {
		for i, n := range item.Content.countPersonalData() {
			counts[i].Count += n
			counts[i].Items += min(n, 1)
		}
	}
	for _, m := range counts {
		if m.Count > 0 {
			found = append(found, m)
		}
	}
	return found
}

// countPersonalData returns the number of matches of each pattern. The check for required
// characters skips most texts quickly.
func (c Content) countPersonalData() []int {
	counts := make([]int, len(personalDataPatterns))
	for _, part := range c {
		for _, text := range part.texts() {
			for i, p := range personalDataPatterns {
				if !strings.ContainsAny(text, p.requiredChars) {
					continue
				}
				if n := len(p.pattern.FindAllStringIndex(text, -1)); n > 0 {
					counts[i] += n
					text = p.pattern.ReplaceAllString(text, "\n")
				}
			}
		}
	}
	return counts
}
