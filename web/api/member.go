package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

// A Member is a member of a project as its leads see them.
type Member struct {
	Pseudonym string       `json:"pseudonym" doc:"The name in the project's data."`
	Name      string       `json:"name" doc:"The email address until the member has worked in the project."`
	Email     string       `json:"email"`
	Role      account.Role `json:"role" enum:"lead,annotator" doc:"The role in the project."`
	Status    string       `json:"status" enum:"active,invited,disabled,not_a_lead_yet"`
}

func newMember(m postgres.Member) Member {
	status := "active"
	switch {
	case m.Disabled:
		status = "disabled"
	case m.LacksLeadRole:
		status = "not_a_lead_yet"
	case m.Invited:
		status = "invited"
	}
	return Member{m.Pseudonym, m.Name, m.Email, m.Role, status}
}

// A MemberList lists members.
type MemberList struct {
	Members []Member `json:"members"`
}

// A NewMember is the body that adds a member.
type NewMember struct {
	Email string       `json:"email" minLength:"3" maxLength:"254" format:"email"`
	Name  string       `json:"name" minLength:"1" maxLength:"100" doc:"Name of a new user. An existing account keeps its name."`
	Role  account.Role `json:"role" enum:"annotator,lead"`
}

// A MemberRole is the body that changes the role of a member.
type MemberRole struct {
	Role account.Role `json:"role" enum:"annotator,lead"`
}

// A MemberPath is the input of an operation on a member.
type MemberPath struct {
	ProjectPath
	Member string `path:"member" maxLength:"100" doc:"Pseudonym of the member." example:"amber-otter"`
}

// A Removal is what the removal of a member changed.
type Removal struct {
	Labels        int `json:"labels" doc:"Submitted labels, which stay."`
	ReturnedItems int `json:"returned_items" doc:"Open items that returned to the pool."`
}

func (a *API) addMembers() {
	addRead(a, endpoint{id: "list-members", path: "/projects/{project}/members", tag: "Members", scope: account.ScopeRead, summary: "List the members, leads first"},
		func(ctx context.Context, c caller, _ *struct{ ProjectPath }) (MemberList, error) {
			members, err := a.DB.Members(ctx, c.project.ID)
			return MemberList{mapped(members, newMember)}, err
		})
	addWrite(a, endpoint{id: "add-member", method: http.MethodPost, path: "/projects/{project}/members", tag: "Members", scope: account.ScopeManage, status: http.StatusCreated, summary: "Add a member",
		text: "A new user is invited by mail. Where the server sends no mail, the page Members makes a link to pass on."},
		func(ctx context.Context, c caller, in *struct {
			ProjectPath
			Body NewMember
		}) (Member, error) {
			if _, err := a.DB.AddMember(ctx, c.id(), c.project, account.NewAccount{Email: in.Body.Email, Name: in.Body.Name, Role: in.Body.Role}); err != nil {
				return Member{}, err
			}
			return a.findMember(ctx, c, func(m postgres.Member) bool { return strings.EqualFold(m.Email, strings.TrimSpace(in.Body.Email)) })
		})
	addWrite(a, endpoint{id: "change-member", method: http.MethodPatch, path: "/projects/{project}/members/{member}", tag: "Members", scope: account.ScopeManage, summary: "Change the role of a member"},
		func(ctx context.Context, c caller, in *struct {
			MemberPath
			Body MemberRole
		}) (Member, error) {
			m, err := a.DB.SetMemberRole(ctx, c.id(), c.project, in.Member, in.Body.Role)
			return newMember(m), err
		})
	addWrite(a, endpoint{id: "remove-member", method: http.MethodDelete, path: "/projects/{project}/members/{member}", tag: "Members", scope: account.ScopeManage, summary: "Remove a member",
		text: "Submitted labels stay. Open items return to the pool."},
		func(ctx context.Context, c caller, in *struct{ MemberPath }) (Removal, error) {
			r, err := a.DB.RemoveMember(ctx, c.id(), c.project, in.Member)
			return Removal{r.Labels, r.ReturnedItems}, err
		})
}

func (a *API) findMember(ctx context.Context, c caller, isWanted func(postgres.Member) bool) (Member, error) {
	members, err := a.DB.Members(ctx, c.project.ID)
	if err != nil {
		return Member{}, err
	}
	for _, m := range members {
		if isWanted(m) {
			return newMember(m), nil
		}
	}
	return Member{}, fault.NotFound
}
