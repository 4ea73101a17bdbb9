package project

import (
	"regexp"
	"strings"
)

// A Trace is a pattern that often points at a real person.
type Trace struct {
	Kind  string // "e-mail address", in the singular
	Items int    // how many items hold it
	Found int    // how often it was met
}

// What each kind looks like. These are hints for a person to look again: they
// miss some and take other things for one. What one of them takes is not left
// to those after it.
var traces = []struct {
	kind    string
	needs   string // any of these characters must be there
	pattern *regexp.Regexp
}{
	{"e-mail address", "@", regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)},
	{"handle", "@", regexp.MustCompile(`(?:^|[\s(,;:])@[\pL_][\pL\pN_.]{2,29}\b`)},
	{"bank account (IBAN)", "0123456789", regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b`)},
	{"phone number", "0123456789", regexp.MustCompile(`(?:\+|\b00|\b0|\()[0-9]{1,4}\)?(?:[ ./-]?\(?[0-9]{2,4}\)?){2,5}\b|\b[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}\b`)},
}

// PersonalTraces returns which patterns of personal data the items' texts
// hold. Kinds that are not met are left out.
func PersonalTraces(items []Item) (met []Trace) {
	counts := make([]Trace, len(traces))
	for i, t := range traces {
		counts[i].Kind = t.kind
	}
	for _, item := range items {
		for i, n := range item.Content.traces() {
			counts[i].Found += n
			counts[i].Items += min(n, 1)
		}
	}
	for _, t := range counts {
		if t.Found > 0 {
			met = append(met, t)
		}
	}
	return met
}

// traces returns how often each kind is met. Texts without any of the
// characters that a kind needs are passed over, since most are.
func (c Content) traces() []int {
	found := make([]int, len(traces))
	for _, piece := range c {
		for _, text := range piece.texts() {
			for i, t := range traces {
				if !strings.ContainsAny(text, t.needs) {
					continue
				}
				if n := len(t.pattern.FindAllStringIndex(text, -1)); n > 0 {
					found[i] += n
					text = t.pattern.ReplaceAllString(text, "\n")
				}
			}
		}
	}
	return found
}
