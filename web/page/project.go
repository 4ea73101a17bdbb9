package page

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/account"
)

// A MemberLine is somebody in a project.
type MemberLine struct {
	AccountID int64
	Name      string
	Email     string
	Role      account.Role // in the project
	Pseudonym string       // how exports name them
	Joined    bool         // has chosen a password
	Disabled  bool
}

// peopled says who is in the project.
func (d ProjectHomeData) peopled() string {
	leads := 0
	for _, m := range d.Members {
		if m.Role == account.Lead {
			leads++
		}
	}
	return count(leads, "lead") + " and " + count(len(d.Members)-leads, "annotator")
}

// standing says how far the batches are, where all items are in one.
func (d ProjectHomeData) standing() string {
	open, left := 0, 0
	for _, b := range d.Batches {
		if b.ClosedAt == nil {
			open++
			left += b.Slots - b.Submitted
		}
	}
	switch {
	case open == 0:
		return "Every batch is closed. The labels can be exported."
	case left == 0:
		return "Every label that was asked for is in. Close the batch, and export."
	}
	return fmt.Sprintf("Every item is in a batch, and %s still to come.", counted(left, "label is", "labels are"))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return figure(n) + " " + many
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
