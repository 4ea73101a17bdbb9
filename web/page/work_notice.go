package page

import (
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// A WorkNotice is a change of a lead to the work of an annotator.
type WorkNotice struct {
	ProjectTitle, Kind string
	ItemCount          int
	DraftToken         string // of a lost item whose draft can be read; empty: none
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
		return text
	case "open_item_reassigned":
		return "A lead gave the item that you had open to another annotator."
	case "items_reassigned":
		return "A lead gave " + items + " of your queue to others."
	case "items_added":
		return "A lead added " + items + " to your queue."
	case "paused":
		return "A lead paused your work in a batch. You can submit the item that you have open."
	case "resumed":
		return "You can continue a batch that was paused."
	case "closed":
		if n.DraftToken != "" {
			return "A lead closed a batch. The item that you had open is not needed."
		}
		return "A lead closed a batch. An item that is still open can be submitted."
	case "reopened":
		return "A lead reopened a batch. You can continue."
	}
	return ""
}

// KeptDraftData is the data of the page with what an annotator typed for an item that they lost.
type KeptDraftData struct {
	User         ui.User
	Message      string // why it is not submitted
	ProjectTitle string
	Protocol     protocol.Protocol
	Answers      protocol.Answers
}

// answers lists what was typed, in the order of the form.
func (d KeptDraftData) answers() (rows []ui.SummaryRow) {
	for _, f := range d.Protocol.Fields {
		if value, ok := d.Answers.Values[f.Key]; ok {
			rows = append(rows, ui.SummaryRow{Label: f.Title, Value: formatInt(value)})
		}
	}
	for _, o := range d.Protocol.Observations {
		if containsFold(d.Answers.Observations, o.Key) {
			rows = append(rows, ui.SummaryRow{Label: o.Title, Value: "yes"})
		}
	}
	if d.Answers.Note != "" {
		rows = append(rows, ui.SummaryRow{Label: "Note", Value: d.Answers.Note})
	}
	return rows
}
