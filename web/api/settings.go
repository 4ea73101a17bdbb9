package api

import (
	"context"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// SessionSettings are the settings of a project for the sessions of its annotators.
type SessionSettings struct {
	MissPolicy             string `json:"miss_policy" enum:"continue,retake,wait" doc:"After a calibration far from the reference: continue, retake it, or wait for a lead."`
	ShareCalibrationScores bool   `json:"share_calibration_scores" doc:"Annotators who all finished calibration see each other's scores, under pseudonyms."`
	AllowsUndo             bool   `json:"allows_undo" doc:"Annotators can take back their last submit until the next one."`
	SkipPolicy             string `json:"skip_policy" enum:"reassign,return_later,drop" doc:"What happens to a skipped item."`
	BreakAfterMinutes      int    `json:"break_after_minutes" minimum:"0" maximum:"480" doc:"Minutes of work after which a break is due; 0 for never."`
	DailyItemLimit         int    `json:"daily_item_limit" minimum:"0" maximum:"10000" doc:"Items per annotator and day; 0 for no limit."`
	SessionLimitMinutes    int    `json:"session_limit_minutes" minimum:"0" maximum:"720" doc:"0 for no limit."`
	ReleaseAfterMinutes    int    `json:"release_after_minutes" minimum:"0" maximum:"86400" doc:"Minutes after which an abandoned item is released; 0 for never."`
	ContentWarning         string `json:"content_warning" maxLength:"2000" doc:"When it changes, all annotators read it again."`
	SupportURL             string `json:"support_url" maxLength:"500" doc:"Page where annotators find support."`
}

// Settings are the session settings with the version of their project.
type Settings struct {
	SessionSettings
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
		func(ctx context.Context, a *API, c caller, in *ProjectBody[SessionSettings]) (Settings, error) {
			p, err := a.changedProject(ctx, c, a.DB.UpdateSessionSettings(ctx, c.id(), c.project,
				project.SessionSettings(in.Body)))
			if err != nil {
				return Settings{}, err
			}
			return a.showSettings(ctx, p)
		})
)

func (a *API) showSettings(ctx context.Context, p project.Project) (Settings, error) {
	s, err := a.DB.SessionSettings(ctx, p.ID)
	return Settings{SessionSettings(s), p.Version}, err
}
