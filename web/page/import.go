package page

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

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
	return fmt.Sprintf("Nothing was imported. Fix %s in the file, or read it in another way:",
		Pluralize(len(fileErrors), "error"))
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

// ledgerRows are the keys of a file that has more than shown ones, those that are left out first.
func ledgerRows(l importer.Ledger) []importer.LedgerKey {
	rows := slices.Clone(l.Keys)
	slices.SortStableFunc(rows, func(a, b importer.LedgerKey) int {
		return cmp.Compare(min(b.LeftOut, 1), min(a.LeftOut, 1))
	})
	return rows
}

// metadataText names what annotators do not see, besides ids.
func (d ImportPreviewData) metadataText() string {
	ids := []string{"id", "record_id", d.Project.Protocol.Unit.IDColumn}
	keys := slices.DeleteFunc(d.Ledger.WithMetadata(), func(key string) bool { return slices.Contains(ids, key) })
	slices.Sort(keys)
	if len(keys) == 0 {
		return "The file has no metadata columns."
	}
	return "Metadata, hidden from annotators: " + strings.Join(keys, ", ") + "."
}

// ledgerSummary says in a sentence what becomes of the values of a file.
func ledgerSummary(l importer.Ledger) string {
	sum := l.Sum()
	return fmt.Sprintf("Of %s in %s, annotators see %s, %s are metadata that they do not see, and %s are left out.",
		Pluralize(sum.Shown+sum.Metadata+sum.LeftOut, "value"), Pluralize(l.Records, "record"), formatNumber(sum.Shown),
		formatNumber(sum.Metadata), formatNumber(sum.LeftOut))
}

// columnOptions are what a value of the record can be used for.
func (d ImportPreviewData) columnOptions(path string) []ui.Option {
	o, _ := d.Reading.Options() // a mapping with an error is in the text field
	chosen := ""
	for _, m := range o.Map {
		if m.Path == path {
			chosen = m.Column
		}
	}
	options := []ui.Option{{Value: "", Text: "—"}}
	for _, column := range importer.MappableColumns(d.Project.Protocol) {
		options = append(options, ui.Option{Value: column, Text: column, Chosen: column == chosen})
	}
	if strings.HasPrefix(chosen, "meta.") {
		options = append(options, ui.Option{Value: chosen, Text: chosen, Chosen: true})
	}
	return options
}

// hiddenMappings are those of paths that the tree does not have.
func (d ImportPreviewData) hiddenMappings() (hidden []importer.Mapping) {
	o, _ := d.Reading.Options()
	known := map[string]bool{}
	var visit func([]importer.PathNode)
	visit = func(nodes []importer.PathNode) {
		for _, n := range nodes {
			known[n.Path] = true
			visit(n.Children)
		}
	}
	visit(d.Outline.Record)
	for _, m := range o.Map {
		if !known[m.Path] {
			hidden = append(hidden, m)
		}
	}
	return hidden
}

// listOptions are the lists of a document that may be its records.
func (d ImportPreviewData) listOptions() []ui.Option {
	options := []ui.Option{{Value: "", Text: "The document itself, or its rows", Chosen: d.Reading.Records == ""}}
	for _, l := range d.Outline.Lists {
		options = append(options, ui.Option{Value: l.Path, Text: l.Path, Hint: Pluralize(l.Count, "record"),
			Chosen: d.Reading.Records == l.Path})
	}
	return options
}

func takeOptions(chosen string) []ui.Option {
	return []ui.Option{
		{Value: "", Text: "The last question with its answer", Chosen: chosen != string(importer.TakeEach)},
		{Value: string(importer.TakeEach), Text: "Each answer, and each completion, as an item of its own",
			Chosen: chosen == string(importer.TakeEach)},
	}
}

// sameTextsText names items that may be here already.
func (d ImportPreviewData) sameTextsText() string {
	return fmt.Sprintf("%s the same texts as items that are here under other ids. They would be labeled twice.",
		Pluralize(d.SameTexts, "item")+choose(d.SameTexts == 1, " has", " have"))
}

func (d ImportPreviewData) decomposedText() string {
	return fmt.Sprintf("%s letters that are written as several characters, such as e and an accent. They are stored as written; a search for é may not find them.",
		Pluralize(d.Decomposed, "item")+choose(d.Decomposed == 1, " has", " have"))
}

// ImportsData is the data of the page of all imports.
type ImportsData struct {
	User    ui.User
	Project project.Project
	Imports []ImportEntry
}

// An ImportEntry is one import of a project.
type ImportEntry struct {
	ID             int64
	FileName       string
	ItemCount      int
	CreatedAt      time.Time
	Ledger         importer.Ledger
	HasInvalidRows bool
}
