package main

import (
	"github.com/labelwright/labelwright/web/api"
)

type referenceCommand struct {
	Project string `required:"" help:"Key of the project."`
	File    string `arg:"" help:"Calibration items: a .csv file with a header, or a .jsonl file."`
	resultFlags
}

// Run imports the calibration items of a file, all or none.
func (r referenceCommand) Run(c *cli, s streams, ctx runContext) error {
	file, err := readRows(s, r.File)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		result, err := api.ImportReferences.Send(ctx, client, api.FileInput{
			ProjectPath: projectPath(r.Project), FileParams: file.params()}, api.AnyFile, file)
		if err != nil {
			return importError(withRows(err, file.name))
		}
		if result.AlreadyImported {
			return r.show(s, result, alreadyImportedText, file.name)
		}
		return r.show(s, result, "Imported %s into %s. Next: labelwright batch open --project %s\n",
			pluralize(result.Items, "calibration item"), r.Project, r.Project)
	})
}
