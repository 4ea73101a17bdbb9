package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) memberLines(ctx context.Context, projectID int64) (lines []page.MemberLine, err error) {
	members, err := s.db.Members(ctx, projectID)
	for _, m := range members {
		lines = append(lines, page.MemberLine(m))
	}
	return lines, err
}

func (s *Server) members(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	return s.showMembers(w, r, http.StatusOK, page.MembersData{Project: p})
}

func (s *Server) showMembers(w http.ResponseWriter, r *http.Request, status int, d page.MembersData) (err error) {
	d.Visitor = visitor(r)
	if d.Members, err = s.memberLines(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return show(w, r, status, page.Members(d))
}

// addMember brings somebody into a project, or gives a new link to somebody
// who has not come yet. A link is shown once, in the answer.
func (s *Server) addMember(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	if fields.Has("invite") {
		return s.inviteMember(w, r, p, fields)
	}
	person := account.Person{Email: fields.Get("email"), Name: fields.Get("name"), Role: account.Role(fields.Get("as"))}
	a, isNew, err := s.db.AddMember(r.Context(), who(r).ID, p, person)
	if status := refusal(err); status != 0 {
		return s.showMembers(w, r, status, page.MembersData{Project: p, Email: person.Email, Name: person.Name, As: person.Role, Wrong: memberWrong(person, err)})
	}
	if err != nil {
		return err
	}
	done := page.MembersData{Project: p, Done: joined(a, person.Role)}
	if isNew {
		done.Link, err = s.invite(r, a)
	}
	if err != nil {
		return err
	}
	return s.showMembers(w, r, http.StatusOK, done)
}

// invite makes the link with which somebody chooses a password.
func (s *Server) invite(r *http.Request, a account.Account) (page.InvitationLink, error) {
	token, err := s.db.Invite(r.Context(), who(r).ID, a.ID)
	return s.invitationLink(a.Name, token), err
}

// memberWrong says what kept somebody from being added: where it is their
// fields, everything about those. Who is known here needs no name.
func memberWrong(p account.Person, err error) page.Wrong {
	wrong := personWrong(p, account.Annotator)
	if slices.ContainsFunc(wrong, func(c ui.Complaint) bool { return c.Says == fault.Message(err) }) {
		return wrong
	}
	return wrongOf(err, "email")
}

func joined(a account.Account, as account.Role) string {
	if as == account.Lead {
		return a.Name + " leads this project now."
	}
	return a.Name + " can be chosen for batches of this project now."
}

// personWrong returns what is wrong with a new person's fields, each judged by
// itself; the role is taken to be the one given.
func personWrong(p account.Person, role account.Role) (wrong page.Wrong) {
	if _, err := (account.Person{Name: "x", Email: p.Email, Role: role}).Check(); err != nil {
		wrong = append(wrong, wrongOf(err, "email")...)
	}
	if _, err := (account.Person{Name: p.Name, Email: "x@example.org", Role: role}).Check(); err != nil {
		wrong = append(wrong, wrongOf(err, "name")...)
	}
	return wrong
}

func (s *Server) inviteMember(w http.ResponseWriter, r *http.Request, p project.Project, fields url.Values) error {
	id, err := strconv.ParseInt(fields.Get("invite"), 10, 64)
	if err != nil {
		return fault.NotFound
	}
	a, token, err := s.db.InviteMember(r.Context(), who(r).ID, p, id)
	if err != nil {
		return err
	}
	return s.showMembers(w, r, http.StatusOK, page.MembersData{Project: p, Link: s.invitationLink(a.Name, token)})
}
