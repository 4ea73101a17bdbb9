package api

import (
	"context"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// Settings are the session settings with the version of their project.
type Settings struct {
	project.SessionSettings
	version int
}

func (s Settings) objectVersion() int { return s.version }

// The operations on settings.
var (
	ShowSettings = newRead(endpoint{id: "show-settings", path: "/projects/{project}/settings", tag: "Projects",
		scope:   account.ScopeRead,
		summary: "Show the session settings of a project"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (Settings, error) {
			return a.showSettings(ctx, c.project)
		})

	ReplaceSettings = newWrite(endpoint{id: "replace-settings", object: postgres.VersionedProject,
		method: http.MethodPut, path: "/projects/{project}/settings",
		tag: "Projects", scope: account.ScopeManage, summary: "Replace the session settings of a project",
		text: "Read the settings, change them, and send all of them with the `ETag` as `If-Match`."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[project.SessionSettings]) (Settings, error) {
			p, err := a.changedProject(ctx, c, a.DB.UpdateSessionSettings(ctx, c.id(), c.project, in.Body))
			if err != nil {
				return Settings{}, err
			}
			return a.showSettings(ctx, p)
		})
)

func (a *API) showSettings(ctx context.Context, p project.Project) (Settings, error) {
	s, err := a.DB.SessionSettings(ctx, p.ID)
	return Settings{s, p.Version}, err
}
