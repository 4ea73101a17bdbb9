package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A DatasetDescription is what the card of an exported dataset says about it.
type DatasetDescription struct {
	License     string   `json:"license" maxLength:"63" doc:"Id of a license. Empty: none was chosen." example:"cc-by-4.0"`
	Description string   `json:"description" maxLength:"5000"`
	Languages   []string `json:"languages" maxItems:"50" doc:"Codes of the languages of the texts." example:"[\"en\"]"`
}

// A Description is the description of a dataset with the version of its project.
type Description struct {
	DatasetDescription
	version int
}

func (d Description) objectVersion() int { return d.version }

// TextFormats are how the texts of parts are shown.
type TextFormats struct {
	Formats map[string]protocol.TextFormat `json:"formats" doc:"text, markdown or code, by part. A part that is missing has the format of the protocol."`
}

// ProjectFormats are the text formats with the version of their project.
type ProjectFormats struct {
	TextFormats
	Parts   []PartFormat `json:"parts" doc:"The format in which each part is shown."`
	version int
}

// A PartFormat is how the texts of a part are shown.
type PartFormat struct {
	Part   string              `json:"part" doc:"Key of the part."`
	Format protocol.TextFormat `json:"format" enum:"text,markdown,code"`
}

func (f ProjectFormats) objectVersion() int { return f.version }

// The operations on the description of datasets.
var (
	ShowDescription = newRead(endpoint{id: "show-description", path: "/projects/{project}/description", tag: "Projects",
		scope:   account.ScopeRead,
		summary: "Show the description of a project's datasets"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (Description, error) {
			return a.showDescription(ctx, c.project)
		})

	ReplaceDescription = newWrite(endpoint{id: "replace-description", object: postgres.VersionedProject,
		method: http.MethodPut,
		path:   "/projects/{project}/description", tag: "Projects", scope: account.ScopeManage,
		summary: "Replace the description of a project's datasets",
		text:    "The card of each export has it."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[DatasetDescription]) (Description, error) {
			p, err := a.changedProject(ctx, c, a.DB.DescribeDataset(ctx, c.id(), c.project,
				postgres.DatasetDescription(in.Body)))
			if err != nil {
				return Description{}, err
			}
			return a.showDescription(ctx, p)
		})

	ShowTextFormats = newRead(endpoint{id: "show-text-formats", path: "/projects/{project}/text-formats",
		tag: "Projects", scope: account.ScopeRead,
		summary: "Show how the texts of items are shown"},
		func(_ context.Context, _ *API, c caller, _ *ProjectPath) (ProjectFormats, error) {
			return newProjectFormats(c.project), nil
		})

	ReplaceTextFormats = newWrite(endpoint{id: "replace-text-formats", object: postgres.VersionedProject,
		method: http.MethodPut,
		path:   "/projects/{project}/text-formats", tag: "Projects", scope: account.ScopeManage,
		summary: "Replace how the texts of items are shown"},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[TextFormats]) (ProjectFormats, error) {
			p, err := a.changedProject(ctx, c, a.DB.SetTextFormats(ctx, c.id(), c.project, in.Body.Formats))
			return newProjectFormats(p), err
		})
)

func (a *API) showDescription(ctx context.Context, p project.Project) (Description, error) {
	d, err := a.DB.DatasetDescription(ctx, p.ID)
	d.Languages = notNil(d.Languages)
	return Description{DatasetDescription(d), p.Version}, err
}

func newProjectFormats(p project.Project) ProjectFormats {
	formats := p.TextFormats
	if formats == nil {
		formats = map[string]protocol.TextFormat{}
	}
	return ProjectFormats{TextFormats{formats}, mapped(p.Protocol.Unit.Parts, func(part protocol.Part) PartFormat {
		return PartFormat{part.Key, cmp.Or(part.Format, protocol.FormatText)}
	}), p.Version}
}
