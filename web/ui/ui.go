// Package ui holds the pieces that pages are made of: the frame around every
// page, forms and their fields, tables, notices and empty states. Pieces take
// typed values and know nothing of requests.
package ui

import (
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/static"
)

// AssetPath returns the address of a style sheet, module or picture in web/static.
func AssetPath(name string) string { return static.Path(name) }

// A Frame is what a page has around its content.
type Frame struct {
	Title         string // of the page; it is also the browser tab's
	User          User   // who is signed in
	CurrentPath   string // the path of the page, which marks its place in the navigation
	Styles        []string
	Modules       []string // names in web/static
	Preloads      []string // modules that those import
	Wide          bool     // for tables and boards; else the width of a page of text
	AlignedToWide bool     // a page of text whose edge is that of the wide pages beside it
}

// A User is who looks at the page. The zero Visitor is not signed in.
type User struct {
	Name string
	Role account.Role
}

// A Link leads somewhere.
type Link struct {
	Path string
	Text string
}

// NavLinks returns where v can go, by role.
func (v User) NavLinks() (links []Link) {
	if v.Name == "" {
		return nil
	}
	links = append(links, Link{"/work", "Work"})
	if v.Role.CanLead() {
		links = append(links, Link{"/projects", "Projects"}, Link{"/protocols", "Protocols"})
	}
	if v.Role.IsAdmin() {
		links = append(links, Link{"/admin/users", "People"}, Link{"/admin/audit-log", "Audit"})
	}
	return links
}

// ariaCurrent returns what aria-current says of l on the page at here.
func (l Link) ariaCurrent(currentPath string) string {
	switch {
	case currentPath == l.Path:
		return "page"
	case strings.HasPrefix(currentPath, l.Path+"/"):
		return "true"
	}
	return "false"
}

// An Input is one line, or one box, of text that people fill in.
type Input struct {
	Name         string // of the control; also the id, so unique on the page
	Label        string
	Hint         string
	Type         string // "text" where empty; also "email", "password", "number", "search", "url", "date"
	Value        string
	Autocomplete string // the autofill token: "email", "current-password", "off"
	Required     bool
	Autofocus    bool
	Rows         int // of an Area; 3 where 0
	MaxLength    int // characters; 0: none
	Min, Max     string
	Step         string
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

// A Choice is one field where people pick from Options.
type Choice struct {
	Name    string
	Label   string
	Hint    string
	Options []Option
	Errors  []string
}

// An Option is one answer of a Choice.
type Option struct {
	Value  string
	Text   string
	Hint   string
	Chosen bool
}

// A FileInput asks for a file.
type FileInput struct {
	Name     string
	Label    string
	Hint     string
	Accept   string // ".csv,.jsonl"
	Required bool
	Errors   []string
}

// An Action is a form of one button: something that happens when it is pressed.
type Action struct {
	Path    string
	Text    string
	Variant Variant
	Hidden  []HiddenField
}

// A HiddenField is a value that a form carries along.
type HiddenField struct{ Name, Value string }

// A Variant says how much a button or notice asks for attention.
type Variant string

// The kinds.
const (
	Plain   Variant = ""        // one among others
	Primary Variant = "primary" // what one came for
	Quiet   Variant = "link"    // set like a link
	Danger  Variant = "danger"  // something is lost by it
	Success Variant = "success" // a notice that something went well
)

// A Column is the head of one column of a table.
type Column struct {
	Text    string
	Unit    string // "%", "s", "items": set small beside the head
	Numeric bool   // numbers, aligned at the right
}

// A SummaryRow is one line of a list of facts.
type SummaryRow struct {
	Label string
	Value string
}

// A FieldError is one problem in the list above a form; it leads to its field.
type FieldError struct {
	FieldID string // the id of the control; empty: it is about the whole
	Message string
}

// describedBy returns the ids of the hint and problems of a control.
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
