package page

import (
	"net/url"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

func changeIntro(l *locale.Locale, b project.Batch) string {
	switch {
	case b.ArchivedAt != nil:
		return l.T("This batch is archived.")
	case b.ClosedAt != nil:
		return l.T("This batch is closed. Items without all their labels are available for other batches.")
	}
	return l.T("All changes happen at once. Annotators see under Work what changed for them.")
}

func annotatorActions(l *locale.Locale, d ChangeBatchData, a BatchAnnotatorRow) []ui.Option {
	chosen := d.Form.Actions[a.Pseudonym]
	options := []ui.Option{{Value: "", Text: l.T("keep")}}
	if a.Paused {
		options = []ui.Option{{Value: "", Text: l.T("keep paused")}, {Value: "resume", Text: l.T("resume"),
			Chosen: chosen == "resume"}}
	} else {
		options = append(options, ui.Option{Value: "pause", Text: l.T("pause"), Chosen: chosen == "pause"})
	}
	return append(options, ui.Option{Value: "remove", Text: l.T("remove"), Chosen: chosen == "remove"})
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

func reassignedItemOptions(l *locale.Locale, f ChangeBatchForm) []ui.Option {
	return []ui.Option{
		{Value: string(project.WaitingItems), Text: l.T("waiting items")},
		{Value: string(project.OpenItem), Text: l.T("the open item"),
			Chosen: f.ReassignItems == string(project.OpenItem)},
		{Value: string(project.AllItems), Text: l.T("all, also the open item"),
			Chosen: f.ReassignItems == string(project.AllItems)},
	}
}

// labelItemsText says which items get more labels.
func labelItemsText(l *locale.Locale, d ChangeBatchData) string {
	switch {
	case d.LabelItems.IsUnknown:
		return l.T("Of the items chosen in the list")
	case d.LabelItems.HasMore:
		return l.T("Of more than %d items chosen in the list", project.MaxItemCount)
	}
	return l.T("Of %d items chosen in the list", d.LabelItems.Items)
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

func addItemsHint(l *locale.Locale, available int) string {
	if available == 0 {
		return l.T("All items of the project are in a batch.")
	}
	return l.T("A number or a percentage of the items that are not in a batch: %d. Empty: none.", available)
}

// waitingText counts what an annotator has left.
func waitingText(l *locale.Locale, a BatchAnnotatorRow) string {
	if a.HasOpenItem {
		return l.T("%d + 1 open", a.WaitingCount)
	}
	return l.Number(a.WaitingCount)
}

func ruleFieldOptions(l *locale.Locale, d ChangeBatchData) []ui.Option {
	options := []ui.Option{{Value: "", Text: l.T("no field")}, {Value: "any", Text: l.T("any field"),
		Chosen: d.Form.RuleField == "any"}}
	for _, f := range d.Project.Protocol.Fields {
		options = append(options, ui.Option{Value: f.Key, Text: f.Title, Chosen: f.Key == d.Form.RuleField})
	}
	return options
}

func ruleText(l *locale.Locale, r project.OverlapRule) string {
	field := r.Field
	if field == "" {
		field = l.T("any field")
	}
	return l.T("up to %d labels where two answers to %s differ by %d or more", r.MostLabels, field, r.MinDifference)
}

// changePreviewText says what a change would do: "10 items added. 36 labels wanted instead of 16."
func changePreviewText(l *locale.Locale, p project.BatchChangePreview) string {
	effect := p.Effect.Text(l)
	if effect == "" {
		effect = l.T("Only settings change")
	}
	return l.T("%s. Labels wanted: %d before, %d after. Nothing is changed yet.", effect, p.LabelsBefore, p.LabelsAfter)
}

// annotatorName is the name of an annotator of the preview; a new one has an address only.
func (d ChangeBatchData) annotatorName(q project.ChangedQueue) string {
	for _, a := range d.Annotators {
		if a.Pseudonym == q.Pseudonym {
			return a.Name
		}
	}
	return q.Email
}
