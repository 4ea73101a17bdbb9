package page

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// Wrong is what is wrong with a form that comes back: each sentence with the
// field it is about.
type Wrong []ui.Complaint

// At returns the sentences about one field.
func (w Wrong) At(field string) (sentences []string) {
	for _, c := range w {
		if c.At == field {
			sentences = append(sentences, c.Says)
		}
	}
	return sentences
}

// An InvitationLink is a link that somebody chooses a password with. It is shown
// once.
type InvitationLink struct {
	Name string
	Link string
}

// ProjectPath returns the address of a project's page, or of one below it.
func ProjectPath(key string, steps ...string) string {
	return pathOf("/projects/"+url.PathEscape(key), steps)
}

// BatchPath returns the address of a batch's board, or of a page below it.
func BatchPath(p project.Project, b project.Batch, steps ...string) string {
	return ProjectPath(p.Key, append([]string{"batches", b.Name}, steps...)...)
}

// batchWays are the pages of a batch.
func batchWays(p project.Project, b project.Batch) []ui.Link {
	ways := []ui.Link{{Path: BatchPath(p, b), Text: "Board"}, {Path: BatchPath(p, b, "progress"), Text: "Pace, coverage and slips"}}
	if b.Calibration > 0 {
		ways = append(ways, ui.Link{Path: BatchPath(p, b, "calibration"), Text: "How they calibrated"})
	}
	return ways
}

// ProtocolPath returns the address of a protocol's version.
func ProtocolPath(p protocol.Protocol) string {
	return pathOf("/protocols", []string{p.Key, strconv.Itoa(p.Version)})
}

// PersonPath returns the address of an account's page.
func PersonPath(id int64) string { return "/admin/people/" + text64(id) }

func pathOf(root string, steps []string) string {
	for _, s := range steps {
		root += "/" + url.PathEscape(s)
	}
	return root
}

// A way is the navigation within a project.
func way(p project.Project) []ui.Link {
	return []ui.Link{
		{Path: ProjectPath(p.Key), Text: "Overview"},
		{Path: ProjectPath(p.Key, "items"), Text: "Items"},
		{Path: ProjectPath(p.Key, "calibration"), Text: "Calibration"},
		{Path: ProjectPath(p.Key, "session"), Text: "Sessions"},
		{Path: ProjectPath(p.Key, "people"), Text: "People"},
		{Path: ProjectPath(p.Key, "adjudication"), Text: "Adjudication"},
		{Path: ProjectPath(p.Key, "report"), Text: "Report"},
		{Path: ProjectPath(p.Key, "export"), Text: "Export"},
	}
}

// figure returns n as people read it: "1,033".
func figure(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count returns "1 item", "no items" or "1,033 items".
func Count(n int, one string) string { return count(n, one) }

// count returns "1 item", "no items" or "1,033 items".
func count(n int, one string) string {
	switch n {
	case 0:
		return "no " + one + "s"
	case 1:
		return "1 " + one
	}
	return figure(n) + " " + one + "s"
}

// span returns "50" or "50–51".
func span(s project.Span) string {
	if s.From == s.To {
		return figure(s.From)
	}
	return figure(s.From) + "–" + figure(s.To)
}

// hours returns minutes as people plan with them: "40 min", "2½ h", "7 h".
func hours(minutes int) string {
	switch {
	case minutes < 1:
		return "under a minute"
	case minutes < 90:
		return strconv.Itoa(minutes) + " min"
	case minutes < 600:
		return strconv.FormatFloat(float64(minutes)/60, 'f', 1, 64) + " h"
	}
	return figure((minutes+30)/60) + " h"
}

// day returns a date, shortDay one for tables, and moment one with the time.
func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

func shortDay(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04") }

// ago returns how long before now t was, roughly; "–" where it is not known.
func ago(t *time.Time, now time.Time) string {
	if t == nil {
		return "–"
	}
	switch d := now.Sub(*t); {
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return shortDay(*t)
}

// shellWord returns text as one word of a command line.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.@,/+", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// roleOf returns a role as people read it.
func roleOf(r account.Role) string {
	return map[account.Role]string{account.Annotator: "annotator", account.Lead: "lead", account.Admin: "admin"}[r]
}

// roleOptions are the roles an admin may give.
func roleOptions(chosen account.Role) (options []ui.Option) {
	does := map[account.Role]string{
		account.Annotator: "Labels what they are given.",
		account.Lead:      "Makes projects, publishes protocols, and sees the projects they lead.",
		account.Admin:     "Sees every project and everybody's account, and the audit trail.",
	}
	for _, r := range account.Roles {
		options = append(options, ui.Option{Value: string(r), Text: roleOf(r), Hint: does[r], Chosen: r == chosen})
	}
	return options
}

// everyFact are facts of an item of which every question is asked.
func everyFact(p protocol.Protocol) protocol.Facts {
	facts := protocol.Facts{}
	for _, f := range p.Facts {
		facts[f.Key] = true
	}
	return facts
}

// among reports whether list holds text, whatever its capitals.
func among(list []string, text string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, text) })
}
