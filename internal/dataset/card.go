package dataset

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Card is what a dataset says of itself to whoever opens it.
type Card struct {
	Project                         string // key
	Title                           string
	ContentWarning                  string // before any text; empty: none
	Items                           int    // with an annotation
	Annotators                      int
	FirstSubmission, LastSubmission time.Time // submissions; zero: none
	Batches                         []BatchCard
	Agreement                       []FieldAgreement // by field; none: not at hand
}

// A BatchCard is how a batch was handed out.
type BatchCard struct {
	Name       string `json:"name"`
	Items      int    `json:"items"`
	Overlap    int    `json:"overlap"`
	Annotators int    `json:"annotators"`
	Seed       int64  `json:"seed"` // of every order in it
}

// An FieldAgreement is how far annotators agree on one field: Krippendorff's α over
// the items that two or more of them labelled.
type FieldAgreement struct {
	Field      string   `json:"field"`
	Variant    string   `json:"variant"` // "nominal" or "ordinal"
	Alpha      *float64 `json:"alpha"`   // null: undefined, and why
	Undefined  string   `json:"undefined"`
	Items      int      `json:"items"`
	Annotators int      `json:"annotators"`
}

// minAnonymousTeam annotators may be known by their pseudonyms.
const minAnonymousTeam = 3

// write writes the card as Markdown, led by what makes tools read each table as
// one of its own.
func (c Card) write(w io.Writer, p protocol.Protocol, m Manifest) error {
	var text strings.Builder
	writef := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	c.writeFrontMatter(writef, m)
	writef("# %s\n", escapeMarkdown(c.Title))
	writef("%d items, labelled by %d annotators under the protocol %s (%s)%s.", c.Items, c.Annotators, escapeMarkdown(p.Title), m.Protocol, c.dateRange())
	writef("Annotators stand under pseudonyms that mean nothing outside this project.")
	if c.Annotators > 0 && c.Annotators < minAnonymousTeam {
		writef("\n**With so few annotators, whoever knows the team may know who is who.**")
	}
	if c.ContentWarning != "" {
		writef("\n## Content warning\n\n%s", quoteMarkdown(c.ContentWarning))
	}
	c.writeFiles(writef, m)
	c.writeAgreement(writef)
	c.writeOrigin(writef, m)
	writef("\n## Licence\n\n*To be filled in by whoever gives this dataset away.*")
	fence := codeFence(p.Source)
	writef("\n## Protocol\n\n%syaml\n%s\n%s", fence, strings.TrimRight(p.Source, "\n"), fence)
	_, err := io.WriteString(w, text.String())
	return err
}

type lineWriter func(format string, args ...any)

func (c Card) writeFrontMatter(writef lineWriter, m Manifest) {
	writef("---\nlicense: # to be filled in\nconfigs:")
	for _, f := range m.Files {
		writef("- config_name: %s\n  data_files: %s", strings.TrimSuffix(f.Name, "."+string(f.Format)), f.Name)
	}
	writef("---\n")
}

func (c Card) dateRange() string {
	if c.FirstSubmission.IsZero() {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", c.FirstSubmission.UTC().Format(time.DateOnly), c.LastSubmission.UTC().Format(time.DateOnly))
}

// tableDescriptions says what the rows of each table are, by its name.
var tableDescriptions = map[string]string{
	"annotations": "the labels",
	"duplicates":  "items shown to the same annotator a second time, to see how steady they are; never to be mixed with the labels. Those that a break spoiled count for nothing, and say so under left_out",
	"calibration": "items that have a reference, from before the work; never to be mixed with the labels",
	"consensus":   "one answer per item, and where it comes from",
}

func (c Card) writeFiles(writef lineWriter, m Manifest) {
	writef("\n## Files\n\n| file | holds | rows | shape |\n|---|---|---|---|")
	for _, f := range m.Files {
		writef("| `%s` | %s | %d | %s |", f.Name, tableDescriptions[strings.TrimSuffix(f.Name, "."+string(f.Format))], f.Rows, f.Shape)
	}
	writef("| `codebook.csv` | what each column and each value means | | |")
	writef("| `manifest.json` | counts, columns, and a SHA-256 sum of each table | | |")
	if m.Blinded {
		writef("\nThe items' metadata is sealed: nothing here says which condition an item belongs to.")
	}
	writef("\nA reopened item has two labels: the second names the first under `replaces`, and only the second is `current`.")
}

func (c Card) writeAgreement(writef lineWriter) {
	writef("\n## Agreement\n")
	if len(c.Agreement) == 0 {
		writef("Not worked out for this export. `labelwright report` gives it with its intervals.")
		return
	}
	writef("Krippendorff's α of the labels; `labelwright report` gives its intervals and other coefficients.\n")
	writef("| field | α | variant | items | annotators |\n|---|---|---|---|---|")
	for _, a := range c.Agreement {
		alpha := escapeMarkdown(a.Undefined)
		if a.Alpha != nil {
			alpha = fmt.Sprintf("%.3f", *a.Alpha)
		}
		writef("| `%s` | %s | %s | %d | %d |", a.Field, alpha, a.Variant, a.Items, a.Annotators)
	}
}

func (c Card) writeOrigin(writef lineWriter, m Manifest) {
	writef("\n## Where it comes from\n\n| batch | items | labels per item | annotators | seed |\n|---|---|---|---|---|")
	for _, b := range c.Batches {
		writef("| %s | %d | %d | %d | %d |", escapeMarkdown(b.Name), b.Items, b.Overlap, b.Annotators, b.Seed)
	}
	broken := 0
	for _, f := range m.Files {
		broken += f.RuleViolations
	}
	writef("\nWritten by %s on %s. Every label was judged by the protocol's rules once more: %d break a rule.", m.Tool, m.CreatedAt.Format(time.DateOnly), broken)
}

// escapeMarkdown returns text as one line in which Markdown finds nothing to do.
func escapeMarkdown(text string) string {
	var line strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|!~&", r) {
			line.WriteByte('\\')
		}
		line.WriteRune(r)
	}
	return line.String()
}

// quoteMarkdown returns text as a quotation, line by line.
func quoteMarkdown(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+escapeMarkdown(line), " ")
	}
	return strings.Join(lines, "\n")
}

// codeFence returns a fence longer than any in text.
func codeFence(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
