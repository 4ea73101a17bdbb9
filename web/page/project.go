package page

import (
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
)

// A MemberRow is a member of a project.
type MemberRow struct {
	AccountID     account.ID
	Name          string // the address until the member works in the project
	Email         string
	Role          account.Role // in the project
	Pseudonym     string       // the name in exports
	Invited       bool         // has not worked in the project, or has no password
	Disabled      bool
	LacksLeadRole bool // a lead whose account has not the role lead
}

// memberSummary counts the members by role.
func (d ProjectHomeData) memberSummary() string {
	leads := 0
	for _, m := range d.Members {
		if m.Role == account.Lead {
			leads++
		}
	}
	return Pluralize(leads, "lead") + ", " + Pluralize(len(d.Members)-leads, "annotator")
}

// hasAnnotator reports whether anyone can label: a member who is not a lead.
func (d ProjectHomeData) hasAnnotator() bool {
	return slices.ContainsFunc(d.Members, func(m MemberRow) bool { return m.Role != account.Lead })
}

// statusText describes the batches of a project whose items are all in batches.
func (d ProjectHomeData) statusText() string {
	open, remaining := 0, 0
	for _, b := range d.Batches {
		if b.ClosedAt == nil {
			open++
			remaining += b.Slots - b.Submitted
		}
	}
	switch {
	case open == 0:
		return "All batches are closed. You can export the dataset."
	case remaining == 0:
		return "All labels are submitted. Close the batch and export the dataset."
	}
	return fmt.Sprintf("All items are in a batch. %s still missing.", pluralizeAs(remaining, "label is", "labels are"))
}

// commands are the shell commands for the same tasks.
func (d ProjectHomeData) commands() []string {
	key := d.Project.Key
	return []string{
		"labelwright import --project " + key + " items.jsonl",
		"labelwright batch open --project " + key + " --name first --annotators a@example.org,b@example.org --overlap 2 --plan",
		"labelwright export --project " + key + " --out dataset",
	}
}
