package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type memberCommand struct {
	Add    memberAdd    `cmd:"" help:"Add a user to a project, as annotator or lead."`
	Invite memberInvite `cmd:"" help:"Create new invitation links for all members of a project who have not signed in."`
	Remove memberRemove `cmd:"" help:"Remove a member from a project. Submitted labels stay."`
	End    memberEnd    `cmd:"" help:"Thank a member and end their work in the open batches. The membership stays."`
	List   memberList   `cmd:"" help:"List the members of a project."`
}

type memberAdd struct {
	Project        string `required:"" help:"Key of the project."`
	Email          string `help:"Email address. Required without --csv."`
	CSV            string `name:"csv" placeholder:"FILE" help:"Add all users of a file, or none: CSV with the columns email, name and role, or one address per line; - is standard input."`
	Name           string `help:"Name. Required for a new user; an existing account keeps its name."`
	Role           string `enum:"annotator,lead" default:"annotator" help:"Role in the project: annotator or lead."`
	invitationSite `embed:""`
	resultFlags
}

// Run adds a member, and prints an invitation link if the user has no password.
func (m memberAdd) Run(c *cli, s streams, ctx runContext) error {
	if (m.Email == "") == (m.CSV == "") {
		return usageError{errors.New("name one user with --email, or a file with --csv")}
	}
	base, hint, err := m.resolveBaseURL()
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), m.Project)
		if err != nil {
			return err
		}
		if m.CSV != "" {
			return m.addListed(ctx, db, s, p, base, hint)
		}
		existing, err := db.AccountByEmail(ctx, m.Email)
		if err != nil && !errors.Is(err, fault.NotFound) {
			return err
		}
		if existing.ID != 0 {
			m.Name = existing.Name
		} else if m.Name == "" {
			return usageError{fmt.Errorf("--name is missing: %s has no account yet, and a new user needs a name",
				m.Email)}
		}
		token, err := db.AddMember(ctx, actor(ctx).ID, p, account.NewAccount{Email: m.Email, Name: m.Name,
			Role: account.Role(m.Role)})
		if err != nil {
			return err
		}
		if m.Format == "json" {
			result := map[string]any{"project": p.Key, "email": m.Email, "role": m.Role}
			if !existing.Joined {
				result["link"] = base.String() + "/invitations/" + token
			}
			return printJSON(s.out, result)
		}
		fmt.Fprintf(s.out, "%s is now a member of %s, as %s.\n", m.Email, p.Key, m.Role)
		if m.Role == string(account.Lead) && !existing.Role.CanLead() {
			fmt.Fprintln(s.out, "The account has the role annotator, so the member leads nothing yet. An admin gives it the role lead on the Users page.")
		}
		switch {
		case existing.Disabled:
			fmt.Fprintln(s.out, "The account is disabled. The member cannot sign in until an admin enables it.")
		case !existing.Joined:
			fmt.Fprintf(s.out, "Send this link to %s. It works once, within 72 hours:\n\n  %s/invitations/%s\n%s",
				m.Email, base, token, hint)
		}
		return nil
	})
}

// addListed adds the users of a file, and prints the links of those without a password.
func (m memberAdd) addListed(ctx runContext, db *postgres.DB, s streams, p project.Project, base *url.URL,
	hint string) error {
	users, err := readUserList(s, m.CSV, account.Role(m.Role), []account.Role{account.Annotator, account.Lead})
	if err != nil {
		return err
	}
	invitations, err := db.AddMembers(ctx, actor(ctx).ID, p, users)
	if err != nil {
		return err
	}
	joined := map[string]bool{}
	members, err := db.Members(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, member := range members {
		joined[strings.ToLower(member.Email)] = !member.Invited
	}
	if m.Format == "text" {
		fmt.Fprintf(s.out, "Added %s to %s.\n", pluralize(len(users), "member"), p.Key)
	}
	invitations = slices.DeleteFunc(invitations, func(i postgres.Invitation) bool {
		return joined[strings.ToLower(i.Email)]
	})
	if len(invitations) == 0 {
		return m.print(s, map[string]any{"invitations": []any{}}, "All of them have a password and sign in as usual.\n")
	}
	return m.printInvitations(s, invitations, base, hint)
}

type memberInvite struct {
	Project        string `required:"" help:"Key of the project."`
	invitationSite `embed:""`
	resultFlags
}

// Run prints new links.
func (m memberInvite) Run(c *cli, s streams, ctx runContext) error {
	base, hint, err := m.resolveBaseURL()
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), m.Project)
		if err != nil {
			return err
		}
		invitations, err := db.InviteMembers(ctx, actor(ctx).ID, p)
		if err != nil {
			return err
		}
		return m.printInvitations(s, invitations, base, hint)
	})
}

type memberRemove struct {
	Project string `required:"" help:"Key of the project."`
	Member  string `arg:"" placeholder:"MEMBER" help:"Email address or pseudonym of the member."`
	Plan    bool   `help:"Print what the removal changes, without removing the member."`
	resultFlags
}

// Run removes a member, or previews it.
func (m memberRemove) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), m.Project)
		if err != nil {
			return err
		}
		if m.Plan {
			removal, err := db.PreviewRemoval(ctx, p, m.Member)
			if err != nil {
				return err
			}
			return m.printRemoval(s, p, removal, "",
				"No member was removed. Run the command without --plan to remove the member.\n")
		}
		removal, err := db.RemoveMember(ctx, actor(ctx).ID, p, m.Member)
		if err != nil {
			return err
		}
		return m.printRemoval(s, p, removal, fmt.Sprintf("Removed %s (%s) from %s.\n", removal.Name, removal.Pseudonym,
			p.Key), "")
	})
}

// printRemoval prints what the removal of a member changes, between two sentences.
func (m memberRemove) printRemoval(s streams, p project.Project, r postgres.MemberRemoval, before, after string) error {
	if m.Format == "json" {
		return printJSON(s.out, map[string]any{"project": p.Key, "pseudonym": r.Pseudonym, "labels": r.Labels,
			"returned_items": r.ReturnedItems,
			"corrections":    r.Corrections, "is_only_lead": r.IsOnlyLead, "removed": !m.Plan})
	}
	fmt.Fprint(s.out, before)
	fmt.Fprintf(s.out, "Submitted labels that stay: %s. Open items that return to the pool: %s.\n",
		formatCount(r.Labels), formatCount(r.ReturnedItems))
	if r.Corrections > 0 {
		fmt.Fprintf(s.out, "Reopened items that keep their submitted answers: %s.\n", formatCount(r.Corrections))
	}
	if r.IsOnlyLead {
		fmt.Fprintln(s.out, "The project has no other lead. Without one, only admins manage it.")
	}
	fmt.Fprint(s.out, after)
	return nil
}

type memberEnd struct {
	Project  string `required:"" help:"Key of the project."`
	Member   string `arg:"" placeholder:"MEMBER" help:"Email address or pseudonym of the member."`
	ThankYou string `placeholder:"TEXT" help:"What the member reads on the Work page."`
	resultFlags
}

// Run ends the work of a member.
func (m memberEnd) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), m.Project)
		if err != nil {
			return err
		}
		member, err := db.EndWork(ctx, actor(ctx).ID, p, m.Member, m.ThankYou)
		if err != nil {
			return err
		}
		return m.print(s, map[string]any{"project": p.Key, "pseudonym": member.Pseudonym},
			"Ended the work of %s (%s) in %s. Open and waiting items returned to the pool.\n", member.Name,
			member.Pseudonym, p.Key)
	})
}

type memberList struct {
	Project string `required:"" help:"Key of the project."`
	Format  string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A memberEntry is a member in the JSON output.
type memberEntry struct {
	Name      string       `json:"name"`
	Email     string       `json:"email"`
	Role      account.Role `json:"role"`
	Pseudonym string       `json:"pseudonym"`
	Status    string       `json:"status"`
}

// Run prints the members of a project.
func (m memberList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), m.Project)
		if err != nil {
			return err
		}
		members, err := db.Members(ctx, p.ID)
		if err != nil {
			return err
		}
		if m.Format == "json" {
			return printMembersJSON(s, members)
		}
		if len(members) == 0 {
			fmt.Fprintln(s.out, "The project has no members yet. Add one with `labelwright member add`.")
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "NAME\tEMAIL\tROLE\tPSEUDONYM\tSTATUS")
		for _, member := range members {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", member.Name, member.Email, member.Role, member.Pseudonym,
				memberStatus(member))
		}
		return table.Flush()
	})
}

func printMembersJSON(s streams, members []postgres.Member) error {
	entries := make([]memberEntry, len(members))
	for i, m := range members {
		entries[i] = memberEntry{m.Name, m.Email, m.Role, m.Pseudonym, memberStatus(m)}
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"members": entries})
}

// memberStatus returns the status as the Members page shows it.
func memberStatus(m postgres.Member) string {
	switch {
	case m.Disabled:
		return "disabled"
	case m.LacksLeadRole:
		return "not a lead yet"
	case m.Invited:
		return "invited"
	}
	return "active"
}
