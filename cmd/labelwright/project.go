package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type projectCommand struct {
	Create  projectCreate  `cmd:"" help:"Create a project."`
	List    projectList    `cmd:"" help:"List the projects."`
	Session projectSession `cmd:"" help:"Show or change what holds for sessions: calibration, breaks, limits, what is set aside or left."`
}

type projectCreate struct {
	Key            string `required:"" help:"Its key, for addresses and commands: lower-case letters, digits and hyphens."`
	Title          string `required:"" help:"Its title."`
	Protocol       string `required:"" help:"KEY or KEY@VERSION of a published protocol."`
	ContentWarning string `help:"A content warning, shown before any text of the project. Default: the protocol's own."`
	SupportURL     string `help:"A web address where annotators find support. Default, with a content warning: a directory of helplines."`
	Lead           string `help:"The e-mail address of a lead of the project."`
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
		created, err := db.CreateProject(ctx, creator, project.ProjectSpec{Key: p.Key, Title: p.Title, Protocol: p.Protocol, ContentWarning: p.ContentWarning, SupportURL: p.SupportURL})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "The project %s is there, with %s. Next: labelwright import --project %s FILE\n", created.Key, created.Protocol.Name(), created.Key)
		if p.Lead == "" {
			fmt.Fprintln(s.out, "Nobody leads it yet: an admin adds leads under People, or give --lead E-MAIL when creating a project.")
		}
		if created.SupportURL == project.DefaultSupportURL {
			fmt.Fprintf(s.out, "It has a content warning; annotators find support at %s. Another place: labelwright project session --project %s --support URL\n", created.SupportURL, created.Key)
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
			fmt.Fprintln(s.out, "There are no projects yet. `labelwright project create` makes one.")
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

type importCommand struct {
	Project string `required:"" help:"The project's key."`
	File    string `arg:"" help:"The items: a .csv with a header, or a .jsonl. A RAG record file fans out to the project's task."`
}

// Run stores the items of a file, all or none.
func (i importCommand) Run(c *cli, s streams, ctx runContext) error {
	content, err := i.readFile(s)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, operator, i.Project)
		if err != nil {
			return err
		}
		name := filepath.Base(i.File)
		items, err := importer.ReadItems(p.Protocol, name, bytes.NewReader(content))
		if err != nil {
			return importError(err)
		}
		err = db.Import(ctx, 0, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, items)
		if errors.Is(err, postgres.ErrAlreadyImported) {
			fmt.Fprintf(s.out, "%s is in the project already. Nothing was added.\n", name)
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s imported into %s.\n", pluralize(len(items), "item"), p.Key)
		return nil
	})
}

func (i importCommand) readFile(s streams) ([]byte, error) {
	file, err := s.open(i.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, importer.FileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", i.File, err)
	}
	return content, nil
}

// importError says after the faults what became of the file.
func importError(err error) error {
	faults, ok := errors.AsType[importer.FileErrors](err)
	if !ok {
		return err
	}
	count := ""
	if len(faults) <= importer.ErrorLimit { // beyond it the last one tells how many more there are
		count = pluralize(len(faults), "fault") + ". "
	}
	return fmt.Errorf("%w\n%sNothing was stored. Mend the file and import it again", faults, count)
}
