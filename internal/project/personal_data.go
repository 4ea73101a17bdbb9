package project

import (
	"regexp"
	"strings"
)

// A PersonalDataMatch is a pattern that often points at a real person.
type PersonalDataMatch struct {
	Kind  string // "e-mail address", in the singular
	Items int    // how many items hold it
	Count int    // how often it was met
}

// What each kind looks like. These are hints for a person to look again: they
// miss some and take other things for one. What one of them takes is not left
// to those after it.
var personalDataPatterns = []struct {
	kind          string
	requiredChars string // any of these characters must be there
	pattern       *regexp.Regexp
}{
	{"e-mail address", "@", regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)},
	{"handle", "@", regexp.MustCompile(`(?:^|[\s(,;:])@[\pL_][\pL\pN_.]{2,29}\b`)},
	{"bank account (IBAN)", "0123456789", regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b`)},
	{"phone number", "0123456789", regexp.MustCompile(`(?:\+|\b00|\b0|\()[0-9]{1,4}\)?(?:[ ./-]?\(?[0-9]{2,4}\)?){2,5}\b|\b[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}\b`)},
}

// FindPersonalData returns which patterns of personal data the items' texts
// hold. Kinds that are not met are left out.
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

// countPersonalData returns how often each kind is met. Texts without any of the
// characters that a kind needs are passed over, since most are.
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
