package page

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/account"
)

// A MemberRow is somebody in a project.
type MemberRow struct {
	AccountID account.ID
	Name      string
	Email     string
	Role      account.Role // in the project
	Pseudonym string       // how exports name them
	Joined    bool         // has chosen a password
	Disabled  bool
}

// memberSummary says who is in the project.
func (d ProjectHomeData) memberSummary() string {
	leads := 0
	for _, m := range d.Members {
		if m.Role == account.Lead {
			leads++
		}
	}
	return pluralize(leads, "lead") + " and " + pluralize(len(d.Members)-leads, "annotator")
}

// statusText says how far the batches are, where all items are in one.
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
		return "Every batch is closed. The labels can be exported."
	case remaining == 0:
		return "Every label that was asked for is in. Close the batch, and export."
	}
	return fmt.Sprintf("Every item is in a batch, and %s still to come.", pluralizeAs(remaining, "label is", "labels are"))
}

func pluralizeAs(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return formatNumber(n) + " " + plural
}

// commands are what one types for the same.
func (d ProjectHomeData) commands() []string {
	key := d.Project.Key
	return []string{
		"labelwright import --project " + key + " items.jsonl",
		"labelwright batch open --project " + key + " --name first --annotators a@example.org,b@example.org --overlap 2 --plan",
		"labelwright export --project " + key + " --out dataset",
	}
}
