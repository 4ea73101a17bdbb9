package main

import (
	"fmt"
	"text/tabwriter"

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

type spotCheckCommand struct {
	Project string `required:"" help:"Key of the project."`
	Draw    int    `placeholder:"N" help:"Draw N agreed items at random first."`
	resultFlags
}

// Run draws items to check, and prints how often checked items were wrong.
func (k spotCheckCommand) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) (err error) {
		var r api.SpotChecks
		if k.Draw > 0 {
			r, err = api.DrawSpotChecks.Call(ctx, client, api.ProjectBody[api.SpotCheckDraw]{
				ProjectPath: projectPath(k.Project), Body: api.SpotCheckDraw{Items: k.Draw}})
		} else {
			r, err = api.ShowSpotChecks.Call(ctx, client, projectPath(k.Project))
		}
		if err != nil {
			return err
		}
		if k.Format == "json" {
			return printJSON(s.out, r)
		}
		fmt.Fprintf(s.out, "%d of %d items checked; corrected: %s.\n", r.Items.Checked, r.Drawn, wrongText(r.Items))
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		for _, list := range [][]api.SpotCheckRate{r.Fields, r.Annotators} {
			for _, rate := range list {
				fmt.Fprintf(table, "  %s\t%s\n", rate.Name, wrongText(rate))
			}
		}
		return table.Flush()
	})
}

// wrongText says how many of the checked answers were wrong, with the interval.
func wrongText(r api.SpotCheckRate) string {
	if r.Low == nil {
		return "none checked"
	}
	return fmt.Sprintf("%d of %d (95%% CI %.0f–%.0f%%)", r.Wrong, r.Checked, 100**r.Low, 100**r.High)
}
