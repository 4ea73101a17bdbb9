package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// ProjectVersions are the protocol versions of a project.
type ProjectVersions struct {
	Used []ProjectVersion `json:"used" doc:"Latest first. The first is the current one."`
	Next *NextVersion     `json:"next,omitempty" doc:"The latest published version. Missing: the project has it."`
}

// A ProjectVersion is a protocol version that a project has or had.
type ProjectVersion struct {
	Version     int       `json:"version"`
	Project     string    `json:"project" doc:"Reads the project in this version: its items, report and exports have what was labeled under it."`
	TakenAt     time.Time `json:"taken_at"`
	Labels      int       `json:"labels"`
	OpenBatches int       `json:"open_batches"`
}

// A NextVersion is what the latest version of a protocol changes for a project.
type NextVersion struct {
	Version      int                   `json:"version"`
	Differences  []string              `json:"differences" doc:"Of fields, scales and rules."`
	Texts        []protocol.TextChange `json:"texts"`
	NewFields    []string              `json:"new_fields" doc:"Fields without answers that can be compared: new ones, and those with other points."`
	HasSameItems bool                  `json:"has_same_items" doc:"False: it reads other parts or facts of items, and needs a project of its own."`
	Undecided    int                   `json:"undecided" doc:"Items whose labels differ. They stay as they are unless they are adjudicated first."`
	References   int                   `json:"references" doc:"Items with reference answers. They have none to new fields."`
}

// A VersionChoice is the body that has a project take a version.
type VersionChoice struct {
	Version      int  `json:"version" minimum:"2" maximum:"9999" doc:"The latest published version of the protocol."`
	CloseBatches bool `json:"close_batches,omitempty" doc:"Close the open batches. Otherwise they end under their version."`
}

// The operations on protocol versions of a project.
var (
	ShowVersions = newRead(endpoint{id: "show-versions", path: "/projects/{project}/versions", tag: "Projects",
		scope: account.ScopeRead, summary: "Show the protocol versions of a project, and what the latest one changes"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (ProjectVersions, error) {
			return a.showVersions(ctx, c)
		})

	TakeVersion = newWrite(endpoint{id: "take-version", object: postgres.VersionedProject, method: http.MethodPost,
		path: "/projects/{project}/versions", tag: "Projects", scope: account.ScopeManage,
		summary: "Have a project use the latest version of its protocol",
		text:    "New batches have it. Labels stay with their version."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[VersionChoice]) (ProjectVersions, error) {
			if err := a.DB.TakeVersion(ctx, c.id(), c.project, project.VersionTaking(in.Body)); err != nil {
				return ProjectVersions{}, err
			}
			return a.showVersions(ctx, c)
		})
)

func (a *API) showVersions(ctx context.Context, c caller) (ProjectVersions, error) {
	versions, err := a.DB.ProjectVersions(ctx, c.project)
	if err != nil {
		return ProjectVersions{}, err
	}
	found := ProjectVersions{}
	for _, u := range versions.Used {
		found.Used = append(found.Used, ProjectVersion{Version: u.Version,
			Project: c.project.KeyInVersion(u.Version, versions.Used[0].Version), TakenAt: u.TakenAt, Labels: u.Labels,
			OpenBatches: u.OpenBatches})
	}
	if n := versions.Next; n != nil {
		found.Next = &NextVersion{Version: n.Version, Differences: notNil(n.Differences),
			Texts: notNil(n.Texts), NewFields: notNil(n.NewFields), HasSameItems: n.HasSameItems,
			Undecided: n.Undecided, References: n.References}
	}
	return found, nil
}
