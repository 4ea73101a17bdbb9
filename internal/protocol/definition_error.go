package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A DefinitionError is one error in a definition, with a message that says how to
// fix it.
type DefinitionError struct {
	File    string
	Line    int // from 1
	Message string
}

// String returns "file:line: message".
func (f DefinitionError) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// DefinitionErrors holds all errors of a definition, ordered by line.
type DefinitionErrors []DefinitionError

// Error returns one line per error.
func (errs DefinitionErrors) Error() string {
	return strings.Join(mapSlice(errs, DefinitionError.String), "\n")
}

// sortUnique orders errs by line and removes repeated ones.
func (errs DefinitionErrors) sortUnique() DefinitionErrors {
	slices.SortStableFunc(errs, func(a, b DefinitionError) int { return cmp.Compare(a.Line, b.Line) })
	seen := map[DefinitionError]bool{}
	return slices.DeleteFunc(errs, func(f DefinitionError) bool {
		defer func() { seen[f] = true }()
		return seen[f]
	})
}

// nearestName returns the name that input most likely misspells, or "".
func nearestName(input string, names []string) string {
	const maxLength = 64
	if len(input) > maxLength {
		return ""
	}
	best, bestDistance := "", len([]rune(input))/2
	for _, name := range names {
		if d := editDistance([]rune(input), []rune(name)); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = name, d
		}
	}
	return best
}

// editDistance counts the letters to add, drop or change between a and b
// (Levenshtein 1966).
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			substitution := diagonal
			if a[i] != b[j] {
				substitution++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitution, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// suggestName returns a sentence with the nearest name, or with all names if none
// is near.
func suggestName(input string, names []string) string {
	if name := nearestName(input, names); name != "" {
		return "Did you mean " + quote(name) + "?"
	}
	if len(names) == 0 {
		return "Remove it."
	}
	return "Valid values: " + strings.Join(names, ", ") + "."
}

// quote returns text in quotation marks, shortened if it is long.
func quote(text string) string {
	const maxLength = 48
	if letters := []rune(text); len(letters) > maxLength {
		text = string(letters[:maxLength]) + "…"
	}
	return "“" + text + "”"
}

// joinWithAnd returns "a, b and c".
func joinWithAnd(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
