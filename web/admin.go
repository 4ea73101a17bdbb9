package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) people(w http.ResponseWriter, r *http.Request) error {
	return s.showPeople(w, r, http.StatusOK, page.PeopleData{Person: account.Person{Role: account.Annotator}})
}

func (s *Server) showPeople(w http.ResponseWriter, r *http.Request, status int, d page.PeopleData) (err error) {
	d.Visitor = visitor(r)
	if d.People, err = s.db.Accounts(r.Context()); err != nil {
		return err
	}
	return show(w, r, status, page.People(d))
}

// addPerson makes an account. Its invitation link is shown once, in the answer.
func (s *Server) addPerson(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	person := account.Person{Name: fields.Get("name"), Email: fields.Get("email"), Role: account.Role(fields.Get("role"))}
	id, err := s.db.AddPerson(r.Context(), who(r).ID, person, "")
	if status := refusal(err); status != 0 {
		return s.showPeople(w, r, status, page.PeopleData{Person: person, Wrong: newPersonWrong(person, err)})
	}
	if err != nil {
		return err
	}
	link, err := s.invite(r, account.Account{ID: id, Name: strings.TrimSpace(person.Name)})
	if err != nil {
		return err
	}
	return s.showPeople(w, r, http.StatusOK, page.PeopleData{Person: account.Person{Role: account.Annotator}, Link: link})
}

func newPersonWrong(person account.Person, err error) page.Wrong {
	wrong := personWrong(person, account.Annotator)
	if !slices.Contains(account.Roles, person.Role) {
		wrong = append(wrong, ui.Complaint{At: "role", Says: "Please choose a role."})
	}
	if wrong == nil {
		wrong = wrongOf(err, "email")
	}
	return wrong
}

func (s *Server) person(w http.ResponseWriter, r *http.Request) error {
	a, err := s.db.Account(r.Context(), numberOf(r))
	if err != nil {
		return err
	}
	d := page.PersonData{Visitor: visitor(r), Person: a, Role: a.Role, Barred: a.Disabled}
	if asked(r, "after") == "change" {
		d.Notice = "Saved."
	}
	return show(w, r, http.StatusOK, page.PersonPage(d))
}

func (s *Server) changePerson(w http.ResponseWriter, r *http.Request) error {
	a, err := s.db.Account(r.Context(), numberOf(r))
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	d := page.PersonData{Visitor: visitor(r), Person: a, Role: account.Role(fields.Get("role")), Barred: fields.Get("disabled") == "1"}
	if !slices.Contains(account.Roles, d.Role) {
		d.Wrong = page.Wrong{{At: "role", Says: "Please choose a role."}}
		return show(w, r, http.StatusUnprocessableEntity, page.PersonPage(d))
	}
	err = s.db.ChangeAccount(r.Context(), who(r).ID, a.ID, d.Role, d.Barred)
	if status := refusal(err); status != 0 {
		d.Wrong = wrongOf(err, "role")
		return show(w, r, status, page.PersonPage(d))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, page.PersonPath(a.ID)+"?after=change")
}

// invitePerson makes a link with which somebody chooses a new password.
func (s *Server) invitePerson(w http.ResponseWriter, r *http.Request) error {
	a, err := s.db.Account(r.Context(), numberOf(r))
	if err != nil {
		return err
	}
	if a.Disabled {
		return fault.Conflict.Says("This account is disabled, so a link would not open it. Enable it first.")
	}
	link, err := s.invite(r, a)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.PersonPage(page.PersonData{Visitor: visitor(r), Person: a, Role: a.Role, Barred: a.Disabled, Link: link}))
}

func (s *Server) audit(w http.ResponseWriter, r *http.Request) error {
	d := page.AuditData{Visitor: visitor(r), Actions: postgres.Actions, Action: asked(r, "action"), Before: askedID(r, "before")}
	if d.Action != "" && !slices.Contains(postgres.Actions, d.Action) {
		return fault.NotFound
	}
	entries, err := s.db.Trail(r.Context(), d.Action, d.Before, linesAPage+1)
	if err != nil {
		return err
	}
	if len(entries) > linesAPage {
		entries = entries[:linesAPage]
		q := url.Values{"before": {strconv.FormatInt(entries[linesAPage-1].ID, 10)}}
		if d.Action != "" {
			q.Set("action", d.Action)
		}
		d.Next = "/admin/audit?" + q.Encode()
	}
	for _, e := range entries {
		d.Entries = append(d.Entries, page.AuditLine{At: e.At, Who: e.Who, Action: e.Action, Subject: subjectLink(e.Subject), Detail: detailSays(e.Detail)})
	}
	return show(w, r, http.StatusOK, page.Audit(d))
}

// subjectLink leads from the subject of an audit line to its page.
func subjectLink(subject string) ui.Link {
	kind, name, _ := strings.Cut(subject, " ")
	link := ui.Link{Text: subject}
	switch kind {
	case "account":
		link.Path = "/admin/people/" + url.PathEscape(name)
	case "project":
		link.Path = page.ProjectPath(name)
	case "protocol":
		key, version, _ := strings.Cut(name, " v")
		version, _, _ = strings.Cut(version, ".")
		link.Path = "/protocols/" + url.PathEscape(key) + "/" + url.PathEscape(version)
	case "batch":
		key, batch, _ := strings.Cut(name, "/")
		link.Path = page.ProjectPath(key, "batches", batch)
	}
	return link
}

// detailSays returns the details of an audit line, by name.
func detailSays(detail map[string]any) string {
	var says []string
	for _, key := range slices.Sorted(maps.Keys(detail)) {
		text, ok := detail[key].(string)
		if !ok {
			raw, err := json.Marshal(detail[key])
			if err != nil {
				continue
			}
			text = string(raw)
		}
		says = append(says, fmt.Sprintf("%s %s", key, text))
	}
	return strings.Join(says, ", ")
}
