package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
	"github.com/labelwright/labelwright/web/ui"
)

// columnTerms says which columns a file of items has.
func columnTerms(p protocol.Protocol) (terms []ui.Term) {
	for _, part := range p.Unit.Parts {
		says := part.Title + ": " + kindSays(part.Kind)
		if part.Supporting {
			says += "; may be left out"
		}
		terms = append(terms, ui.Term{Name: part.Key, Detail: says})
	}
	id := "id"
	if p.Unit.ID != "" {
		id += " or " + p.Unit.ID
	}
	return append(terms,
		ui.Term{Name: id, Detail: "the item's own name in your data; may be left out"},
		ui.Term{Name: "record_id", Detail: "the same for items that belong together; may be left out"})
}

func kindSays(k protocol.Kind) string {
	switch k {
	case protocol.Conversation:
		return "a list of turns, each with role and text"
	case protocol.Passage:
		return "a text; chunk_id, doc_id and chunk_rank beside it"
	case protocol.Passages:
		return "a list of texts"
	}
	return "a text"
}

// flatUnit reports whether items fit into CSV.
func flatUnit(p protocol.Protocol) bool {
	return !slices.ContainsFunc(p.Unit.Parts, func(part protocol.Part) bool {
		return !part.Supporting && (part.Kind == protocol.Conversation || part.Kind == protocol.Passages)
	})
}

func faultsLead(list sheet.Faults) string {
	if len(list) == 1 {
		return "Nothing was stored. One thing has to change in the file first."
	}
	return fmt.Sprintf("Nothing was stored. %s have to change in the file first.", counted(len(list), "", "things"))
}

func (d ImportPreviewData) lead() string {
	return "Nothing is stored yet. Below are the first items, exactly as annotators will see them."
}

func (d ImportPreviewData) shown() string {
	if len(d.Items) == d.Count {
		return "As annotators will see them"
	}
	return fmt.Sprintf("The first %d, as annotators will see them", len(d.Items))
}

// sealed says what annotators will not see.
func (d ImportPreviewData) sealed() string {
	if len(d.Meta) == 0 {
		return "The file has no other columns, so there is no metadata."
	}
	return "Kept as metadata, which annotators never see: " + strings.Join(d.Meta, ", ") + "."
}
