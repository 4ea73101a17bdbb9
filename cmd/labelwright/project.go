package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type projectCommand struct {
	Create   projectCreate   `cmd:"" help:"Create a project."`
	List     projectList     `cmd:"" help:"List the projects."`
	Settings projectSettings `cmd:"" help:"Show or change the title, lead, instructions and session settings."`
	Archive  projectArchive  `cmd:"" help:"Make a project read-only and take it out of the lists, or undo that."`
}

type projectCreate struct {
	Key            string `help:"Key for addresses and commands: lower-case letters, digits and hyphens. Default: made from the title."`
	Title          string `required:"" help:"Title."`
	Protocol       string `help:"Published protocol: KEY or KEY@VERSION. Required without --copy-from."`
	CopyFrom       string `placeholder:"KEY" help:"Project whose protocol, texts and settings the new one gets. Items and members are not copied."`
	Instructions   string `placeholder:"FILE" help:"File with the instructions for annotators, in Markdown; - is standard input."`
	ContentWarning string `help:"Content warning, shown before any text of the project. Default: the protocol's."`
	SupportURL     string `placeholder:"URL" help:"Page where annotators find support. Default for a project with a content warning: a directory of helplines."`
	Lead           string `placeholder:"EMAIL" help:"Email address of a lead for the project."`
	resultFlags
}

// Run creates a project.
func (p projectCreate) Run(c *cli, s streams, ctx runContext) error {
	if p.Protocol == "" && p.CopyFrom == "" {
		return usageError{fmt.Errorf("name a protocol with --protocol, or a project to copy with --copy-from")}
	}
	instructions, err := readInstructions(s, p.Instructions)
	if err != nil {
		return err
	}
	return c.withDB(ctx, func(db *postgres.DB) error {
		creator := actor(ctx)
		if p.Lead != "" {
			lead, err := db.AccountByEmail(ctx, p.Lead)
			if err != nil {
				return err
			}
			creator.ID = lead.ID
		}
		if p.Key == "" {
			if p.Key, err = db.ProposeKey(ctx, p.Title); err != nil {
				return err
			}
		}
		created, err := db.CreateProject(ctx, creator, project.Spec{Key: p.Key, Title: p.Title, Protocol: p.Protocol,
			CopyFrom:     p.CopyFrom,
			Instructions: instructions, ContentWarning: p.ContentWarning, SupportURL: p.SupportURL})
		if err != nil {
			return err
		}
		if p.Format == "json" {
			return printJSON(s.out, map[string]any{"project": created.Key, "protocol": fmt.Sprintf("%s@%d",
				created.Protocol.Key, created.Protocol.Version)})
		}
		printCreated(s, created, p.Lead != "")
		return nil
	})
}

func printCreated(s streams, p project.Project, hasLead bool) {
	fmt.Fprintf(s.out, "Created project %s with protocol %s. Next: labelwright import --project %s FILE\n", p.Key,
		p.Protocol.Name(), p.Key)
	if !hasLead {
		fmt.Fprintln(s.out, "The project has no lead yet. An admin adds one on the project's Members page.")
	}
	if p.SupportURL == project.DefaultSupportURL {
		fmt.Fprintf(s.out, "It has a content warning with the support link %s. To change the link: labelwright project settings --project %s --support-url URL\n", p.SupportURL, p.Key)
	}
	if p.NeedsInstructions() && p.Instructions == "" {
		fmt.Fprintf(s.out, "Its protocol needs instructions before a batch is opened: labelwright project settings --project %s --instructions FILE\n", p.Key)
	}
}

// readInstructions reads a file of Markdown; no path is no text.
func readInstructions(s streams, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	file, err := s.open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(text), nil
}

type projectList struct {
	Archived bool   `help:"List the archived projects."`
	Format   string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A projectEntry is a project in the JSON output.
type projectEntry struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Protocol string `json:"protocol"`
	Items    int    `json:"items"`
	Batches  int    `json:"batches"`
	Archived bool   `json:"archived"`
}

// Run lists the projects.
func (l projectList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		list := db.Projects
		if l.Archived {
			list = db.ArchivedProjects
		}
		projects, err := list(ctx, actor(ctx))
		if err != nil {
			return err
		}
		if l.Format == "json" {
			return printProjectsJSON(s, projects)
		}
		if len(projects) == 0 {
			fmt.Fprintln(s.out, map[bool]string{true: "No project is archived.",
				false: "There are no projects yet. Create one with `labelwright project create`."}[l.Archived])
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "PROJECT\tPROTOCOL\tITEMS\tBATCHES\tTITLE")
		for _, p := range projects {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", p.Key, p.Protocol.Name(), p.Items, p.Batches, p.Title)
		}
		return table.Flush()
	})
}

func printProjectsJSON(s streams, projects []project.Project) error {
	entries := make([]projectEntry, len(projects))
	for i, p := range projects {
		entries[i] = projectEntry{p.Key, p.Title, p.Protocol.Name(), p.Items, p.Batches, p.ArchivedAt != nil}
	}
	return printJSON(s.out, map[string]any{"projects": entries})
}

type projectArchive struct {
	Project string `required:"" help:"Key of the project."`
	Reason  string `help:"Reason, for the audit log."`
	Undo    bool   `help:"Make an archived project a current one again."`
	resultFlags
}

// Run archives a project, or makes it current again.
func (a projectArchive) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), a.Project)
		if err != nil {
			return err
		}
		if a.Undo {
			err = db.UnarchiveProject(ctx, actor(ctx).ID, p)
		} else {
			err = db.ArchiveProject(ctx, actor(ctx).ID, p, a.Reason)
		}
		if err != nil {
			return err
		}
		sentence := map[bool]string{true: "The project %s is current again.\n",
			false: "Archived the project %s. It is read-only until you run the command with --undo.\n"}[a.Undo]
		return a.print(s, map[string]any{"project": p.Key, "archived": !a.Undo}, sentence, p.Key)
	})
}

// setLead makes the user with that address a lead of the project.
func setLead(ctx runContext, db *postgres.DB, s streams, p project.Project, email string) error {
	a, err := db.AccountByEmail(ctx, email)
	if err != nil {
		return err
	}
	_, err = db.SetMemberRole(ctx, actor(ctx).ID, p, email, account.Lead)
	if errors.Is(err, fault.NotFound) {
		_, err = db.AddMember(ctx, actor(ctx).ID, p, account.NewAccount{Email: email, Name: a.Name, Role: account.Lead})
	}
	if err != nil {
		return err
	}
	if !a.Role.CanLead() {
		fmt.Fprintln(s.out, "The account has the role annotator, so the member leads nothing yet. An admin gives it the role lead on the Users page.")
	}
	return nil
}
