package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// columnSummary says which columns a file of items has.
func columnSummary(p protocol.Protocol) (rows []ui.SummaryRow) {
	for _, part := range p.Unit.Parts {
		detail := part.Title + ": " + kindDescription(part.Kind)
		if part.Supporting {
			detail += "; may be left out"
		}
		rows = append(rows, ui.SummaryRow{Label: part.Key, Value: detail})
	}
	id := "id"
	if p.Unit.IDColumn != "" {
		id += " or " + p.Unit.IDColumn
	}
	return append(rows,
		ui.SummaryRow{Label: id, Value: "the item's own name in your data; may be left out"},
		ui.SummaryRow{Label: "record_id", Value: "the same for items that belong together; may be left out"})
}

func kindDescription(k protocol.PartKind) string {
	switch k {
	case protocol.PartConversation:
		return "a list of turns, each with role and text"
	case protocol.PartChunk:
		return "a text; chunk_id, doc_id and chunk_rank beside it"
	case protocol.PartChunks:
		return "a list of texts"
	}
	return "a text"
}

// fitsCSV reports whether items fit into CSV.
func fitsCSV(p protocol.Protocol) bool {
	return !slices.ContainsFunc(p.Unit.Parts, func(part protocol.Part) bool {
		return !part.Supporting && (part.Kind == protocol.PartConversation || part.Kind == protocol.PartChunks)
	})
}

func fileErrorsIntro(fileErrors importer.FileErrors) string {
	if len(fileErrors) == 1 {
		return "Nothing was stored. One thing has to change in the file first."
	}
	return fmt.Sprintf("Nothing was stored. %s have to change in the file first.", pluralizeAs(len(fileErrors), "", "things"))
}

func (d ImportPreviewData) intro() string {
	return "Nothing is stored yet. Below are the first items, exactly as annotators will see them."
}

func (d ImportPreviewData) previewHeading() string {
	if len(d.Items) == d.ItemCount {
		return "As annotators will see them"
	}
	return fmt.Sprintf("The first %d, as annotators will see them", len(d.Items))
}

// metadataText says what annotators will not see.
func (d ImportPreviewData) metadataText() string {
	if len(d.MetadataColumns) == 0 {
		return "The file has no other columns, so there is no metadata."
	}
	return "Kept as metadata, which annotators never see: " + strings.Join(d.MetadataColumns, ", ") + "."
}
