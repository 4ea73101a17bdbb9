package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
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
			return fmt.Errorf("project %s has no judge %q. List them with: labelwright judge --project %s", p.Key,
				j.Name, p.Key)
		}
		judges, err := report.CompareJudges(data, report.BuildOptions{Seed: 1, Column: j.By, Epsilon: &j.Epsilon})
		if err != nil {
			return err
		}
		if j.Format == "json" {
			return printJSON(s.out, map[string]any{"judges": judges})
		}
		return prose.Writer{Locale: locale.English}.WriteJudges(s.out, judges)
	})
}

// importFile imports the judgments of a file, all or none.
func (j judgeCommand) importFile(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), j.Project)
		if err != nil {
			return err
		}
		items, err := db.ItemsBySourceID(ctx, p.ID)
		if err != nil {
			return err
		}
		file, err := s.open(j.File)
		if err != nil {
			return err
		}
		defer file.Close()
		judgments, err := importer.ReadJudgments(p.Protocol, items, filepath.Base(j.File), file)
		if err != nil {
			return importError(err)
		}
		if err := db.AddJudge(ctx, actor(ctx).ID, p, j.Name, judgments.Answers); err != nil {
			return err
		}
		left := ""
		if columns := judgments.LeftOut.Columns; len(columns) > 0 {
			left = " Left out, because they are no field: " + strings.Join(columns, ", ") + "."
		}
		if items := judgments.LeftOut.CalibrationItems; len(items) > 0 {
			left += " Left out, because judges do not answer calibration items: " + strings.Join(items, ", ") + "."
		}
		return j.print(s, map[string]any{"project": p.Key, "judge": j.Name, "items": len(judgments.Answers),
			"left_out": judgments.LeftOut},
			"Imported the answers of %s to %s.%s Next: labelwright judge --project %s\n",
			j.Name, pluralize(len(judgments.Answers), "item"), left, p.Key)
	})
}
