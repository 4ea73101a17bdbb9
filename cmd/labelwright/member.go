package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/api"
)

type memberCommand struct {
	Add    memberAdd    `cmd:"" help:"Add a user to a project, as annotator or lead."`
	Invite memberInvite `cmd:"" help:"Create new invitation links for all members of a project who have not signed in."`
	Role   memberRole   `cmd:"" help:"Change the role of a member in a project."`
	Remove memberRemove `cmd:"" help:"Remove a member from a project. Submitted labels stay."`
	End    memberEnd    `cmd:"" help:"Thank a member and end their work in the open batches. The membership stays."`
	List   memberList   `cmd:"" help:"List the members of a project."`
	Hours  memberHours  `cmd:"" help:"List what the members of a project did, by day."`
}

type memberAdd struct {
	Project        string `required:"" help:"Key of the project."`
	Email          string `help:"Email address. Required without --csv."`
	CSV            string `name:"csv" placeholder:"FILE" help:"Add all users of a file, or none: CSV with the columns email, name and role, or one address per line; - is standard input."`
	Name           string `help:"Name. Required for a new user; an existing account keeps its name."`
	Role           string `enum:"annotator,viewer,lead" default:"annotator" help:"Role in the project: annotator, viewer or lead."`
	invitationSite `embed:""`
	resultFlags
}

// Run adds a member, and prints an invitation link if the user has no password.
func (m memberAdd) Run(c *cli, s streams, ctx runContext) error {
	if (m.Email == "") == (m.CSV == "") {
		return usageError{errors.New("name one user with --email, or a file with --csv")}
	}
	hint, err := c.useSite(m.invitationSite)
	if err != nil {
		return err
	}
	if m.CSV != "" {
		return m.addListed(c, s, ctx, hint)
	}
	in := api.ProjectBody[api.NewMember]{ProjectPath: projectPath(m.Project),
		Body: api.NewMember{Email: m.Email, Name: m.Name, Role: account.Role(m.Role)}}
	return printAnswer(c, s, ctx, m.resultFlags, api.AddMember, in, func(added api.InvitedMember) error {
		fmt.Fprintf(s.out, "%s is now a member of %s, as %s.\n", m.Email, m.Project, added.Role)
		switch added.Status {
		case "not_a_lead_yet":
			fmt.Fprintln(s.out, "The account has the role annotator, so the member leads nothing yet. An admin gives it the role lead on the Users page.")
		case "disabled":
			fmt.Fprintln(s.out, "The account is disabled. The member cannot sign in until an admin enables it.")
			return nil
		}
		if added.Link != "" {
			fmt.Fprintf(s.out, "Send this link to %s. It works once, within 72 hours:\n\n  %s\n%s", m.Email, added.Link,
				hint)
		}
		return nil
	})
}

// addListed adds the users of a file, and prints the links of those without a password.
func (m memberAdd) addListed(c *cli, s streams, ctx runContext, hint string) error {
	users, err := readUserList(s, m.CSV, account.Role(m.Role), account.MemberRoles)
	if err != nil {
		return err
	}
	body := api.NewMembers{}
	for _, user := range users {
		body.Members = append(body.Members, api.NewMember(user))
	}
	return printAnswer(c, s, ctx, m.resultFlags, api.AddMembers, api.ProjectBody[api.NewMembers]{
		ProjectPath: projectPath(m.Project), Body: body}, func(list api.InvitationList) error {
		fmt.Fprintf(s.out, "Added %s to %s.\n", pluralize(len(users), "member"), m.Project)
		return printLinks(s, list, hint)
	})
}

type memberInvite struct {
	Project        string `required:"" help:"Key of the project."`
	invitationSite `embed:""`
	resultFlags
}

// Run prints new links.
func (m memberInvite) Run(c *cli, s streams, ctx runContext) error {
	hint, err := c.useSite(m.invitationSite)
	if err != nil {
		return err
	}
	return printAnswer(c, s, ctx, m.resultFlags, api.InviteMembers, projectPath(m.Project),
		func(list api.InvitationList) error {
			return printLinks(s, list, hint)
		})
}

type memberRole struct {
	Project string `required:"" help:"Key of the project."`
	Member  string `arg:"" placeholder:"MEMBER" help:"Email address or pseudonym of the member."`
	Role    string `arg:"" enum:"annotator,lead" help:"Role in the project: annotator or lead."`
	resultFlags
}

// Run gives a member another role.
func (m memberRole) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		changed, err := api.ChangeMember.Call(ctx, client, api.MemberBody[api.RoleChange]{
			MemberPath: memberPath(m.Project, m.Member), Body: api.RoleChange{Role: account.Role(m.Role)}})
		if err != nil {
			return err
		}
		return m.show(s, changed, "%s (%s) now has the role %s in %s.\n", changed.Name, changed.Pseudonym, changed.Role,
			m.Project)
	})
}

func memberPath(projectKey, name string) api.MemberPath {
	return api.MemberPath{ProjectPath: projectPath(projectKey), Member: name}
}

type memberRemove struct {
	Project string `required:"" help:"Key of the project."`
	Member  string `arg:"" placeholder:"MEMBER" help:"Email address or pseudonym of the member."`
	Plan    bool   `help:"Print what the removal changes, without removing the member."`
	resultFlags
}

// Run removes a member, or previews it.
func (m memberRemove) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		remove := api.RemoveMember
		if m.Plan {
			remove = api.PreviewRemoval
		}
		r, err := remove.Call(ctx, client, memberPath(m.Project, m.Member))
		if err != nil || m.Format == "json" {
			return printUnless(err, s, r)
		}
		if !m.Plan {
			fmt.Fprintf(s.out, "Removed %s (%s) from %s.\n", r.Name, r.Pseudonym, m.Project)
		}
		fmt.Fprintf(s.out, "Submitted labels that stay: %s. Open items that return to the pool: %s.\n",
			formatCount(r.Labels), formatCount(r.ReturnedItems))
		if r.Corrections > 0 {
			fmt.Fprintf(s.out, "Reopened items that keep their submitted answers: %s.\n", formatCount(r.Corrections))
		}
		if r.IsOnlyLead {
			fmt.Fprintln(s.out, "The project has no other lead. Without one, only admins manage it.")
		}
		if m.Plan {
			fmt.Fprintln(s.out, "No member was removed. Run the command without --plan to remove the member.")
		}
		return nil
	})
}

type memberEnd struct {
	Project  string `required:"" help:"Key of the project."`
	Member   string `arg:"" placeholder:"MEMBER" help:"Email address or pseudonym of the member."`
	ThankYou string `placeholder:"TEXT" help:"What the member reads on the Work page."`
	resultFlags
}

// Run ends the work of a member.
func (m memberEnd) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		ended, err := api.EndWork.Call(ctx, client, api.MemberBody[api.WorkEnd]{
			MemberPath: memberPath(m.Project, m.Member), Body: api.WorkEnd{ThankYou: m.ThankYou}})
		if err != nil {
			return err
		}
		return m.show(s, ended, "Ended the work of %s (%s) in %s. Open and waiting items returned to the pool.\n",
			ended.Name, ended.Pseudonym, m.Project)
	})
}

type memberList struct {
	Project string `required:"" help:"Key of the project."`
	resultFlags
}

// Run prints the members of a project.
func (m memberList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, m.resultFlags, api.ListMembers, projectPath(m.Project),
		func(list api.MemberList) error {
			if len(list.Members) == 0 {
				fmt.Fprintln(s.out, "The project has no members yet. Add one with `labelwright member add`.")
				return nil
			}
			table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "NAME\tEMAIL\tROLE\tPSEUDONYM\tSTATUS")
			for _, member := range list.Members {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", member.Name, member.Email, member.Role, member.Pseudonym,
					strings.ReplaceAll(member.Status, "_", " "))
			}
			return table.Flush()
		})
}

type memberHours struct {
	Project string    `required:"" help:"Key of the project."`
	From    time.Time `format:"2006-01-02" placeholder:"DATE" help:"First day, in UTC. By default 30 days before the last."`
	Until   time.Time `format:"2006-01-02" placeholder:"DATE" help:"Last day, in UTC. By default today."`
	resultFlags
}

// Run prints what each member did on each day.
func (m memberHours) Run(c *cli, s streams, ctx runContext) error {
	in := api.HoursInput{ProjectPath: projectPath(m.Project), From: m.From, Until: m.Until}
	return printAnswer(c, s, ctx, m.resultFlags, api.ListHours, in, func(list api.HoursList) error {
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "NAME\tPSEUDONYM\tDAY\tITEMS\tACTIVE HOURS")
		for _, h := range list.Hours {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%.2f\n", h.Name, h.Pseudonym, h.Day.Format(time.DateOnly), h.Items,
				h.ActiveSeconds/3600)
		}
		return table.Flush()
	})
}
