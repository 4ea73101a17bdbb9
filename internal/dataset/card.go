package dataset

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Card describes a dataset to a reader who does not know the project.
type Card struct {
	Project                         string // key
	Title                           string
	TieRule                         stats.TieRule
	ContentWarning                  string // empty: none
	License                         string // a license id such as cc-by-4.0; empty: none was chosen
	Description                     string // empty: none
	Language                        []string
	Items                           int // with an annotation
	Annotators                      int
	FirstSubmission, LastSubmission time.Time // zero: none
	Batches                         []BatchCard
	Agreement                       []FieldAgreement // empty: not computed
}

// A BatchCard describes the settings of a batch: its plan, and the seed that reproduces it.
type BatchCard struct {
	Name             string `json:"name"`
	Items            int    `json:"items"`
	Overlap          int    `json:"overlap"`
	Annotators       int    `json:"annotators"`
	Assignment       string `json:"assignment"` // "planned" or "pool"
	Seed             int64  `json:"seed"`       // reproduces the order of items
	CalibrationItems int    `json:"calibration_items"`
	Duplicates       int    `json:"duplicates"`    // hidden duplicates per annotator
	Gold             int    `json:"gold"`          // hidden items with known answers per annotator
	BreakEvery       int    `json:"break_every"`   // items; 0: no planned breaks
	BreakMinutes     int    `json:"break_minutes"` // of a planned break
	Revision         int    `json:"revision"`      // of the protocol
	// of judges: its labels are kept out of comparisons with them
	DrawnByDisagreement bool    `json:"drawn_by_disagreement"`
	OpenedOn            string  `json:"opened_on"` // UTC
	ClosedOn            *string `json:"closed_on"` // null: open
}

// A FieldAgreement is Krippendorff's α of one field over the items that at least two
// annotators labeled.
type FieldAgreement struct {
	Field      string           `json:"field"`
	Variant    string           `json:"variant"` // "nominal" or "ordinal"
	Alpha      *float64         `json:"alpha"`   // null: undefined
	Undefined  stats.ReasonCode `json:"undefined"`
	Items      int              `json:"items"`
	Annotators int              `json:"annotators"`
}

// minAnonymousTeam is the number of annotators below which pseudonyms may be guessed.
const minAnonymousTeam = 3

// write writes the card as Markdown. Its front matter makes dataset tools read each table
// separately.
func (c Card) write(w io.Writer, p protocol.Protocol, o WriteOptions, m Manifest) error {
	var text strings.Builder
	writef := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	c.writeFrontMatter(writef, p, o, m)
	c.writeIntro(writef, p, m)
	c.writeChecks(writef, m)
	writeItems(writef, p, o)
	writeFields(writef, p, o)
	c.writeFiles(writef, o, m)
	c.writeLeftOut(writef, m)
	c.writeAgreement(writef)
	c.writeOrigin(writef, m)
	c.writeLicense(writef)
	fence := codeFence(p.Source)
	writef("\n## Protocol\n\nThe protocol defines the fields, scales and rules.\n\n%syaml\n%s\n%s", fence,
		strings.TrimRight(p.Source, "\n"), fence)
	_, err := io.WriteString(w, text.String())
	return err
}

type lineWriter func(format string, args ...any)

func (c Card) writeLicense(writef lineWriter) {
	if c.License == "" {
		writef("\n## License\n\nNo license was chosen. Ask the project's lead before you share this dataset.")
		return
	}
	writef("\n## License\n\n%s", escapeMarkdown(c.License))
}

func (c Card) writeIntro(writef lineWriter, p protocol.Protocol, m Manifest) {
	writef("# %s\n", escapeMarkdown(c.Title))
	writef("%s, labeled by %s with the protocol %s (%s)%s.", pluralize(c.Items, "item"), pluralize(c.Annotators,
		"annotator"),
		escapeMarkdown(p.Title), m.Protocol, c.dateRange())
	writef("Annotators appear under pseudonyms that are used only in this project.")
	if c.Annotators > 0 && c.Annotators < minAnonymousTeam {
		writef("\n**With fewer than %d annotators, someone who knows the team may identify them.**", minAnonymousTeam)
	}
	if c.Description != "" {
		writef("\n%s", escapeLines(c.Description))
	}
	if c.ContentWarning != "" {
		writef("\n## Content warning\n\n%s", quoteMarkdown(c.ContentWarning))
	}
}

func (c Card) dateRange() string {
	first, last := formatDate(c.FirstSubmission), formatDate(c.LastSubmission)
	switch {
	case c.FirstSubmission.IsZero():
		return ""
	case first == last:
		return " on " + first
	}
	return " from " + first + " to " + last
}

// writeItems writes what one item is and what annotators read of it.
func writeItems(writef lineWriter, p protocol.Protocol, o WriteOptions) {
	parts := make([]string, len(p.Unit.Parts))
	for i, part := range p.Unit.Parts {
		parts[i] = escapeMarkdown(part.Title)
	}
	writef("\n## Items\n\nOne item is %s. Annotators read: %s.", escapeMarkdown(p.Unit.Noun), strings.Join(parts, ", "))
	if !o.Layout.HasTables() {
		return
	}
	if o.IncludeTexts {
		writef("The columns `item.*` contain these texts.")
	} else {
		writef("This export does not contain the texts.")
	}
	if o.IsBlinded() {
		writef("The export is blinded: without metadata and with ids of its own, it does not reveal the condition of an item. The project's leads have the unblinding key.")
	} else {
		writef("The columns `meta.*` contain metadata, which annotators did not see.")
	}
}

// writeFields writes which questions the annotators answered.
func writeFields(writef lineWriter, p protocol.Protocol, o WriteOptions) {
	writef("\n## Fields\n\nAnnotators answered these questions. `codebook.csv` describes each value and each column.\n")
	writef("| field | question | values |\n|---|---|---|")
	for _, f := range p.Fields {
		writef("| `%s` | %s | %s |", f.Key, escapeMarkdown(f.Question), formatValues(f.Scale))
	}
	switch {
	case !o.Layout.HasTables():
	case o.Shape == Long:
		writef("\nIn tables of labels, one row is one answer: `dimension` is the field, `value` the answer.")
	default:
		writef("\nIn tables of labels, one row is one annotation, with a column for each field.")
	}
}

// writeChecks writes what the export found about its own labels, problems first.
func (c Card) writeChecks(writef lineWriter, m Manifest) {
	if len(m.Checks) == 0 {
		return
	}
	writef("\n## Checks\n")
	failed := m.FailedChecks()
	if len(failed) > 0 {
		writef("**This export has %s.**\n", pluralize(len(failed), "problem"))
	}
	for _, check := range failed {
		writef("- **Problem:** %s", escapeMarkdown(check.Detail))
	}
	for _, check := range m.Checks {
		if check.Passed {
			writef("- %s", escapeMarkdown(check.Detail))
		}
	}
}

func (c Card) writeFiles(writef lineWriter, o WriteOptions, m Manifest) {
	writef("\n## Files\n\n| file | content | rows |\n|---|---|---|")
	hasCSV, hasLabels := false, false
	for _, f := range m.Files {
		hasCSV, hasLabels = hasCSV || f.Format == CSV, hasLabels || f.description == Work.description()
		writef("| `%s` | %s | %s |", f.Name, f.description, formatCount(f.Rows))
	}
	for _, d := range m.Documents {
		writef("| `%s` | %s | |", d.Name, documentDescriptions[d.Name])
	}
	if o.Layout == HuggingFace {
		writef("| `croissant.json` | Croissant metadata of the tables | |")
	}
	writef("| `manifest.json` | counts, columns, options, checks and SHA-256 checksums of all files | |")
	if hasLabels {
		writef("\nA reopened item has two labels: the second names the first in `replaces_id`, and only the second is `current`.")
	}
	if hasCSV {
		writef("In CSV, an apostrophe precedes text that a spreadsheet might run as a formula.")
	}
}

// documentDescriptions describes the files that are not tables.
var documentDescriptions = map[string]string{
	"codebook.csv":     "description of each column and each value",
	"protocol.yaml":    "the protocol: fields, scales, rules and guide",
	"tasks.json":       "items with their labels, as Label Studio imports them",
	"label-config.xml": "labeling configuration of Label Studio for these tasks",
	"scores.jsonl":     "scores, one request of Langfuse's API in each line",

	"dataset-items.jsonl": "items with their texts, one request of Langfuse's API in each line",
}

func (c Card) writeLeftOut(writef lineWriter, m Manifest) {
	if len(m.LeftOut) == 0 {
		return
	}
	writef("\n## Left out\n")
	for _, o := range m.LeftOut {
		count := ""
		if o.Count != nil {
			count = " (" + formatCount(*o.Count) + ")"
		}
		writef("- %s%s: %s", escapeMarkdown(o.What), count, escapeMarkdown(o.Why))
	}
}

func (c Card) writeAgreement(writef lineWriter) {
	writef("\n## Agreement\n")
	if len(c.Agreement) == 0 {
		writef("Not computed for this export. Run `labelwright report` for agreement with confidence intervals.")
		return
	}
	writef("Krippendorff's α of the labels: 1 is perfect agreement, 0 is agreement by chance. Run `labelwright report` for confidence intervals.\n")
	writef("| field | α | variant | items | annotators |\n|---|---|---|---|---|")
	for _, a := range c.Agreement {
		alpha := a.missingText()
		if a.Alpha != nil {
			alpha = fmt.Sprintf("%.3f", *a.Alpha)
		}
		writef("| `%s` | %s | %s | %s | %s |", a.Field, alpha, a.Variant, formatCount(a.Items),
			formatCount(a.Annotators))
	}
}

// missingText says why α is not defined.
func (a FieldAgreement) missingText() string {
	switch a.Undefined {
	case stats.NoVariation, stats.NoSharedVariation:
		return "the answers do not vary"
	case stats.NoAnswers:
		return "there are no answers"
	}
	return "no item has two labels"
}

func (c Card) writeOrigin(writef lineWriter, m Manifest) {
	writef("\n## Batches\n\nThe items were assigned in batches. The seed reproduces their order.\n")
	writef("| batch | items | labels per item | annotators | seed |\n|---|---|---|---|---|")
	for _, b := range c.Batches {
		writef("| %s | %s | %d | %d | %d |", escapeMarkdown(b.Name), formatCount(b.Items), b.Overlap,
			b.Annotators, b.Seed)
	}
	until := ""
	if !m.Snapshot.ChangedAt.IsZero() {
		until = ", with all labels and decisions until " + m.Snapshot.ChangedAt.UTC().Format("2 Jan 2006, 15:04 UTC")
	}
	writef("\nExported by %s%s.", m.Tool, until)
}
