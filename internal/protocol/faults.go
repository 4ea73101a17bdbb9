package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing that a definition must have changed before it can be
// used, with a sentence that says what to do.
type Fault struct {
	File string
	Line int // from 1
	Says string
}

// String returns "file:line: sentence".
func (f Fault) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Says) }

// Faults holds every fault of a definition, in the order of its lines.
type Faults []Fault

// Error returns one line for each fault.
func (fs Faults) Error() string {
	return strings.Join(each(fs, Fault.String), "\n")
}

// sorted orders fs by line and keeps one of those that say the same.
func (fs Faults) sorted() Faults {
	slices.SortStableFunc(fs, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	seen := map[Fault]bool{}
	return slices.DeleteFunc(fs, func(f Fault) bool {
		defer func() { seen[f] = true }()
		return seen[f]
	})
}

// nearest returns the one of names that word was probably meant to be, or "".
func nearest(word string, names []string) string {
	const longest = 64
	if len(word) > longest {
		return ""
	}
	best, least := "", len([]rune(word))/2
	for _, name := range names {
		if d := distance([]rune(word), []rune(name)); d <= least && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to add, drop or change between a and b
// (Levenshtein 1966).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		corner := row[0]
		row[0] = i + 1
		for j := range b {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, corner+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// didYouMean returns a sentence that names the nearest of names, or all of
// them where none is near.
func didYouMean(word string, names []string) string {
	if name := nearest(word, names); name != "" {
		return "Did you mean " + quoted(name) + "?"
	}
	if len(names) == 0 {
		return "Please take it out."
	}
	return "Known here: " + strings.Join(names, ", ") + "."
}

// quoted puts what people wrote between quotation marks, cut where it is long.
func quoted(text string) string {
	const most = 48
	if letters := []rune(text); len(letters) > most {
		text = string(letters[:most]) + "…"
	}
	return "“" + text + "”"
}

// listed returns "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
