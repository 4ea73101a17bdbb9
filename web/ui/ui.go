// Package ui holds the pieces that pages are made of: the frame around every
// page, forms and their fields, tables, notices and empty states. Pieces take
// typed values and know nothing of requests.
package ui

import (
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/static"
)

// Asset returns the address of a style sheet, module or picture in web/static.
func Asset(name string) string { return static.Path(name) }

// A Frame is what a page has around its content.
type Frame struct {
	Title    string  // of the page; it is also the browser tab's
	Visitor  Visitor // who is signed in
	Here     string  // the path of the page, which marks its place in the navigation
	Styles   []string
	Modules  []string // names in web/static
	Preloads []string // modules that those import
	Wide     bool     // for tables and boards; else the width of a page of text
	Beside   bool     // a page of text whose edge is that of the wide pages beside it
}

// A Visitor is who looks at the page. The zero Visitor is not signed in.
type Visitor struct {
	Name string
	Role account.Role
}

// A Link leads somewhere.
type Link struct {
	Path string
	Text string
}

// Nav returns where v can go, by role.
func (v Visitor) Nav() (links []Link) {
	if v.Name == "" {
		return nil
	}
	links = append(links, Link{"/work", "Work"})
	if v.Role.Leads() {
		links = append(links, Link{"/projects", "Projects"}, Link{"/protocols", "Protocols"})
	}
	if v.Role.Administers() {
		links = append(links, Link{"/admin/people", "People"}, Link{"/admin/audit", "Audit"})
	}
	return links
}

// current returns what aria-current says of l on the page at here.
func (l Link) current(here string) string {
	switch {
	case here == l.Path:
		return "page"
	case strings.HasPrefix(here, l.Path+"/"):
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
	Limit        int // characters; 0: none
	Min, Max     string
	Step         string
	Problems     []string
}

func (i Input) kind() string {
	if i.Type == "" {
		return "text"
	}
	return i.Type
}

func (i Input) rows() int {
	if i.Rows == 0 {
		return 3
	}
	return i.Rows
}

// A Choice is one field where people pick from Options.
type Choice struct {
	Name     string
	Label    string
	Hint     string
	Options  []Option
	Problems []string
}

// An Option is one answer of a Choice.
type Option struct {
	Value  string
	Text   string
	Hint   string
	Chosen bool
}

// A Pick asks for a file.
type Pick struct {
	Name     string
	Label    string
	Hint     string
	Accept   string // ".csv,.jsonl"
	Required bool
	Problems []string
}

// An Act is a form of one button: something that happens when it is pressed.
type Act struct {
	Path   string
	Text   string
	Kind   Kind
	Hidden []Hidden
}

// A Hidden is a value that a form carries along.
type Hidden struct{ Name, Value string }

// A Kind says how much a button or notice asks for attention.
type Kind string

// The kinds.
const (
	Plain  Kind = ""       // one among others
	Main   Kind = "main"   // what one came for
	Quiet  Kind = "quiet"  // set like a link
	Danger Kind = "danger" // something is lost by it
	Good   Kind = "good"   // a notice that something went well
)

// A Column is the head of one column of a table.
type Column struct {
	Text   string
	Unit   string // "%", "s", "items": set small beside the head
	Figure bool   // numbers, aligned at the right
}

// A Term is one line of a list of facts.
type Term struct {
	Name   string
	Detail string
}

// A Complaint is one problem in the list above a form; it leads to its field.
type Complaint struct {
	At   string // the id of the control; empty: it is about the whole
	Says string
}

// describedBy returns the ids of the hint and problems of a control.
func describedBy(name, hint string, problems []string) string {
	var ids []string
	if hint != "" {
		ids = append(ids, name+"-hint")
	}
	if len(problems) > 0 {
		ids = append(ids, name+"-problem")
	}
	return strings.Join(ids, " ")
}

func invalid(problems []string) string {
	if len(problems) > 0 {
		return "true"
	}
	return "false"
}
