package page

import (
	"github.com/labelwright/labelwright/internal/locale"
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
func (n WorkNotice) text(l *locale.Locale) string {
	switch n.Kind {
	case "removed":
		text := l.T("A lead removed you from a batch. Your submitted labels are kept.")
		if n.ItemCount > 0 {
			text += " " + l.T("%d items go to others.", n.ItemCount)
		}
		return text
	case "open_item_reassigned":
		return l.T("A lead gave the item that you had open to another annotator.")
	case "items_reassigned":
		return l.T("A lead gave %d items of your queue to others.", n.ItemCount)
	case "items_added":
		return l.T("A lead added %d items to your queue.", n.ItemCount)
	case "paused":
		return l.T("A lead paused your work in a batch. You can submit the item that you have open.")
	case "paused_by_gold":
		return l.T("Your work in a batch is paused, because too few of your answers to items with known answers are right. A lead knows, and will talk to you.")
	case "resumed":
		return l.T("You can continue a batch that was paused.")
	case "closed":
		if n.DraftToken != "" {
			return l.T("A lead closed a batch. The item that you had open is not needed.")
		}
		return l.T("A lead closed a batch. An item that is still open can be submitted.")
	case "reopened":
		return l.T("A lead reopened a batch. You can continue.")
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
func (d KeptDraftData) answers(l *locale.Locale) (rows []ui.SummaryRow) {
	for _, f := range d.Protocol.Fields {
		if value, ok := d.Answers.Values[f.Key]; ok {
			rows = append(rows, ui.SummaryRow{Label: f.Title, LabelLanguage: d.Protocol.Language,
				Value: formatInt(value)})
		}
	}
	for _, o := range d.Protocol.Observations {
		if containsFold(d.Answers.Observations, o.Key) {
			rows = append(rows, ui.SummaryRow{Label: o.Title, LabelLanguage: d.Protocol.Language, Value: l.T("yes")})
		}
	}
	if d.Answers.Note != "" {
		rows = append(rows, ui.SummaryRow{Label: l.T("Note"), Value: d.Answers.Note, IsInput: true})
	}
	return rows
}
