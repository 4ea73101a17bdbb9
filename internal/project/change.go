package project

import (
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Change changes the texts, the tie rule and the citation pattern of a project. Fields that are nil stay.
type Change struct {
	Title           *string
	Instructions    *string // Markdown
	TieRule         *stats.TieRule
	CitationPattern *CitationPattern
}

// Check returns c in its stored form, or FormProblems.
func (c Change) Check() (Change, error) {
	var problems FormProblems
	if c.Title != nil {
		c.Title = new(*c.Title)
		problems.readInto(c.Title, "title", readTitle)
	}
	if c.Instructions != nil {
		c.Instructions = new(*c.Instructions)
		problems.readInto(c.Instructions, "instructions", readInstructions)
	}
	if c.TieRule != nil && *c.TieRule != stats.Unresolved && *c.TieRule != stats.LowerValue &&
		*c.TieRule != stats.HigherValue {
		problems.add("tie_rule", fault.Invalid.Errorf("“%s” is no tie rule. Choose unresolved, lower or higher.",
			*c.TieRule))
	}
	if c.CitationPattern != nil {
		pattern := CitationPattern(strings.TrimSpace(string(*c.CitationPattern)))
		problems.add("citation_pattern", pattern.Check())
		c.CitationPattern = &pattern
	}
	return c, problems.err()
}
