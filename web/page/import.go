package page

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// columnSummary describes the columns of an item file.
func columnSummary(p protocol.Protocol) (rows []ui.SummaryRow) {
	for _, part := range p.Unit.Parts {
		detail := part.Title + ": " + kindDescription(part.Kind)
		if part.Supporting {
			detail += "; optional"
		}
		rows = append(rows, ui.SummaryRow{Label: part.Key, Value: detail})
	}
	id := "id"
	if p.Unit.IDColumn != "" {
		id += " or " + p.Unit.IDColumn
	}
	return append(rows,
		ui.SummaryRow{Label: id, Value: "your own ID of the item; optional"},
		ui.SummaryRow{Label: "record_id", Value: "the same for items that belong together; optional"})
}

func kindDescription(k protocol.PartKind) string {
	switch k {
	case protocol.PartConversation:
		return "list of turns, each with role and text"
	case protocol.PartChunk:
		return "text, with the columns chunk_id, doc_id and chunk_rank"
	case protocol.PartChunks:
		return "list of texts"
	}
	return "text"
}

// fitsCSV reports whether items can be written as CSV.
func fitsCSV(p protocol.Protocol) bool {
	return !slices.ContainsFunc(p.Unit.Parts, func(part protocol.Part) bool {
		return !part.Supporting && (part.Kind == protocol.PartConversation || part.Kind == protocol.PartChunks)
	})
}

func fileErrorsIntro(fileErrors importer.FileErrors) string {
	if len(fileErrors) == 1 {
		return "Nothing was imported. Fix one error in the file, or read it in another way:"
	}
	return fmt.Sprintf("Nothing was imported. Fix %s in the file, or read it in another way:", Pluralize(len(fileErrors), "error"))
}

// createdText confirms that the projects were created and says what comes next.
func (d ImportData) createdText() string {
	if slices.ContainsFunc(d.Targets, func(o ui.Option) bool { return o.Chosen }) {
		return "Projects created. Import one file of RAG records to fill all of them."
	}
	return "Project created. Now import its items."
}

// storePath returns where the items are imported, with the keys of the further projects.
func (d ImportPreviewData) storePath() string {
	keys := url.Values{}
	for _, t := range d.Targets {
		if t.Project.Key != d.Project.Key {
			keys.Add("target", t.Project.Key)
		}
	}
	return withQuery(d.Path, keys)
}

// personalDataRows names the first rows with a match.
func personalDataRows(m project.PersonalDataMatch) string {
	if len(m.Rows) == 0 {
		return ""
	}
	rows := make([]string, len(m.Rows))
	for i, row := range m.Rows {
		rows[i] = formatNumber(row)
	}
	text := ": " + choose(len(rows) == 1, "row ", "rows ") + strings.Join(rows, ", ")
	if m.Items > len(rows) {
		text += " and others"
	}
	return text
}

// command is the shell command for the import into this and the chosen projects.
func (d ImportData) command() string {
	keys := []string{"labelwright import --project " + d.Project.Key}
	for _, t := range d.Targets {
		if t.Chosen {
			keys = append(keys, "--project "+t.Value)
		}
	}
	return strings.Join(keys, " ") + " items.jsonl"
}

// presetOptions are the programs whose files can be read.
func presetOptions(chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: "Rows of items, one column per part", Chosen: chosen == ""}}
	for _, p := range importer.Presets() {
		options = append(options, ui.Option{Value: string(p), Text: p.Title(), Chosen: chosen == string(p)})
	}
	return options
}

// leftOutText says which records are not items.
func (d ImportPreviewData) leftOutText() string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(d.LeftOut)) {
		parts = append(parts, what+" ("+formatNumber(d.LeftOut[what])+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Left out: " + strings.Join(parts, ", ") + "."
}

func (d ImportPreviewData) heading() string {
	if d.ItemCount == 0 {
		return "Items of " + d.File
	}
	heading := capitalize(Pluralize(d.totalItems(), "item")) + " in " + d.File
	if len(d.Targets) > 1 {
		heading += ", for " + Pluralize(len(d.Targets), "project")
	}
	return heading
}

func (d ImportPreviewData) totalItems() (total int) {
	for _, t := range d.Targets {
		total += t.ItemCount
	}
	return total
}

func (d ImportPreviewData) isRefused() bool {
	return slices.ContainsFunc(d.Targets, func(t ImportTarget) bool { return t.RefusalMessage != "" })
}

// refusal names the project if there are several.
func (d ImportPreviewData) refusal(t ImportTarget) string {
	if len(d.Targets) == 1 {
		return t.RefusalMessage
	}
	return t.Project.Title + ": " + t.RefusalMessage
}

func (d ImportPreviewData) intro() string {
	if d.ItemCount == 0 {
		return "Nothing is imported yet. The file is kept for a day: choose how it is read, or choose another one."
	}
	return "Nothing is imported yet. Check the first items: annotators see them exactly like this."
}

func (d ImportPreviewData) previewHeading() string {
	if len(d.Items) == d.ItemCount {
		return "Preview"
	}
	return fmt.Sprintf("Preview of the first %d items", len(d.Items))
}

// metadataText names the columns that annotators do not see.
func (d ImportPreviewData) metadataText() string {
	if len(d.MetadataColumns) == 0 {
		return "The file has no metadata columns."
	}
	return "Metadata, hidden from annotators: " + strings.Join(d.MetadataColumns, ", ") + "."
}
