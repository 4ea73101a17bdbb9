package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/web/api"
)

// A confirmation is the flag of a command that cannot be undone.
type confirmation struct {
	Confirm bool `help:"Erase. Without it, nothing is erased."`
}

func (c confirmation) check() error {
	if c.Confirm {
		return nil
	}
	return usageError{errors.New("erasing cannot be undone. Run the command again with --confirm")}
}

type userExport struct {
	userSelection
	resultFlags
}

// Run prints all that is stored about a user.
func (u userExport) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, u.resultFlags, api.ExportAccount, u.path(), func(e api.AccountExport) error {
		for _, section := range e.Sections {
			fmt.Fprintf(s.out, "%s\n", strings.ReplaceAll(section.Name, "_", " "))
			for _, row := range section.Rows {
				fmt.Fprintln(s.out)
				for _, name := range slices.Sorted(maps.Keys(row)) {
					value, err := json.Marshal(row[name])
					if err != nil {
						return err
					}
					fmt.Fprintf(s.out, "  %s: %s\n", name, value)
				}
			}
			fmt.Fprintln(s.out)
		}
		return nil
	})
}

type userErase struct {
	userSelection
	WithNotes bool `help:"Also erase what the user wrote: notes, comments, questions, answers, messages and reasons. Stored exports and reports of their projects are deleted."`
	confirmation
	resultFlags
}

// Run erases the personal data of a user.
func (u userErase) Run(c *cli, s streams, ctx runContext) error {
	if err := u.check(); err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		erasure, err := api.EraseAccount.Call(ctx, client, api.AccountBody[api.AccountErasure]{AccountPath: u.path(),
			Body: api.AccountErasure{WithNotes: u.WithNotes}})
		if err != nil {
			return err
		}
		return u.show(s, erasure, "Erased the personal data of %s (erasure %d).\n", u.Email, erasure.ID)
	})
}

type itemErase struct {
	chosenItems
	Reason string `required:"" help:"Why, for the audit log. Do not repeat what is erased."`
	confirmation
}

// Run erases items.
func (i itemErase) Run(c *cli, s streams, ctx runContext) error {
	if err := i.check(); err != nil {
		return err
	}
	return i.run(c, s, ctx, "Erased", func(client *api.Client, p api.ProjectPath, items api.ItemSelection) (
		api.ChangedItems, error) {
		return api.EraseItems.Call(ctx, client, api.ProjectBody[api.ItemArchiving]{ProjectPath: p,
			Body: api.ItemArchiving{ItemSelection: items, Reason: api.Reason{Reason: i.Reason}}})
	})
}

type projectErase struct {
	Project string `required:"" help:"Key of the project."`
	Reason  string `required:"" help:"Why, for the audit log. Do not repeat what is erased."`
	confirmation
	resultFlags
}

// Run erases a project.
func (p projectErase) Run(c *cli, s streams, ctx runContext) error {
	if err := p.check(); err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		erased, err := api.EraseProject.Call(ctx, client, api.ProjectBody[api.ProjectErasure]{
			ProjectPath: projectPath(p.Project), Body: api.ProjectErasure{Key: p.Project,
				Reason: api.Reason{Reason: p.Reason}}})
		if err != nil {
			return err
		}
		if erased.AlreadyErased {
			return p.show(s, erased, "The project %s was erased already.\n", p.Project)
		}
		return p.show(s, erased, "Erased all texts of the project %s, with those of %d items.\n", p.Project,
			erased.Items)
	})
}
