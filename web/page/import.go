package page

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// columnSummary describes the columns of an item file.
func columnSummary(l *locale.Locale, p protocol.Protocol) (rows []ui.SummaryRow) {
	for _, part := range p.Unit.Parts {
		detail := l.T("%s: %s", part.Title, kindDescription(l, part.Kind))
		if part.Supporting {
			detail = l.T("%s; optional", detail)
		}
		rows = append(rows, ui.SummaryRow{Label: part.Key, LabelIsCode: true, Value: detail})
	}
	id := l.T("your own ID of the item; optional")
	if p.Unit.IDColumn != "" {
		id = l.T("your own ID of the item, also as %s; optional", p.Unit.IDColumn)
	}
	return append(rows, ui.SummaryRow{Label: "id", LabelIsCode: true, Value: id}, ui.SummaryRow{Label: "record_id",
		LabelIsCode: true, Value: l.T("the same for items that belong together; optional")})
}

func kindDescription(l *locale.Locale, k protocol.PartKind) string {
	switch k {
	case protocol.PartConversation:
		return l.T("list of turns, each with role and text")
	case protocol.PartChunk:
		return l.T("text, with the columns chunk_id, doc_id and chunk_rank")
	case protocol.PartChunks:
		return l.T("list of texts")
	}
	return l.T("text")
}

// fitsCSV reports whether items can be written as CSV.
func fitsCSV(p protocol.Protocol) bool {
	return !slices.ContainsFunc(p.Unit.Parts, func(part protocol.Part) bool {
		return !part.Supporting && (part.Kind == protocol.PartConversation || part.Kind == protocol.PartChunks)
	})
}

// createdText confirms that the projects were created and says what comes next.
func (d ImportData) createdText(l *locale.Locale) string {
	if slices.ContainsFunc(d.Targets, func(o ui.Option) bool { return o.Chosen }) {
		return l.T("Projects created. Import one file of RAG records to fill all of them.")
	}
	return l.T("Project created. Now import its items.")
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

// personalDataText counts the matches of one kind and names the first rows with one.
func personalDataText(l *locale.Locale, m project.PersonalDataMatch) string {
	matches := ""
	switch m.Kind {
	case project.EmailAddress:
		matches = l.T("%d email addresses", m.Count)
	case project.SocialHandle:
		matches = l.T("%d social media handles", m.Count)
	case project.BankAccount:
		matches = l.T("%d bank account numbers", m.Count)
	case project.PhoneNumber:
		matches = l.T("%d phone numbers", m.Count)
	}
	if len(m.Rows) == 0 {
		return l.T("%s in %d items", matches, m.Items)
	}
	rows := make([]string, len(m.Rows))
	for i, row := range m.Rows {
		rows[i] = l.Number(row)
	}
	list := strings.Join(rows, ", ")
	if m.Items > len(rows) {
		list += ", …"
	}
	return l.T("%s in %d items, row %s", matches, m.Items, list)
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
func presetOptions(l *locale.Locale, chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: l.T("Rows of items, one column per part"), Chosen: chosen == ""}}
	for _, p := range importer.Presets() {
		options = append(options, ui.Option{Value: string(p), Text: p.Title(), IsName: true,
			Chosen: chosen == string(p)})
	}
	return options
}

func (d ImportPreviewData) heading(l *locale.Locale) string {
	switch {
	case d.ItemCount == 0:
		return l.T("Items of %s", d.File)
	case len(d.Targets) > 1:
		return l.T("%d items in %s, for %d projects", d.totalItems(), d.File, len(d.Targets))
	}
	return l.T("%d items in %s", d.totalItems(), d.File)
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

func (d ImportPreviewData) intro(l *locale.Locale) string {
	if d.ItemCount == 0 {
		return l.T("Nothing is imported yet. The file is kept for a day: choose how it is read, or choose another one.")
	}
	return l.T("Nothing is imported yet. Check the first items: annotators see them exactly like this.")
}

func (d ImportPreviewData) previewHeading(l *locale.Locale) string {
	if len(d.Items) == d.ItemCount {
		return l.T("Preview")
	}
	return l.T("Preview of the first %d items", len(d.Items))
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
func (d ImportPreviewData) metadataText(l *locale.Locale) string {
	keys := d.Ledger.WithMetadata()
	slices.Sort(keys)
	if len(keys) == 0 {
		return l.T("The file has no metadata columns.")
	}
	return l.T("Metadata, hidden from annotators: %s.", strings.Join(keys, ", "))
}

// ledgerSummary says in a sentence what becomes of the values of a file.
func ledgerSummary(l *locale.Locale, ledger importer.Ledger) string {
	sum := ledger.Sum()
	return l.T("%s, %s: %d shown to annotators, %d ids, %d metadata, %d left out",
		l.T("%d records", ledger.Records), l.T("%d values", sum.Shown+sum.IDs+sum.Metadata+sum.LeftOut), sum.Shown,
		sum.IDs, sum.Metadata, sum.LeftOut)
}

// omissionText says what is left out, and how it can be imported.
func omissionText(l *locale.Locale, o importer.ImportOmission) string {
	what := o.What
	if l.Has(o.Template) {
		var args []any
		if o.Name != "" {
			args = []any{o.Name}
		}
		what = l.FieldMessage(fault.FieldProblem{Format: o.Template, Args: args})
	}
	text := l.T("Left out: %s (%d).", what, o.Count)
	if o.Remedy != "" {
		text += " " + l.Translate(locale.Text(o.Remedy))
	}
	return text
}

// pathChoices choose for each part of an item which value of the first record it is: the one that is mapped, or if the
// file cannot be read so far the one whose name is most alike.
func (d ImportPreviewData) pathChoices(l *locale.Locale) (choices []ui.Choice) {
	mapped, _ := d.splitMappings()
	paths := d.Outline.Paths()
	for _, column := range importer.MappableColumns(d.Project.Protocol) {
		c := ui.Choice{Name: "path", Label: column, Options: []ui.Option{{Text: l.T("As found in the file")}}}
		chosen := mapped[column]
		if len(mapped) == 0 && d.ItemCount == 0 {
			chosen = d.Outline.Guess(column)
		}
		for _, n := range paths {
			text := n.Path
			if n.Value != "" {
				text += ": " + n.Value
			}
			c.Options = append(c.Options, ui.Option{Value: n.Path, Text: text, Chosen: n.Path == chosen, IsName: true})
		}
		choices = append(choices, c)
	}
	return choices
}

// splitMappings returns the values of the first record by the column that they are mapped to, and the other mappings:
// of other values, of metadata, and of columns that are mapped several times.
func (d ImportPreviewData) splitMappings() (mapped map[string]string, others []importer.Mapping) {
	o, _ := d.Reading.Options() // a mapping with an error is in the text field
	mapped = map[string]string{}
	paths, columns := d.Outline.Paths(), importer.MappableColumns(d.Project.Protocol)
	for _, m := range o.Map {
		_, isTaken := mapped[m.Column]
		isKnown := slices.ContainsFunc(paths, func(n importer.PathNode) bool { return n.Path == m.Path })
		if isTaken || !isKnown || !slices.Contains(columns, m.Column) {
			others = append(others, m)
		} else {
			mapped[m.Column] = m.Path
		}
	}
	return mapped, others
}

// listOptions are the lists of a document that may be its records.
func (d ImportPreviewData) listOptions(l *locale.Locale) []ui.Option {
	options := []ui.Option{{Value: "", Text: l.T("The document itself, or its rows"),
		Chosen: d.Reading.Records == ""}}
	for _, list := range d.Outline.Lists {
		options = append(options, ui.Option{Value: list.Path, Text: list.Path, Hint: l.T("%d records", list.Count),
			Chosen: d.Reading.Records == list.Path})
	}
	return options
}

func takeOptions(l *locale.Locale, chosen string) []ui.Option {
	return []ui.Option{
		{Value: "", Text: l.T("The last question with its answer"), Chosen: chosen != string(importer.TakeEach)},
		{Value: string(importer.TakeEach), Text: l.T("Each answer, and each completion, as an item of its own"),
			Chosen: chosen == string(importer.TakeEach)},
	}
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
