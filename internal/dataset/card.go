package dataset

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Card describes a dataset to a reader who does not know the project.
type Card struct {
	Project                         string // key
	Title                           string
	ContentWarning                  string // empty: none
	Items                           int    // with an annotation
	Annotators                      int
	FirstSubmission, LastSubmission time.Time // zero: none
	Batches                         []BatchCard
	Agreement                       []FieldAgreement // empty: not computed
}

// A BatchCard describes the settings of a batch.
type BatchCard struct {
	Name       string `json:"name"`
	Items      int    `json:"items"`
	Overlap    int    `json:"overlap"`
	Annotators int    `json:"annotators"`
	Seed       int64  `json:"seed"` // reproduces the order of items
}

// A FieldAgreement is Krippendorff's α of one field over the items that at least two
// annotators labeled.
type FieldAgreement struct {
	Field      string   `json:"field"`
	Variant    string   `json:"variant"` // "nominal" or "ordinal"
	Alpha      *float64 `json:"alpha"`   // null: undefined
	Undefined  string   `json:"undefined"`
	Items      int      `json:"items"`
	Annotators int      `json:"annotators"`
}

// minAnonymousTeam is the number of annotators below which pseudonyms may be guessed.
const minAnonymousTeam = 3

// write writes the card as Markdown. Its front matter makes dataset tools read each table
// separately.
func (c Card) write(w io.Writer, p protocol.Protocol, o WriteOptions, m Manifest) error {
	var text strings.Builder
	writef := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	c.writeFrontMatter(writef, m)
	c.writeIntro(writef, p, m)
	writeItems(writef, p, o)
	writeFields(writef, p, o)
	c.writeFiles(writef, m)
	c.writeAgreement(writef)
	c.writeOrigin(writef, m)
	writef("\n## License\n\n*Add the license before you share this dataset.*")
	fence := codeFence(p.Source)
	writef("\n## Protocol\n\nThe protocol defines the fields, scales and rules.\n\n%syaml\n%s\n%s", fence, strings.TrimRight(p.Source, "\n"), fence)
	_, err := io.WriteString(w, text.String())
	return err
}

type lineWriter func(format string, args ...any)

func (c Card) writeFrontMatter(writef lineWriter, m Manifest) {
	writef("---\nlicense: # add the license\nconfigs:")
	for _, f := range m.Files {
		writef("- config_name: %s\n  data_files: %s", f.tableName(), f.Name)
	}
	writef("---\n")
}

func (c Card) writeIntro(writef lineWriter, p protocol.Protocol, m Manifest) {
	writef("# %s\n", escapeMarkdown(c.Title))
	writef("%s, labeled by %s with the protocol %s (%s)%s.", pluralize(c.Items, "item"), pluralize(c.Annotators, "annotator"),
		escapeMarkdown(p.Title), m.Protocol, c.dateRange())
	writef("Annotators appear under pseudonyms that are used only in this project.")
	if c.Annotators > 0 && c.Annotators < minAnonymousTeam {
		writef("\n**With fewer than %d annotators, someone who knows the team may identify them.**", minAnonymousTeam)
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
	if o.IncludeTexts {
		writef("The columns `item.*` contain these texts.")
	} else {
		writef("This export does not contain the texts.")
	}
	if o.IsBlinded() {
		writef("The export is blinded: without metadata, it does not reveal the condition of an item.")
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
	if o.Shape == Long {
		writef("\nIn tables of labels, one row is one answer: `dimension` is the field, `value` the answer.")
	} else {
		writef("\nIn tables of labels, one row is one annotation, with a column for each field.")
	}
}

// tableDescriptions describes the rows of each table by its name.
var tableDescriptions = map[string]string{
	"annotations": "labels",
	"duplicates": "second labels of items that an annotator was shown twice, to measure self-consistency. " +
		"Do not mix them with the labels",
	"calibration": "labels of calibration items, which have a reference answer. Do not mix them with the labels",
	"consensus":   "one value per item and field, and how it was determined",
}

func (c Card) writeFiles(writef lineWriter, m Manifest) {
	writef("\n## Files\n\n| file | content | rows |\n|---|---|---|")
	hasCSV := false
	for _, f := range m.Files {
		hasCSV = hasCSV || f.Format == CSV
		writef("| `%s` | %s | %s |", f.Name, tableDescriptions[f.tableName()], formatCount(f.Rows))
	}
	writef("| `codebook.csv` | description of each column and each value | |")
	writef("| `manifest.json` | counts, columns and SHA-256 checksums of the tables | |")
	writef("\nA reopened item has two labels: the second names the first in `replaces_id`, and only the second is `current`.")
	if hasCSV {
		writef("In CSV, an apostrophe precedes text that a spreadsheet might run as a formula.")
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
		alpha := escapeMarkdown(a.Undefined)
		if a.Alpha != nil {
			alpha = fmt.Sprintf("%.3f", *a.Alpha)
		}
		writef("| `%s` | %s | %s | %s | %s |", a.Field, alpha, a.Variant, formatCount(a.Items), formatCount(a.Annotators))
	}
}

func (c Card) writeOrigin(writef lineWriter, m Manifest) {
	writef("\n## Batches\n\nThe items were assigned in batches. The seed reproduces their order.\n")
	writef("| batch | items | labels per item | annotators | seed |\n|---|---|---|---|---|")
	for _, b := range c.Batches {
		writef("| %s | %s | %d | %d | %d |", escapeMarkdown(b.Name), formatCount(b.Items), b.Overlap, b.Annotators, b.Seed)
	}
	violations := 0
	for _, f := range m.Files {
		violations += f.RuleViolations
	}
	writef("\nExported by %s on %s. The export checked all labels against the rules of the protocol. Violations: %s (column `broken_rules`).",
		m.Tool, formatDate(m.CreatedAt), formatCount(violations))
}
