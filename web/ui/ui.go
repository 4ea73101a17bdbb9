// Package ui has the components of pages: the frame, tabs, forms, tables, notices,
// empty states and charts. Components take typed values and know no requests.
package ui

import (
	"maps"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/static"
)

// AssetPath returns the URL path of a file in web/static.
func AssetPath(name string) string { return static.Path(name) }

// DocumentTitle returns the title of the browser tab of a page.
func DocumentTitle(title string) string { return title + " · Labelwright" }

// A Frame holds what surrounds the content of a page.
type Frame struct {
	Title       string // of the page and the browser tab
	User        User   // who is signed in
	CurrentPath string // the path of the page, which marks its place in the navigation
	Section     Section
	Styles      []string
	Bundle      string   // of all styles, in place of the common ones and Styles
	Modules     []string // names in web/static
	Preloads    []string // modules that Modules import
	EventsPath  string   // of the events that update the page; empty: those of the badges, for leads
}

// colorScheme returns the color schemes of a page, which the browser paints before it has
// the styles.
func colorScheme(t account.Theme) string {
	if t == account.AutoTheme {
		return "light dark"
	}
	return string(t)
}

// styles returns the style sheets of the page.
func (f Frame) styles() []string {
	if f.Bundle != "" {
		return []string{f.Bundle}
	}
	return append([]string{"base.css", "components.css"}, f.Styles...)
}

// eventsPath is the path of the events that update the badges.
const eventsPath = "/inbox/events"

// live returns f with the module that updates the page, for users who have badges.
func (f Frame) live() Frame {
	if !f.User.Role.CanLead() {
		return f
	}
	if f.EventsPath == "" {
		f.EventsPath = eventsPath
	}
	f.Modules = append(f.Modules[:len(f.Modules):len(f.Modules)], "live.mjs")
	return f
}

// A Section is a group of pages with tabs, such as a project. The zero Section has
// none.
type Section struct {
	Title string
	Path  string // of its first page
	Label string // names the tabs for screen readers
	Tabs  []Link
	// TabPath is the path of the tab to mark, if it is not the one above the page's path.
	TabPath string
	// Views are the pages of the marked tab, listed next to the content. ViewPath is the one to mark, if it is not
	// the one above the page's path.
	Views      []Link
	ViewsLabel string // names them for screen readers
	ViewPath   string
}

// A User is the account that is signed in. The zero User is signed out.
type User struct {
	Name   string
	Role   account.Role
	Badges func() Badges // nil: none
}

// Badges are the numbers shown at links, by their paths.
type Badges map[string]int

// badge returns the number at a link; 0 is not shown.
func (u User) badge(path string) int {
	if u.Badges == nil {
		return 0
	}
	return u.Badges()[path]
}

// withoutBadge returns u without the number at a link.
func (u User) withoutBadge(path string) User {
	badges := u.Badges
	if badges != nil {
		u.Badges = func() Badges {
			others := maps.Clone(badges())
			delete(others, path)
			return others
		}
	}
	return u
}

// A Link is a link to a page.
type Link struct {
	Path string
	Text string
}

// NavLinks returns the main navigation for the user's role.
func (u User) NavLinks(l *locale.Locale) (links []Link) {
	if u.Name == "" {
		return nil
	}
	if u.Role.CanLead() {
		links = append(links, Link{"/inbox", l.T("Inbox")})
	}
	links = append(links, Link{"/work", l.T("Work")})
	if u.Role.CanView() {
		links = append(links, Link{"/projects", l.T("Projects")})
	}
	if u.Role.CanLead() {
		links = append(links, Link{"/protocols", l.T("Protocols")})
	}
	if u.Role.IsAdmin() {
		links = append(links, Link{"/admin/users", l.T("Users")}, Link{"/admin/audit-log", l.T("Audit log")})
	}
	return links
}

// ariaCurrent returns the value of aria-current of l on the page at currentPath.
func (l Link) ariaCurrent(currentPath string) string {
	switch {
	case currentPath == l.Path:
		return "page"
	case strings.HasPrefix(currentPath, l.Path+"/"):
		return "true"
	}
	return "false"
}

// activeTab returns the index of the tab with the longest path that leads to
// currentPath, or -1.
func activeTab(tabs []Link, currentPath string) int {
	active := -1
	for i, l := range tabs {
		if l.ariaCurrent(currentPath) != "false" && (active < 0 || len(l.Path) > len(tabs[active].Path)) {
			active = i
		}
	}
	return active
}

// An Input is a text input of one or more lines.
type Input struct {
	Name         string // of the control; also the id, so unique on the page
	Label        string
	Hint         string
	Type         string // "text" if empty; or "email", "password", "number", "search", "url", "date"
	Value        string
	Autocomplete string // the autofill token: "email", "current-password", "off"
	Required     bool
	Autofocus    bool
	Rows         int // of a TextArea; 0: 3
	MaxLength    int // characters; 0: unlimited
	Min, Max     string
	Errors       []string
}

func (i Input) inputType() string {
	if i.Type == "" {
		return "text"
	}
	return i.Type
}

func (i Input) rowCount() int {
	if i.Rows == 0 {
		return 3
	}
	return i.Rows
}

// A Choice is a field with Options to choose from.
type Choice struct {
	Name    string
	Label   string
	Hint    string
	Options []Option
	Errors  []string
}

// An Option is one option of a Choice.
type Option struct {
	Value    string
	Text     string
	Language string // of Text; empty: that of the page
	IsName   bool   // Text is not translated
	Hint     string
	Chosen   bool
}

// A FileInput is a file field.
type FileInput struct {
	Name     string
	Label    string
	Hint     string
	Accept   string // ".csv,.jsonl"
	Required bool
	Errors   []string
}

// An Action is a form with one button.
type Action struct {
	Path    string
	Text    string
	Variant Variant
	Hidden  []HiddenField
}

// A HiddenField is a hidden input of a form.
type HiddenField struct{ Name, Value string }

// A Variant is the emphasis of a button or notice.
type Variant string

// The variants; they are CSS classes.
const (
	Plain   Variant = ""        // no emphasis
	Primary Variant = "primary" // the main action
	Quiet   Variant = "link"    // looks like a link
	Danger  Variant = "danger"  // destructive, or an error
	Success Variant = "success" // a confirmation
)

// A Column is the header of a table column.
type Column struct {
	Text    string
	Unit    string // shown below Text, such as "s" or "items"
	Numeric bool   // right-aligned
}

// A SummaryRow is one row of a SummaryList.
type SummaryRow struct {
	Label   string
	Value   string
	IsInput bool // Value is a text that a user entered, in any language

	LabelLanguage string // of Label; empty: that of the page
	LabelIsCode   bool   // Label is the name of a column
}

// A FieldError is one error of a form, linked to its field.
type FieldError struct {
	FieldID string // the id of the control; empty: the whole form
	Message string
}

// describedBy returns the ids of the hint and the errors of a control.
func describedBy(name, hint string, messages []string) string {
	var ids []string
	if hint != "" {
		ids = append(ids, name+"-hint")
	}
	if len(messages) > 0 {
		ids = append(ids, name+"-problem")
	}
	return strings.Join(ids, " ")
}

func ariaInvalid(messages []string) string {
	if len(messages) > 0 {
		return "true"
	}
	return "false"
}

// helpSections lists the parts of the manual about pages, by a part of their path.
var helpSections = []struct{ path, section string }{
	{"/report", "leads#reading-the-report"}, {"/judges", "leads#reading-the-report"},
	{"/adjudication", "leads#disagreements"}, {"/disagreements", "leads#disagreements"},
	{"/exports", "leads#exports"}, {"/account/tokens", "programs"}, {"/webhooks", "programs#webhooks"},
	{"/protocols", "authors"}, {"/admin/", "admins"}, {"/projects", "leads"}, {"/inbox", "leads"},
	{"/work", "annotators"}, {"/hours", "annotators#what-others-see"},
}

// helpPath returns the address of the manual's part about a page.
func (f Frame) helpPath() string {
	for _, h := range helpSections {
		if strings.Contains(f.CurrentPath, h.path) {
			return "/help/" + h.section
		}
	}
	return "/help"
}
