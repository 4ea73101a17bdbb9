package main

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

type projectSettings struct {
	Project             string            `required:"" help:"Key of the project."`
	Title               *string           `help:"Title. The key stays."`
	Lead                string            `placeholder:"EMAIL" help:"Email address of a user who becomes a lead of the project."`
	Instructions        *string           `placeholder:"FILE" help:"File with the instructions for annotators, in Markdown; - is standard input. When they change, all annotators read them again."`
	TextFormat          map[string]string `placeholder:"PART=FORMAT" help:"How the texts of a part are shown: text, markdown, code, or protocol for what the protocol says. Repeatable."`
	TieRule             *string           `enum:"unresolved,lower,higher" placeholder:"RULE" help:"Consensus of a tie between neighboring points: lower, higher, or unresolved for adjudication."`
	MissPolicy          *string           `enum:"continue,retake,wait" placeholder:"POLICY" help:"After a calibration far from the reference: continue, retake it, or wait for a lead."`
	ShareCalibration    *bool             `name:"share-calibration-scores" help:"Annotators who all finished calibration see each other's calibration scores, under pseudonyms: true or false."`
	AllowUndo           *bool             `help:"Annotators can take back their last submit until the next one: true or false."`
	SkipPolicy          *string           `enum:"reassign,return_later,drop" placeholder:"POLICY" help:"What happens to a skipped item: reassign it, return it to the same annotator later, or drop it."`
	BreakAfterMinutes   *int              `placeholder:"MINUTES" help:"Minutes of work after which a break is due; 0 for never."`
	DailyItemLimit      *int              `placeholder:"N" help:"Maximum number of items per annotator and day; 0 for no limit."`
	SessionLimitMinutes *int              `placeholder:"MINUTES" help:"Maximum length of a session; 0 for no limit."`
	ReleaseAfterMinutes *int              `placeholder:"MINUTES" help:"Minutes after which an abandoned item is released; 0 for never."`
	ContentWarning      *string           `help:"Content warning. When it changes, all annotators read it again."`
	SupportURL          *string           `placeholder:"URL" help:"Page where annotators find support."`
	DatasetLicense      *string           `placeholder:"ID" help:"License of exported datasets, such as cc-by-4.0."`
	DatasetDescription  *string           `help:"Description of exported datasets."`
	DatasetLanguages    *string           `placeholder:"CODES" help:"Languages of the texts, such as en,de."`
	resultFlags
}

// Run changes the settings that are given, and prints all.
func (p projectSettings) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		found, err := db.Project(ctx, actor(ctx), p.Project)
		if err != nil {
			return err
		}
		if err := p.changeProject(ctx, db, s, found); err != nil {
			return err
		}
		if found, err = db.Project(ctx, actor(ctx), p.Project); err != nil {
			return err
		}
		settings, err := db.SessionSettings(ctx, found.ID)
		if err != nil {
			return err
		}
		if changed := p.applyTo(settings); changed != settings {
			if err := db.UpdateSessionSettings(ctx, actor(ctx).ID, found, changed); err != nil {
				return err
			}
			settings = changed
		}
		if p.Format == "json" {
			return printSettingsJSON(ctx, s, db, found, settings)
		}
		return printSettings(s, found, settings)
	})
}

// changeProject changes what is not a session setting.
func (p projectSettings) changeProject(ctx runContext, db *postgres.DB, s streams, found project.Project) error {
	if p.Title != nil && *p.Title != found.Title {
		if err := db.RenameProject(ctx, actor(ctx).ID, found, *p.Title); err != nil {
			return err
		}
	}
	if p.Instructions != nil {
		text, err := readInstructions(s, *p.Instructions)
		if err == nil {
			err = db.SetInstructions(ctx, actor(ctx).ID, found, text)
		}
		if err != nil {
			return err
		}
	}
	if p.TieRule != nil {
		if err := db.ChangeProject(ctx, actor(ctx).ID, found,
			project.Change{TieRule: (*stats.TieRule)(p.TieRule)}); err != nil {
			return err
		}
	}
	if err := p.changeFormats(ctx, db, found); err != nil {
		return err
	}
	if err := p.describeDataset(ctx, db, found); err != nil || p.Lead == "" {
		return err
	}
	return setLead(ctx, db, s, found, p.Lead)
}

// changeFormats changes the formats that are given; the others stay.
func (p projectSettings) changeFormats(ctx runContext, db *postgres.DB, found project.Project) error {
	if len(p.TextFormat) == 0 {
		return nil
	}
	formats := map[string]protocol.TextFormat{}
	maps.Copy(formats, found.TextFormats)
	for part, format := range p.TextFormat {
		if delete(formats, part); format != "protocol" {
			formats[part] = protocol.TextFormat(format)
		}
	}
	return db.SetTextFormats(ctx, actor(ctx).ID, found, formats)
}

func formatTextFormats(p project.Project) string {
	var list []string
	for _, part := range p.Protocol.Unit.Parts {
		list = append(list, part.Key+"="+string(cmp.Or(part.Format, protocol.FormatText)))
	}
	return strings.Join(list, ", ")
}

// describeDataset changes what exports say about the dataset.
func (p projectSettings) describeDataset(ctx runContext, db *postgres.DB, found project.Project) error {
	if p.DatasetLicense == nil && p.DatasetDescription == nil && p.DatasetLanguages == nil {
		return nil
	}
	d, err := db.DatasetDescription(ctx, found.ID)
	if err != nil {
		return err
	}
	setIfGiven(&d.License, p.DatasetLicense)
	setIfGiven(&d.Description, p.DatasetDescription)
	if p.DatasetLanguages != nil {
		d.Languages = strings.FieldsFunc(*p.DatasetLanguages, func(c rune) bool { return c == ',' || c == ' ' })
	}
	return db.DescribeDataset(ctx, actor(ctx).ID, found, d)
}

// A settingsEntry has the settings of a project in the JSON output.
type settingsEntry struct {
	Project             string                         `json:"project"`
	Title               string                         `json:"title"`
	Instructions        string                         `json:"instructions"`
	InstructionsVersion int                            `json:"instructions_version"`
	TextFormats         map[string]protocol.TextFormat `json:"text_formats"`
	TieRule             stats.TieRule                  `json:"tie_rule"`
	project.SessionSettings
	Dataset datasetEntry `json:"dataset"`
}

type datasetEntry struct {
	License     string   `json:"license"`
	Description string   `json:"description"`
	Languages   []string `json:"languages"`
}

func printSettingsJSON(ctx runContext, s streams, db *postgres.DB, p project.Project,
	settings project.SessionSettings) error {
	d, err := db.DatasetDescription(ctx, p.ID)
	if err != nil {
		return err
	}
	formats := map[string]protocol.TextFormat{}
	for _, part := range p.Protocol.Unit.Parts {
		formats[part.Key] = cmp.Or(part.Format, protocol.FormatText)
	}
	return printJSON(s.out, settingsEntry{p.Key, p.Title, p.Instructions, p.InstructionsVersion, formats, p.TieRule,
		settings, datasetEntry{d.License, d.Description, emptyList(d.Languages)}})
}

func printSettings(s streams, p project.Project, settings project.SessionSettings) error {
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, row := range [][2]any{
		{"title", p.Title}, {"instructions", formatInstructions(p)}, {"formats", formatTextFormats(p)},
		{"tie rule", p.TieRule},
		{"miss policy", settings.MissPolicy}, {"skip policy", settings.SkipPolicy},
		{"share calibration", settings.ShareCalibrationScores}, {"allow undo", settings.AllowsUndo},
		{"break after minutes", formatLimit(settings.BreakAfterMinutes)}, {"daily item limit",
			formatLimit(settings.DailyItemLimit)},
		{"session limit minutes", formatLimit(settings.SessionLimitMinutes)}, {"release after minutes",
			formatLimit(settings.ReleaseAfterMinutes)},
		{"support URL", cmp.Or(settings.SupportURL, "none")},
		{"content warning", cmp.Or(settings.ContentWarning, "none")},
	} {
		fmt.Fprintf(table, "%s\t%v\n", row[0], row[1])
	}
	return table.Flush()
}

func formatInstructions(p project.Project) string {
	if p.Instructions == "" {
		return "none"
	}
	return fmt.Sprintf("version %d, %s characters", p.InstructionsVersion,
		formatCount(utf8.RuneCountInString(p.Instructions)))
}

func formatLimit(n int) string {
	if n == 0 {
		return "none"
	}
	return formatCount(n)
}

// applyTo returns s with the settings given on the command line.
func (p projectSettings) applyTo(s project.SessionSettings) project.SessionSettings {
	setIfGiven(&s.MissPolicy, p.MissPolicy)
	setIfGiven(&s.ShareCalibrationScores, p.ShareCalibration)
	setIfGiven(&s.AllowsUndo, p.AllowUndo)
	setIfGiven(&s.SkipPolicy, p.SkipPolicy)
	setIfGiven(&s.BreakAfterMinutes, p.BreakAfterMinutes)
	setIfGiven(&s.DailyItemLimit, p.DailyItemLimit)
	setIfGiven(&s.SessionLimitMinutes, p.SessionLimitMinutes)
	setIfGiven(&s.ReleaseAfterMinutes, p.ReleaseAfterMinutes)
	setIfGiven(&s.ContentWarning, p.ContentWarning)
	setIfGiven(&s.SupportURL, p.SupportURL)
	return s
}

func setIfGiven[T any](target, value *T) {
	if value != nil {
		*target = *value
	}
}
