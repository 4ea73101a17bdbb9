package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/api"
)

type judgeCommand struct {
	Project string `required:"" help:"Key of the project."`
	Name    string `help:"Name of the judge, with its version and prompt, such as “judge-4 prompt 2”. Needed with a file; without one, only this judge is shown."`
	File    string `arg:"" optional:"" help:"Answers by the items' own ids: a .csv or .jsonl file. Without a file, the scorecards of the judges are printed."`
	Next    int    `placeholder:"N" help:"Draw N items to label next, of those that the judge has answered and no annotator has labeled. Needs --name."`
	Order   string `enum:"random,disagreement" default:"random" help:"With --next: draw at random, or the items on which judges differ most; their labels are kept out of comparisons with judges."`
	Seed    int64  `help:"With --next: seed of the draw. Default: random, and printed."`
	Batch   string `help:"Compare with the labels of this batch only. Default: all batches."`
	By      string `placeholder:"COLUMN" help:"Metadata column whose groups are compared with the judge. Default: one whose name suggests a condition."`
	epsilonFlag
	resultFlags
}

// Run imports the judgments of a file, draws what to label next, or prints the scorecards of the
// judges.
func (j judgeCommand) Run(c *cli, s streams, ctx runContext) error {
	if err := j.checkEpsilon(); err != nil {
		return err
	}
	switch {
	case j.Next < 0:
		return usageError{fmt.Errorf("--next %d is out of range: use the number of items to draw, such as 50", j.Next)}
	case j.Next != 0 && (j.File != "" || j.Name == ""):
		return usageError{errors.New("--next needs --name, the name of a judge, and no file")}
	case j.Next != 0:
		return j.printNext(c, s, ctx)
	case j.Order != string(project.DrawAtRandom) || j.Seed != 0:
		return usageError{errors.New("--order and --seed are for --next: add the number of items, such as --next 50")}
	case j.File == "":
		return j.printScorecards(c, s, ctx)
	case j.Name == "":
		return usageError{errors.New("--name is missing: name the judge with its version and prompt, such as --name \"judge-4 prompt 2\"")}
	}
	return j.importFile(c, s, ctx)
}

// printScorecards prints what each judge can be used for, by field.
func (j judgeCommand) printScorecards(c *cli, s streams, ctx runContext) error {
	if c.Server != "" {
		r, err := readServerReport(c, ctx, api.ReportInput{ProjectPath: projectPath(j.Project),
			Batch: j.Batch, Epsilon: j.Epsilon, By: j.By})
		if err != nil {
			return err
		}
		judges := slices.DeleteFunc(r.Judges, func(g judging.Judge) bool { return j.Name != "" && g.Name != j.Name })
		if j.Name != "" && len(judges) == 0 {
			return j.unknownJudge()
		}
		return j.printJudges(s, judges)
	}
	setMemoryLimit(reportMemoryLimit)
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), j.Project)
		if err != nil {
			return err
		}
		data, err := db.ReportData(ctx, actor(ctx).ID, p, j.Batch)
		if err != nil {
			return err
		}
		data.Judgments = slices.DeleteFunc(data.Judgments, func(g study.Judgment) bool {
			return j.Name != "" && g.Judge != j.Name
		})
		if j.Name != "" && len(data.Judgments) == 0 {
			return j.unknownJudge()
		}
		judges, err := report.CompareJudges(data, report.BuildOptions{Seed: 1, Column: j.By, Epsilon: &j.Epsilon})
		if err != nil {
			return err
		}
		return j.printJudges(s, judges)
	})
}

func (j judgeCommand) printJudges(s streams, judges []judging.Judge) error {
	if j.Format == "json" {
		return printJSON(s.out, map[string]any{"judges": judges})
	}
	return prose.Writer{Locale: locale.English}.WriteJudges(s.out, judges)
}

func (j judgeCommand) unknownJudge() error {
	return fmt.Errorf("project %s has no judge %q. List them with: labelwright judge --project %s", j.Project, j.Name,
		j.Project)
}

// importFile imports the judgments of a file, all or none.
func (j judgeCommand) importFile(c *cli, s streams, ctx runContext) error {
	file, err := readRows(s, j.File)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		result, err := api.SubmitJudgments.Send(ctx, client, api.SubmitJudgmentsInput{JudgePath: j.path(),
			FileParams: file.params()}, api.AnyFile, file)
		if err != nil {
			return importError(withRows(err, file.name))
		}
		more := ""
		if result.Unchanged > 0 {
			more = " Stored before with the same answers: " + pluralize(result.Unchanged, "item") + "."
		}
		if columns := result.LeftOut.Columns; len(columns) > 0 {
			more += " Left out, because they are no field: " + strings.Join(columns, ", ") + "."
		}
		if items := result.LeftOut.CalibrationItems; len(items) > 0 {
			more += " Left out, because judges do not answer calibration items: " + strings.Join(items, ", ") + "."
		}
		return j.show(s, result, "Imported the answers of %s to %s.%s Next: labelwright judge --project %s\n",
			j.Name, pluralize(result.Added, "item"), more, j.Project)
	})
}

func (j judgeCommand) path() api.JudgePath {
	return api.JudgePath{ProjectPath: projectPath(j.Project), Judge: j.Name}
}
