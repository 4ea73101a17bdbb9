package project

import (
	"regexp"
	"slices"
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
	Items int   // items with a match
	Count int   // matches
	Rows  []int // of the first items with a match in the file
}

const maxPersonalDataRows = 5

// personalDataPatterns are heuristics with false positives and negatives. Text matched by
// one pattern is not matched again by those after it.
var personalDataPatterns = [4]struct {
	kind          PersonalDataKind
	requiredChars string // any of them must occur
	pattern       *regexp.Regexp
}{
	{EmailAddress, "@", regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)},
	{SocialHandle, "@", regexp.MustCompile(`(?:^|[\s(,;:])@[\pL_][\pL\pN_.]{2,29}\b`)},
	{BankAccount, "0123456789", regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b`)},
	{PhoneNumber, "0123456789", regexp.MustCompile(
		`(?:\+|\b00|\b0|\()[0-9]{1,4}\)?(?:[ ./-]?\(?[0-9]{2,4}\)?){2,5}\b|\b[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}\b`)},
}

// A PersonalDataCounter counts the matches in items that are not all in memory.
type PersonalDataCounter struct {
	items, matches [4]int // by pattern
	rows           [4][]int
}

// Add counts the matches in an item.
func (c *PersonalDataCounter) Add(item Item) {
	for i, n := range item.Content.countPersonalData() {
		c.matches[i] += n
		if n == 0 {
			continue
		}
		c.items[i]++
		if item.Row > 0 && len(c.rows[i]) < maxPersonalDataRows && !slices.Contains(c.rows[i], item.Row) {
			c.rows[i] = append(c.rows[i], item.Row)
		}
	}
}

// Matches returns the kinds that occur.
func (c *PersonalDataCounter) Matches() (found []PersonalDataMatch) {
	for i, m := range personalDataPatterns {
		if c.matches[i] > 0 {
			found = append(found, PersonalDataMatch{m.kind, c.items[i], c.matches[i], c.rows[i]})
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
