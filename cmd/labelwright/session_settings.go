package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/api"
)

type projectSettings struct {
	Project             string            `required:"" help:"Key of the project."`
	Title               *string           `help:"Title. The key stays."`
	Instructions        *string           `placeholder:"FILE" help:"File with the instructions for annotators, in Markdown; - is standard input. When they change, all annotators read them again."`
	TextFormat          map[string]string `placeholder:"PART=FORMAT" help:"How the texts of a part are shown: text, markdown, code, or protocol for what the protocol says. Repeatable."`
	TieRule             *string           `enum:"unresolved,lower,higher" placeholder:"RULE" help:"Consensus of a tie between neighboring points: lower, higher, or unresolved for adjudication."`
	CitationPattern     *string           `placeholder:"PATTERN" help:"How answers cite chunks: {n} stands for the number of a chunk, {source} for its source, such as [{n}]. Empty: citations are not linked."`
	MissPolicy          *string           `enum:"continue,retake,wait" placeholder:"POLICY" help:"After a calibration far from the reference: continue, retake it, or wait for a lead."`
	ShareCalibration    *string           `name:"share-calibration-scores" enum:"true,false" placeholder:"BOOL" help:"Annotators who all finished calibration see each other's calibration scores, under pseudonyms: true or false."`
	AllowUndo           *string           `enum:"true,false" placeholder:"BOOL" help:"Annotators can take back their last submit until the next one: true or false."`
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

// An allSettings has the answers of the operations on the settings of a project.
type allSettings struct {
	Project     api.Project        `json:"project"`
	Settings    api.Settings       `json:"settings"`
	TextFormats api.ProjectFormats `json:"text_formats"`
	Description api.Description    `json:"description"`
}

// Run changes the settings that are given, and prints all.
func (p projectSettings) Run(c *cli, s streams, ctx runContext) error {
	change, err := p.projectChange(s)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		path := projectPath(p.Project)
		if change != (api.ProjectChange{}) {
			_, err := api.ChangeProject.Call(ctx, client, api.ProjectBody[api.ProjectChange]{ProjectPath: path,
				Body: change})
			if err != nil {
				return err
			}
		}
		all, err := readSettings(ctx, client, path)
		if err != nil {
			return err
		}
		if all, err = p.replace(ctx, client, path, all); err != nil || p.Format == "json" {
			return printUnless(err, s, all)
		}
		return all.print(s)
	})
}

func readSettings(ctx context.Context, client *api.Client, path api.ProjectPath) (all allSettings, err error) {
	if all.Project, err = api.ShowProject.Call(ctx, client, path); err != nil {
		return all, err
	}
	if all.Settings, err = api.ShowSettings.Call(ctx, client, path); err != nil {
		return all, err
	}
	if all.TextFormats, err = api.ShowTextFormats.Call(ctx, client, path); err != nil {
		return all, err
	}
	all.Description, err = api.ShowDescription.Call(ctx, client, path)
	return all, err
}

// projectChange returns what is not replaced as a whole.
func (p projectSettings) projectChange(s streams) (change api.ProjectChange, err error) {
	change = api.ProjectChange{Title: p.Title, TieRule: (*stats.TieRule)(p.TieRule),
		CitationPattern: (*project.CitationPattern)(p.CitationPattern)}
	if p.Instructions != nil {
		text, err := readInstructions(s, *p.Instructions)
		if err != nil {
			return change, err
		}
		change.Instructions = &text
	}
	return change, nil
}

// replace replaces what the flags change.
func (p projectSettings) replace(ctx context.Context, client *api.Client, path api.ProjectPath, all allSettings) (
	allSettings, error) {
	var err error
	if changed := p.applyTo(all.Settings.SessionSettings); changed != all.Settings.SessionSettings {
		all.Settings, err = api.ReplaceSettings.Call(ctx, client, api.ProjectBody[project.SessionSettings]{
			ProjectPath: path, Body: changed})
		if err != nil {
			return all, err
		}
	}
	if len(p.TextFormat) > 0 {
		formats := maps.Clone(all.TextFormats.Formats)
		for part, format := range p.TextFormat {
			if delete(formats, part); format != "protocol" {
				formats[part] = protocol.TextFormat(format)
			}
		}
		all.TextFormats, err = api.ReplaceTextFormats.Call(ctx, client, api.ProjectBody[api.TextFormats]{
			ProjectPath: path, Body: api.TextFormats{Formats: formats}})
		if err != nil {
			return all, err
		}
	}
	if p.DatasetLicense == nil && p.DatasetDescription == nil && p.DatasetLanguages == nil {
		return all, nil
	}
	d := all.Description.DatasetDescription
	setIfGiven(&d.License, p.DatasetLicense)
	setIfGiven(&d.Description, p.DatasetDescription)
	if p.DatasetLanguages != nil {
		d.Languages = strings.FieldsFunc(*p.DatasetLanguages, func(c rune) bool { return c == ',' || c == ' ' })
	}
	all.Description, err = api.ReplaceDescription.Call(ctx, client, api.ProjectBody[api.DatasetDescription]{
		ProjectPath: path, Body: d})
	return all, err
}

func (a allSettings) print(s streams) error {
	var formats []string
	for _, part := range a.TextFormats.Parts {
		formats = append(formats, part.Part+"="+string(part.Format))
	}
	settings := a.Settings
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, row := range [][2]any{
		{"title", a.Project.Title}, {"instructions", formatInstructions(a.Project)},
		{"formats", strings.Join(formats, ", ")}, {"tie rule", a.Project.TieRule},
		{"citation format", cmp.Or(a.Project.CitationPattern, "none")},
		{"miss policy", settings.MissPolicy}, {"skip policy", settings.SkipPolicy},
		{"share calibration", settings.ShareCalibrationScores}, {"allow undo", settings.AllowsUndo},
		{"break after minutes", formatLimit(settings.BreakAfterMinutes)},
		{"daily item limit", formatLimit(settings.DailyItemLimit)},
		{"session limit minutes", formatLimit(settings.SessionLimitMinutes)},
		{"release after minutes", formatLimit(settings.ReleaseAfterMinutes)},
		{"support URL", cmp.Or(settings.SupportURL, "none")},
		{"content warning", cmp.Or(settings.ContentWarning, "none")},
	} {
		fmt.Fprintf(table, "%s\t%v\n", row[0], row[1])
	}
	return table.Flush()
}

func formatInstructions(p api.Project) string {
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
	setIfGiven(&s.SkipPolicy, p.SkipPolicy)
	setIfGiven(&s.BreakAfterMinutes, p.BreakAfterMinutes)
	setIfGiven(&s.DailyItemLimit, p.DailyItemLimit)
	setIfGiven(&s.SessionLimitMinutes, p.SessionLimitMinutes)
	setIfGiven(&s.ReleaseAfterMinutes, p.ReleaseAfterMinutes)
	setIfGiven(&s.ContentWarning, p.ContentWarning)
	setIfGiven(&s.SupportURL, p.SupportURL)
	if p.ShareCalibration != nil {
		s.ShareCalibrationScores = *p.ShareCalibration == "true"
	}
	if p.AllowUndo != nil {
		s.AllowsUndo = *p.AllowUndo == "true"
	}
	return s
}

func setIfGiven[T any](target, value *T) {
	if value != nil {
		*target = *value
	}
}
