package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/postgres"
)

// A Member is a member of a project as its leads see them.
type Member struct {
	Pseudonym string       `json:"pseudonym" doc:"The name in the project's data."`
	Name      string       `json:"name" doc:"The email address until the member has worked in the project."`
	Email     string       `json:"email"`
	Role      account.Role `json:"role" enum:"lead,viewer,annotator" doc:"The role in the project."`
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

// A MemberDetail is a member with what the list leaves out.
type MemberDetail struct {
	Member
	WorkEndedAt *time.Time `json:"work_ended_at" doc:"A lead ended the work, and the member is in no open batch since."`
	ThankYou    string     `json:"thank_you" doc:"What the member then reads on the page Work."`
	version     int
}

func (m MemberDetail) objectVersion() int { return m.version }

// A MemberList lists members.
type MemberList struct {
	Members []Member `json:"members"`
}

// An HoursInput is the input of ListHours.
type HoursInput struct {
	ProjectPath
	From  time.Time `query:"from" doc:"The first day, in UTC. By default 30 days before the last."`
	Until time.Time `query:"until" doc:"The last day, in UTC, at most 366 after the first. By default today."`
}

// MemberHours is what a member did on a day.
type MemberHours struct {
	Name          string    `json:"name"`
	Pseudonym     string    `json:"pseudonym"`
	Day           time.Time `json:"day" doc:"The start of the day, in UTC."`
	Items         int       `json:"items" doc:"Submitted or skipped items, calibration and corrections included."`
	ActiveSeconds float64   `json:"active_seconds" doc:"Without breaks and idle time."`
}

// HoursList lists days by member.
type HoursList struct {
	Hours []MemberHours `json:"hours"`
}

// A NewMember is the body that adds a member.
type NewMember struct {
	Email string       `json:"email" minLength:"3" maxLength:"254" format:"email"`
	Name  string       `json:"name,omitempty" maxLength:"100" doc:"Name of a new user. An existing account keeps its name. Only an admin can leave it out, for an existing account."`
	Role  account.Role `json:"role" enum:"annotator,viewer,lead"`
}

// NewMembers is the body that adds members.
type NewMembers struct {
	Members []NewMember `json:"members" minItems:"1" maxItems:"500"`
}

// An InvitedMember is a member who was added, with a link.
type InvitedMember struct {
	Member
	Link string `json:"link" doc:"Sets the first password of a new user, once, within 72 hours. It does not work for a user with a password; where the account may know that, it is empty. It is not shown again: a repeated response has an empty link."`
}

// forStorage returns the member without the link, which sets a password.
func (m InvitedMember) forStorage() any {
	m.Link = ""
	return m
}

// A RoleChange is the body that changes the role of a member.
type RoleChange struct {
	Role account.Role `json:"role" enum:"annotator,lead"`
}

// A WorkEnd is the body that ends the work of a member.
type WorkEnd struct {
	ThankYou string `json:"thank_you,omitempty" maxLength:"1000" doc:"What the member reads on the page Work."`
}

// A MemberPath is the input of an operation on a member.
type MemberPath struct {
	ProjectPath
	Member string `path:"member" maxLength:"254" doc:"Pseudonym or email address of the member." example:"a-k3v9q2xw"`
}

// A MemberBody is the input of an operation on a member with a body.
type MemberBody[B any] struct {
	MemberPath
	Body B
}

// A Removal is what the removal of a member changes.
type Removal struct {
	Pseudonym     string `json:"pseudonym"`
	Name          string `json:"name"`
	Labels        int    `json:"labels" doc:"Submitted labels, which stay."`
	ReturnedItems int    `json:"returned_items" doc:"Open and waiting items, which return to the pool."`
	Corrections   int    `json:"corrections" doc:"Reopened items, which keep their submitted answers."`
	IsOnlyLead    bool   `json:"is_only_lead" doc:"Without the member, only admins lead the project."`
}

func newRemoval(r postgres.MemberRemoval) Removal {
	return Removal{Pseudonym: r.Pseudonym, Name: r.Name, Labels: r.Labels, ReturnedItems: r.ReturnedItems,
		Corrections: r.Corrections, IsOnlyLead: r.IsOnlyLead}
}

// The operations on members.
var (
	ListMembers = newRead(endpoint{id: "list-members", path: "/projects/{project}/members", tag: "Members",
		scope:   account.ScopeRead,
		summary: "List the members, leads first"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (MemberList, error) {
			members, err := a.DB.Members(ctx, c.project.ID)
			return MemberList{mapped(members, newMember)}, err
		})

	ListHours = newRead(endpoint{id: "list-hours", path: "/projects/{project}/hours", tag: "Members",
		scope: account.ScopeRead, summary: "List what members did, by day",
		text: "Such as for payment. Members who left the project are included."},
		func(ctx context.Context, a *API, c caller, in *HoursInput) (HoursList, error) {
			until := in.Until
			if until.IsZero() {
				until = time.Now()
			}
			from := in.From
			if from.IsZero() {
				from = until.AddDate(0, 0, -30)
			}
			hours, err := a.DB.MemberHours(ctx, c.id(), c.project, from, until)
			return HoursList{mapped(hours, func(h postgres.MemberHours) MemberHours {
				return MemberHours{h.Name, h.Pseudonym, h.Day, h.Items, float64(h.ActiveMS) / 1000}
			})}, err
		})

	AddMember = newWrite(endpoint{id: "add-member", method: http.MethodPost, path: "/projects/{project}/members",
		tag: "Members", scope: account.ScopeManage,
		status: http.StatusCreated, summary: "Add a member",
		text: "A new user is invited by mail if the server sends mail. Otherwise pass on the link."}, addMember)

	AddMembers = newWrite(endpoint{id: "add-members", method: http.MethodPost, path: "/projects/{project}/invitations",
		tag:   "Members",
		scope: account.ScopeManage, status: http.StatusCreated, summary: "Add several members",
		text: "All of them, or none. A link does not work for a user with a password; where the account may know that, it is empty."},
		addMembers)

	InviteMembers = newWrite(endpoint{id: "invite-members", method: http.MethodPost,
		path: "/projects/{project}/invitations/renew", tag: "Members",
		scope: account.ScopeManage, status: http.StatusCreated,
		summary: "Create new links for all members who have not signed in",
		text:    "Your earlier links for them stop working. 409: all members have signed in."},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (InvitationList, error) {
			invitations, err := a.DB.InviteMembers(ctx, c.id(), c.project)
			return InvitationList{mapped(invitations, a.newInvitation)}, err
		})

	ShowMember = newRead(endpoint{id: "show-member", path: "/projects/{project}/members/{member}", tag: "Members",
		scope: account.ScopeRead, summary: "Show a member"},
		func(ctx context.Context, a *API, c caller, in *MemberPath) (MemberDetail, error) {
			return a.showMember(ctx, c, in.Member)
		})

	ChangeMember = newWrite(endpoint{id: "change-member", object: postgres.VersionedMember, method: http.MethodPatch,
		path: "/projects/{project}/members/{member}",
		tag:  "Members", scope: account.ScopeManage, summary: "Change the role of a member"},
		func(ctx context.Context, a *API, c caller, in *MemberBody[RoleChange]) (MemberDetail, error) {
			m, err := a.DB.SetMemberRole(ctx, c.id(), c.project, in.Member, in.Body.Role)
			if err != nil {
				return MemberDetail{}, err
			}
			return a.showMember(ctx, c, m.Pseudonym)
		})

	PreviewRemoval = newRead(endpoint{id: "preview-removal", path: "/projects/{project}/members/{member}/removal",
		tag: "Members", scope: account.ScopeRead,
		summary: "Show what the removal of a member would change"},
		func(ctx context.Context, a *API, c caller, in *MemberPath) (Removal, error) {
			r, err := a.DB.PreviewRemoval(ctx, c.project, in.Member)
			return newRemoval(r), err
		})

	RemoveMember = newWrite(endpoint{id: "remove-member", object: postgres.VersionedMember, method: http.MethodDelete,
		path: "/projects/{project}/members/{member}",
		tag:  "Members", scope: account.ScopeManage, summary: "Remove a member",
		text: "Submitted labels stay. Open items return to the pool."},
		func(ctx context.Context, a *API, c caller, in *MemberPath) (Removal, error) {
			r, err := a.DB.RemoveMember(ctx, c.id(), c.project, in.Member)
			return newRemoval(r), err
		})

	EndWork = newWrite(endpoint{id: "end-work", object: postgres.VersionedMember, method: http.MethodPost,
		path: "/projects/{project}/members/{member}/end",
		tag:  "Members", scope: account.ScopeManage, summary: "Thank a member and end their work in the open batches",
		text: "Open and waiting items return to the pool. Submitted labels and the membership stay."},
		func(ctx context.Context, a *API, c caller, in *MemberBody[WorkEnd]) (MemberDetail, error) {
			m, err := a.DB.EndWork(ctx, c.id(), c.project, in.Member, in.Body.ThankYou)
			if err != nil {
				return MemberDetail{}, err
			}
			return a.showMember(ctx, c, m.Pseudonym)
		})
)

func addMember(ctx context.Context, a *API, c caller, in *ProjectBody[NewMember]) (InvitedMember, error) {
	n := in.Body
	if n.Name == "" && c.Account.Role.IsAdmin() { // who may know which accounts there are
		existing, err := a.DB.AccountByEmail(ctx, plaintext.Trim(n.Email))
		if errors.Is(err, fault.NotFound) {
			err = fault.Invalid.Errorf("The name is missing: %s has no account yet, and a new user needs a name.",
				n.Email)
		}
		if err != nil {
			return InvitedMember{}, err
		}
		n.Name = existing.Name
	}
	token, err := a.DB.AddMember(ctx, c.id(), c.project, account.NewAccount(n))
	if err != nil {
		return InvitedMember{}, err
	}
	members, err := a.DB.Members(ctx, c.project.ID)
	for _, m := range members {
		if strings.EqualFold(m.Email, plaintext.Trim(n.Email)) {
			if !m.Invited {
				return InvitedMember{Member: newMember(m)}, err
			}
			return InvitedMember{newMember(m), a.InvitationLink(token)}, err
		}
	}
	return InvitedMember{Link: a.InvitationLink(token)}, err // another lead removed the member at this moment
}

// addMembers returns the invitations in the order of the members.
func addMembers(ctx context.Context, a *API, c caller, in *ProjectBody[NewMembers]) (InvitationList, error) {
	invitations, err := a.DB.AddMembers(ctx, c.id(), c.project, mapped(in.Body.Members,
		func(n NewMember) account.NewAccount { return account.NewAccount(n) }))
	if err != nil {
		return InvitationList{}, err
	}
	members, err := a.DB.Members(ctx, c.project.ID)
	hasPassword := map[string]bool{}
	for _, m := range members {
		hasPassword[strings.ToLower(m.Email)] = !m.Invited
	}
	return InvitationList{mapped(invitations, func(i postgres.Invitation) Invitation {
		invitation := a.newInvitation(i)
		if hasPassword[strings.ToLower(i.Email)] {
			invitation.Link = ""
		}
		return invitation
	})}, err
}

// findPseudonym returns the pseudonym of a member who may be named by email address.
func (a *API) findPseudonym(ctx context.Context, c caller, name string) (string, error) {
	if !strings.Contains(name, "@") {
		return name, nil
	}
	m, err := a.DB.Member(ctx, c.project, name)
	return m.Pseudonym, err
}

func (a *API) showMember(ctx context.Context, c caller, name string) (MemberDetail, error) {
	m, err := a.DB.Member(ctx, c.project, name)
	return MemberDetail{newMember(m.Member), m.WorkEndedAt, m.ThankYou, m.Version}, err
}
