package project

import "strings"

// A Change changes the texts of a project. Fields that are nil stay.
type Change struct {
	Title        *string
	Instructions *string // Markdown
}

// Check returns c in its stored form, or FormProblems.
func (c Change) Check() (Change, error) {
	var problems FormProblems
	if c.Title != nil {
		title := strings.TrimSpace(*c.Title)
		problems.add("title", CheckTitle(title))
		c.Title = &title
	}
	if c.Instructions != nil {
		text := strings.TrimSpace(strings.ReplaceAll(*c.Instructions, "\r\n", "\n"))
		problems.add("instructions", CheckInstructions(text))
		c.Instructions = &text
	}
	return c, problems.err()
}
