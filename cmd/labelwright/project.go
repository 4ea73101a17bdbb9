package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/api"
)

type projectCommand struct {
	Create      projectCreate      `cmd:"" help:"Create a project."`
	List        projectList        `cmd:"" help:"List the projects."`
	Settings    projectSettings    `cmd:"" help:"Show or change the title, instructions and session settings."`
	TakeVersion projectTakeVersion `cmd:"" help:"Show what the latest version of the protocol changes in a project, and take it."`
	Archive     projectArchive     `cmd:"" help:"Make a project read-only and take it out of the lists, or undo that."`
	Erase       projectErase       `cmd:"" help:"Erase all texts of an archived project. Ids and labels stay."`
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
	return c.withNewClient(ctx, func(client *api.Client) error {
		created, err := api.CreateProject.Call(ctx, client, api.BodyInput[api.NewProject]{Body: api.NewProject{
			Key: p.Key, Title: p.Title, Protocol: p.Protocol, CopyFrom: p.CopyFrom, Instructions: instructions,
			ContentWarning: p.ContentWarning, SupportURL: p.SupportURL, Lead: p.Lead}})
		if err != nil || p.Format == "json" {
			return printUnless(err, s, created)
		}
		printCreated(s, created, p.Lead != "" || c.As != "" || c.Server != "")
		return nil
	})
}

func printCreated(s streams, p api.Project, hasLead bool) {
	fmt.Fprintf(s.out, "Created project %s with protocol %s. Next: labelwright import --project %s FILE\n", p.Key,
		p.Protocol, p.Key)
	if !hasLead {
		fmt.Fprintln(s.out, "The project has no lead yet. An admin adds one on the project's Members page.")
	}
	if p.SupportURL == project.DefaultSupportURL {
		fmt.Fprintf(s.out, "It has a content warning with the support link %s. To change the link: labelwright project settings --project %s --support-url URL\n", p.SupportURL, p.Key)
	}
	if p.NeedsInstructions && p.Instructions == "" {
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
	Archived bool `help:"List the archived projects."`
	resultFlags
}

// Run lists the projects.
func (l projectList) Run(c *cli, s streams, ctx runContext) error {
	in := api.ListProjectsInput{Archived: l.Archived}
	return printAnswer(c, s, ctx, l.resultFlags, api.ListProjects, in, func(list api.ProjectList) error {
		if len(list.Projects) == 0 {
			fmt.Fprintln(s.out, map[bool]string{true: "No project is archived.",
				false: "There are no projects yet. Create one with `labelwright project create`."}[l.Archived])
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "PROJECT\tPROTOCOL\tITEMS\tBATCHES\tTITLE")
		for _, p := range list.Projects {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", p.Key, p.Protocol, p.Items, p.Batches, p.Title)
		}
		return table.Flush()
	})
}

type projectTakeVersion struct {
	Project      string `required:"" help:"Key of the project."`
	Accept       int    `placeholder:"VERSION" help:"Version to take. Without it, the command prints the changes only."`
	CloseBatches bool   `help:"Close the open batches. Otherwise they end under their version."`
	resultFlags
}

// Run prints what the latest version changes, or has the project take it.
func (p projectTakeVersion) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		path := projectPath(p.Project)
		if p.Accept != 0 {
			taken, err := api.TakeVersion.Call(ctx, client, api.ProjectBody[api.VersionChoice]{ProjectPath: path,
				Body: api.VersionChoice{Version: p.Accept, CloseBatches: p.CloseBatches}})
			if err != nil {
				return err
			}
			return p.show(s, taken, "The project %s has version %d of its protocol. New batches use it.\n", p.Project,
				p.Accept)
		}
		versions, err := api.ShowVersions.Call(ctx, client, path)
		if err != nil || p.Format == "json" {
			return printUnless(err, s, versions)
		}
		for _, u := range versions.Used {
			fmt.Fprintf(s.out, "Version %d since %s: %d labels, %d open batches. Read it as %s.\n", u.Version,
				u.TakenAt.Format("2006-01-02"), u.Labels, u.OpenBatches, u.Project)
		}
		if versions.Next == nil {
			fmt.Fprintln(s.out, "There is no later version.")
			return nil
		}
		printNextVersion(s.out, *versions.Next)
		return nil
	})
}

func printNextVersion(w io.Writer, next api.NextVersion) {
	fmt.Fprintf(w, "\nVersion %d changes:\n", next.Version)
	for _, difference := range next.Differences {
		fmt.Fprintln(w, "-", difference)
	}
	for _, change := range next.Texts {
		fmt.Fprintf(w, "\n%s\n- %s\n+ %s\n", change.Place, change.Before, change.After)
	}
	if !next.HasSameItems {
		fmt.Fprintln(w, "\nIt reads other parts or facts of items. Create a project with it, and import the items there.")
		return
	}
	if next.Undecided > 0 {
		fmt.Fprintf(w, "\nItems whose labels differ: %d. Adjudicate them first if they are to count.\n", next.Undecided)
	}
	fmt.Fprintf(w, "\nNothing changed yet. To take the version, run the command with --accept %d.\n", next.Version)
}

type projectArchive struct {
	Project string `required:"" help:"Key of the project."`
	Reason  string `help:"Reason, for the audit log. Required without --undo."`
	Undo    bool   `help:"Make an archived project a current one again."`
	resultFlags
}

// Run archives a project, or makes it current again.
func (a projectArchive) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		if a.Undo {
			current, err := api.UnarchiveProject.Call(ctx, client, projectPath(a.Project))
			if err != nil {
				return err
			}
			return a.show(s, current, "The project %s is current again.\n", a.Project)
		}
		archived, err := api.ArchiveProject.Call(ctx, client, api.ProjectBody[api.Reason]{
			ProjectPath: projectPath(a.Project), Body: api.Reason{Reason: a.Reason}})
		if err != nil {
			return err
		}
		return a.show(s, archived,
			"Archived the project %s. It is read-only until you run the command with --undo.\n", a.Project)
	})
}
