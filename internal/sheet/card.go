package sheet

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Card is what a dataset says of itself to whoever opens it.
type Card struct {
	Project     string // key
	Title       string
	Warning     string // before any text; empty: none
	Items       int    // with an annotation
	Annotators  int
	First, Last time.Time // submissions; zero: none
	Batches     []BatchCard
	Agreement   []Agreement // by field; none: not at hand
}

// A BatchCard is how a batch was handed out.
type BatchCard struct {
	Name       string `json:"name"`
	Items      int    `json:"items"`
	Overlap    int    `json:"overlap"`
	Annotators int    `json:"annotators"`
	Seed       int64  `json:"seed"` // of every order in it
}

// An Agreement is how far annotators agree on one field: Krippendorff's α over
// the items that two or more of them labelled.
type Agreement struct {
	Field      string   `json:"field"`
	Variant    string   `json:"variant"` // "nominal" or "ordinal"
	Alpha      *float64 `json:"alpha"`   // null: undefined, and why
	Undefined  string   `json:"undefined"`
	Items      int      `json:"items"`
	Annotators int      `json:"annotators"`
}

// few annotators may be known by their pseudonyms.
const few = 3

// write writes the card as Markdown, led by what makes tools read each table as
// one of its own.
func (c Card) write(w io.Writer, p protocol.Protocol, m Manifest) error {
	var text strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	c.front(say, m)
	say("# %s\n", flat(c.Title))
	say("%d items, labelled by %d annotators under the protocol %s (%s)%s.", c.Items, c.Annotators, flat(p.Title), m.Protocol, c.when())
	say("Annotators stand under pseudonyms that mean nothing outside this project.")
	if c.Annotators > 0 && c.Annotators < few {
		say("\n**With so few annotators, whoever knows the team may know who is who.**")
	}
	if c.Warning != "" {
		say("\n## Content warning\n\n%s", quoted(c.Warning))
	}
	c.files(say, m)
	c.agreement(say)
	c.origin(say, m)
	say("\n## Licence\n\n*To be filled in by whoever gives this dataset away.*")
	fence := fenceFor(p.Source)
	say("\n## Protocol\n\n%syaml\n%s\n%s", fence, strings.TrimRight(p.Source, "\n"), fence)
	_, err := io.WriteString(w, text.String())
	return err
}

type sayer func(format string, args ...any)

func (c Card) front(say sayer, m Manifest) {
	say("---\nlicense: # to be filled in\nconfigs:")
	for _, f := range m.Files {
		say("- config_name: %s\n  data_files: %s", strings.TrimSuffix(f.Name, "."+string(f.Format)), f.Name)
	}
	say("---\n")
}

func (c Card) when() string {
	if c.First.IsZero() {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", c.First.UTC().Format(time.DateOnly), c.Last.UTC().Format(time.DateOnly))
}

// meanings says what the rows of each table are, by its name.
var meanings = map[string]string{
	"annotations": "the labels",
	"duplicates":  "items shown to the same annotator a second time, to see how steady they are; never to be mixed with the labels. Those that a break spoiled count for nothing, and say so under left_out",
	"calibration": "items that have a reference, from before the work; never to be mixed with the labels",
	"consensus":   "one answer per item, and where it comes from",
}

func (c Card) files(say sayer, m Manifest) {
	say("\n## Files\n\n| file | holds | rows | shape |\n|---|---|---|---|")
	for _, f := range m.Files {
		say("| `%s` | %s | %d | %s |", f.Name, meanings[strings.TrimSuffix(f.Name, "."+string(f.Format))], f.Rows, f.Shape)
	}
	say("| `codebook.csv` | what each column and each value means | | |")
	say("| `manifest.json` | counts, columns, and a SHA-256 sum of each table | | |")
	if m.Sealed {
		say("\nThe items' metadata is sealed: nothing here says which condition an item belongs to.")
	}
	say("\nA reopened item has two labels: the second names the first under `replaces`, and only the second is `current`.")
}

func (c Card) agreement(say sayer) {
	say("\n## Agreement\n")
	if len(c.Agreement) == 0 {
		say("Not worked out for this export. `labelwright report` gives it with its intervals.")
		return
	}
	say("Krippendorff's α of the labels; `labelwright report` gives its intervals and other coefficients.\n")
	say("| field | α | variant | items | annotators |\n|---|---|---|---|---|")
	for _, a := range c.Agreement {
		alpha := flat(a.Undefined)
		if a.Alpha != nil {
			alpha = fmt.Sprintf("%.3f", *a.Alpha)
		}
		say("| `%s` | %s | %s | %d | %d |", a.Field, alpha, a.Variant, a.Items, a.Annotators)
	}
}

func (c Card) origin(say sayer, m Manifest) {
	say("\n## Where it comes from\n\n| batch | items | labels per item | annotators | seed |\n|---|---|---|---|---|")
	for _, b := range c.Batches {
		say("| %s | %d | %d | %d | %d |", flat(b.Name), b.Items, b.Overlap, b.Annotators, b.Seed)
	}
	broken := 0
	for _, f := range m.Files {
		broken += f.Broken
	}
	say("\nWritten by %s on %s. Every label was judged by the protocol's rules once more: %d break a rule.", m.Tool, m.Written.Format(time.DateOnly), broken)
}

// flat returns text as one line in which Markdown finds nothing to do.
func flat(text string) string {
	var line strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|!~&", r) {
			line.WriteByte('\\')
		}
		line.WriteRune(r)
	}
	return line.String()
}

// quoted returns text as a quotation, line by line.
func quoted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+flat(line), " ")
	}
	return strings.Join(lines, "\n")
}

// fenceFor returns a fence longer than any in text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
