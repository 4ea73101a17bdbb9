package main

import (
	"fmt"

	"github.com/labelwright/labelwright/web/api"
)

type adjudicateCommand struct {
	Project string `required:"" help:"Key of the project."`
	File    string `arg:"" help:"Decisions: a .csv file with a header, or a .jsonl file."`
	resultFlags
}

// Run imports the decisions of a file, all or none.
func (a adjudicateCommand) Run(c *cli, s streams, ctx runContext) error {
	file, err := readRows(s, a.File)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		result, err := api.ImportAdjudications.Send(ctx, client, api.FileInput{
			ProjectPath: projectPath(a.Project), FileParams: file.params()}, api.AnyFile, file)
		if err != nil {
			return importError(withRows(err, file.name))
		}
		suffix := ""
		if result.Replaced > 0 {
			suffix = fmt.Sprintf(", replacing %s", pluralize(result.Replaced, "earlier decision"))
		}
		return a.show(s, result, "Adjudicated %s of %s%s. Next: labelwright report --project %s\n",
			pluralize(result.Items, "item"), a.Project, suffix, a.Project)
	})
}
