package page

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

func changeIntro(b project.Batch) string {
	switch {
	case b.ArchivedAt != nil:
		return "This batch is archived."
	case b.ClosedAt != nil:
		return "This batch is closed. Items without all their labels are available for other batches."
	}
	return "All changes happen at once. Annotators see under Work what changed for them."
}

func annotatorActions(d ChangeBatchData, a BatchAnnotatorRow) []ui.Option {
	chosen := d.Form.Actions[a.Pseudonym]
	options := []ui.Option{{Value: "", Text: "keep"}}
	if a.Paused {
		options = []ui.Option{{Value: "", Text: "keep paused"}, {Value: "resume", Text: "resume", Chosen: chosen == "resume"}}
	} else {
		options = append(options, ui.Option{Value: "pause", Text: "pause", Chosen: chosen == "pause"})
	}
	return append(options, ui.Option{Value: "remove", Text: "remove", Chosen: chosen == "remove"})
}

// reassignOptions lists the annotators; none is the text of the empty choice.
func reassignOptions(d ChangeBatchData, chosen, none string) []ui.Option {
	options := []ui.Option{{Value: "", Text: none}}
	for _, a := range d.Annotators {
		if !a.Removed {
			options = append(options, ui.Option{Value: a.Pseudonym, Text: a.Name, Chosen: a.Pseudonym == chosen})
		}
	}
	return options
}

func addItemsHint(available int) string {
	return fmt.Sprintf("A number or a percentage of the %s that are not in a batch. Empty: none.", Pluralize(available, "item"))
}

func labelsHint(b project.Batch) string { return fmt.Sprintf("Now %d. Empty: as before.", b.Overlap) }

func ruleFieldOptions(d ChangeBatchData) []ui.Option {
	options := []ui.Option{{Value: "", Text: "no field"}, {Value: "any", Text: "any field", Chosen: d.Form.RuleField == "any"}}
	for _, f := range d.Project.Protocol.Fields {
		options = append(options, ui.Option{Value: f.Key, Text: f.Title, Chosen: f.Key == d.Form.RuleField})
	}
	return options
}

func ruleText(r project.OverlapRule) string {
	field := r.Field
	if field == "" {
		field = "any field"
	}
	return fmt.Sprintf("up to %s where two answers to %s differ by %s", Pluralize(r.MostLabels, "label"), field, Pluralize(r.MinDifference, "point"))
}

// A WorkNotice shows annotators what a lead changed about their work.
type WorkNotice struct {
	ProjectTitle, Kind string
	ItemCount          int
	HasDraft           bool
}

// text says what changed.
func (n WorkNotice) text() string {
	items := Pluralize(n.ItemCount, "item")
	switch n.Kind {
	case "removed":
		text := "A lead removed you from a batch. Your submitted labels are kept."
		if n.ItemCount > 0 {
			text += " " + pluralizeAs(n.ItemCount, "item goes", "items go") + " to others."
		}
		if n.HasDraft {
			text += " The draft of your open item is kept, but not submitted."
		}
		return text
	case "items_reassigned":
		return "A lead gave " + items + " of your queue to others. Your open item stays yours."
	case "items_added":
		return "A lead added " + items + " to your queue."
	case "paused":
		return "A lead paused your work in a batch. You can submit the item that you have open."
	case "resumed":
		return "You can continue a batch that was paused."
	case "closed":
		return "A lead closed a batch. You can submit the item that you have open."
	case "reopened":
		return "A lead reopened a batch. You can continue."
	}
	return ""
}
