package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type projectCommand struct {
	Create   projectCreate   `cmd:"" help:"Create a project."`
	List     projectList     `cmd:"" help:"List the projects."`
	Settings projectSettings `cmd:"" help:"Show or change settings: calibration, breaks, limits, skipped items, content warning."`
}

type projectCreate struct {
	Key            string `required:"" help:"Key for addresses and commands: lower-case letters, digits and hyphens."`
	Title          string `required:"" help:"Title."`
	Protocol       string `required:"" help:"Published protocol: KEY or KEY@VERSION."`
	ContentWarning string `help:"Content warning, shown before any text of the project. Default: the protocol's."`
	SupportURL     string `placeholder:"URL" help:"Page where annotators find support. Default for a project with a content warning: a directory of helplines."`
	Lead           string `placeholder:"EMAIL" help:"Email address of a lead for the project."`
}

// Run creates a project.
func (p projectCreate) Run(c *cli, s streams, ctx runContext) error {
	return c.withDB(ctx, func(db *postgres.DB) error {
		creator := operator
		if p.Lead != "" {
			lead, err := db.AccountByEmail(ctx, p.Lead)
			if err != nil {
				return err
			}
			creator.ID = lead.ID
		}
		created, err := db.CreateProject(ctx, creator, project.Spec{Key: p.Key, Title: p.Title, Protocol: p.Protocol, ContentWarning: p.ContentWarning, SupportURL: p.SupportURL})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Created project %s with protocol %s. Next: labelwright import --project %s FILE\n", created.Key, created.Protocol.Name(), created.Key)
		if p.Lead == "" {
			fmt.Fprintln(s.out, "The project has no lead yet. An admin adds one on the project's Members page.")
		}
		if created.SupportURL == project.DefaultSupportURL {
			fmt.Fprintf(s.out, "It has a content warning with the support link %s. To change the link: labelwright project settings --project %s --support-url URL\n", created.SupportURL, created.Key)
		}
		return nil
	})
}

type projectList struct{}

// Run lists the projects.
func (projectList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		projects, err := db.Projects(ctx, operator)
		if err != nil {
			return err
		}
		if len(projects) == 0 {
			fmt.Fprintln(s.out, "There are no projects yet. Create one with `labelwright project create`.")
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
