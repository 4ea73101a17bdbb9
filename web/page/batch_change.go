package page

import (
	"fmt"
	"net/url"

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

func reassignedItemOptions(f ChangeBatchForm) []ui.Option {
	return []ui.Option{
		{Value: string(project.WaitingItems), Text: "waiting items"},
		{Value: string(project.OpenItem), Text: "the open item", Chosen: f.ReassignItems == string(project.OpenItem)},
		{Value: string(project.AllItems), Text: "all, also the open item", Chosen: f.ReassignItems == string(project.AllItems)},
	}
}

// labelItemsText says which items get more labels.
func labelItemsText(d ChangeBatchData) string {
	switch {
	case d.LabelItems.IsUnknown:
		return "Of the items chosen in the list"
	case d.LabelItems.HasMore:
		return "Of more than " + formatNumber(project.MaxItemCount) + " items chosen in the list"
	}
	return "Of " + Pluralize(d.LabelItems.Items, "item") + " chosen in the list"
}

// labelItemsPath is the list of these items.
func labelItemsPath(d ChangeBatchData) string {
	q, err := url.ParseQuery(d.Form.Filter)
	if err != nil {
		q = url.Values{}
	}
	q.Set("batch", d.Batch.Name)
	return withQuery(ProjectPath(d.Project.Key, "items"), q)
}

func addItemsHint(available int) string {
	if available == 0 {
		return "All items of the project are in a batch."
	}
	return fmt.Sprintf("A number or a percentage of the %s that are not in a batch. Empty: none.", Pluralize(available, "item"))
}

// waitingText counts what an annotator has left.
func waitingText(a BatchAnnotatorRow) string {
	if a.HasOpenItem {
		return formatNumber(a.WaitingCount) + " + 1 open"
	}
	return formatNumber(a.WaitingCount)
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
