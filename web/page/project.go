package page

import (
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
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
func (d ProjectHomeData) memberSummary(l *locale.Locale) string {
	leads := 0
	for _, m := range d.Members {
		if m.Role == account.Lead {
			leads++
		}
	}
	return l.T("%d leads", leads) + ", " + l.T("%d annotators", len(d.Members)-leads)
}

// hasAnnotator reports whether anyone can label: a member who is not a lead.
func (d ProjectHomeData) hasAnnotator() bool {
	return slices.ContainsFunc(d.Members, func(m MemberRow) bool { return m.Role != account.Lead })
}

// statusText describes the batches of a project whose items are all in batches.
func (d ProjectHomeData) statusText(l *locale.Locale) string {
	open, remaining := 0, 0
	for _, b := range d.Batches {
		if b.ClosedAt == nil {
			open++
			remaining += b.Missing()
		}
	}
	switch {
	case open == 0:
		return l.T("All batches are closed. You can export the dataset.")
	case remaining == 0:
		return l.T("All labels are submitted. Close the batch and export the dataset.")
	}
	return l.T("All items are in a batch.") + " " + l.T("%d labels are still missing.", remaining)
}

// commands are the shell commands for the same tasks.
func (d ProjectHomeData) commands() []string {
	key := d.Project.Key
	return []string{
		"labelwright import --project " + key + " items.jsonl",
		"labelwright batch open --project " + key +
			" --batch first --annotators a@example.org,b@example.org --overlap 2 --plan",
		"labelwright export --project " + key + " --out dataset",
	}
}
