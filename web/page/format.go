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

// FormErrors is what is wrong with a form that comes back: each sentence with the
// field it is about.
type FormErrors []ui.FieldError

// ForField returns the sentences about one field.
func (w FormErrors) ForField(field string) (messages []string) {
	for _, c := range w {
		if c.FieldID == field {
			messages = append(messages, c.Message)
		}
	}
	return messages
}

// An InvitationLink is a link that somebody chooses a password with. It is shown
// once.
type InvitationLink struct {
	Name string
	Link string
}

// ProjectPath returns the address of a project's page, or of one below it.
func ProjectPath(key string, steps ...string) string {
	return joinPath("/projects/"+url.PathEscape(key), steps)
}

// BatchPath returns the address of a batch's board, or of a page below it.
func BatchPath(p project.Project, b project.Batch, steps ...string) string {
	return ProjectPath(p.Key, append([]string{"batches", b.Name}, steps...)...)
}

// batchLinks are the pages of a batch.
func batchLinks(p project.Project, b project.Batch) []ui.Link {
	links := []ui.Link{{Path: BatchPath(p, b), Text: "Board"}, {Path: BatchPath(p, b, "progress"), Text: "Pace, coverage and slips"}}
	if b.CalibrationCount > 0 {
		links = append(links, ui.Link{Path: BatchPath(p, b, "calibration"), Text: "How they calibrated"})
	}
	return links
}

// ProtocolPath returns the address of a protocol's version.
func ProtocolPath(p protocol.Protocol) string {
	return joinPath("/protocols", []string{p.Key, strconv.Itoa(p.Version)})
}

// UserPath returns the address of an account's page.
func UserPath(id account.ID) string { return "/admin/users/" + formatID(id) }

func joinPath(path string, steps []string) string {
	for _, s := range steps {
		path += "/" + url.PathEscape(s)
	}
	return path
}

// A projectTabs is the navigation within a project.
func projectTabs(p project.Project) []ui.Link {
	return []ui.Link{
		{Path: ProjectPath(p.Key), Text: "Overview"},
		{Path: ProjectPath(p.Key, "items"), Text: "Items"},
		{Path: ProjectPath(p.Key, "references"), Text: "Calibration"},
		{Path: ProjectPath(p.Key, "session-settings"), Text: "Sessions"},
		{Path: ProjectPath(p.Key, "members"), Text: "People"},
		{Path: ProjectPath(p.Key, "adjudication"), Text: "Adjudication"},
		{Path: ProjectPath(p.Key, "report"), Text: "Report"},
		{Path: ProjectPath(p.Key, "export"), Text: "Export"},
	}
}

// formatNumber returns n as people read it: "1,033".
func formatNumber(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Pluralize returns "1 item", "no items" or "1,033 items".
func Pluralize(n int, singular string) string { return pluralize(n, singular) }

// pluralize returns "1 item", "no items" or "1,033 items".
func pluralize(n int, singular string) string {
	switch n {
	case 0:
		return "no " + singular + "s"
	case 1:
		return "1 " + singular
	}
	return formatNumber(n) + " " + singular + "s"
}

// formatRange returns "50" or "50–51".
func formatRange(s project.IntRange) string {
	if s.Min == s.Max {
		return formatNumber(s.Min)
	}
	return formatNumber(s.Min) + "–" + formatNumber(s.Max)
}

// formatMinutes returns minutes as people plan with them: "40 min", "2½ h", "7 h".
func formatMinutes(minutes int) string {
	switch {
	case minutes < 1:
		return "under a minute"
	case minutes < 90:
		return strconv.Itoa(minutes) + " min"
	case minutes < 600:
		return strconv.FormatFloat(float64(minutes)/60, 'f', 1, 64) + " h"
	}
	return formatNumber((minutes+30)/60) + " h"
}

// formatDate returns a date, formatShortDate one for tables, and moment one with the time.
func formatDate(t time.Time) string { return t.UTC().Format("2 January 2006") }

func formatShortDate(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

func formatTime(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04") }

// formatTimeAgo returns how long before now t was, roughly; "–" where it is not known.
func formatTimeAgo(t *time.Time, now time.Time) string {
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
	return formatShortDate(*t)
}

// quoteShell returns text as one word of a command line.
func quoteShell(text string) string {
	isSafe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.@,/+", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !isSafe(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// accountRoleName returns a role as people read it.
func accountRoleName(r account.Role) string {
	return map[account.Role]string{account.Annotator: "annotator", account.Lead: "lead", account.Admin: "admin"}[r]
}

// roleOptions are the roles an admin may give.
func roleOptions(chosen account.Role) (options []ui.Option) {
	descriptions := map[account.Role]string{
		account.Annotator: "Labels what they are given.",
		account.Lead:      "Makes projects, publishes protocols, and sees the projects they lead.",
		account.Admin:     "Sees every project and everybody's account, and the audit trail.",
	}
	for _, r := range account.Roles {
		options = append(options, ui.Option{Value: string(r), Text: accountRoleName(r), Hint: descriptions[r], Chosen: r == chosen})
	}
	return options
}

// allFacts are facts of an item of which every question is asked.
func allFacts(p protocol.Protocol) protocol.Facts {
	facts := protocol.Facts{}
	for _, f := range p.Facts {
		facts[f.Key] = true
	}
	return facts
}

// containsFold reports whether list holds text, whatever its capitals.
func containsFold(list []string, text string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, text) })
}
