package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Project is a project that the account leads.
type Project struct {
	Key                 string                  `json:"key"`
	Title               string                  `json:"title"`
	Protocol            string                  `json:"protocol" doc:"KEY@VERSION of its protocol." example:"empathy@1"`
	Instructions        string                  `json:"instructions" doc:"Markdown, for annotators."`
	InstructionsVersion int                     `json:"instructions_version" doc:"Increases with each change. Annotators acknowledge a version."`
	NeedsInstructions   bool                    `json:"needs_instructions" doc:"The protocol needs instructions before a batch is opened."`
	ContentWarning      string                  `json:"content_warning"`
	SupportURL          string                  `json:"support_url"`
	TieRule             stats.TieRule           `json:"tie_rule" enum:"unresolved,lower,higher" doc:"Consensus of a tie between neighboring points; other ties are unresolved."`
	CitationPattern     project.CitationPattern `json:"citation_pattern" doc:"How answers cite chunks: {n} stands for the number of a chunk, {source} for its source. Empty: citations are not linked." example:"[{n}]"`
	Items               int                     `json:"items"`
	Batches             int                     `json:"batches"`
	ArchivedAt          *time.Time              `json:"archived_at"`
	version             int
}

func (p Project) objectVersion() int { return p.version }

func newProject(p project.Project) Project {
	return Project{Key: p.Key, Title: p.Title, Protocol: fmt.Sprintf("%s@%d", p.Protocol.Key, p.Protocol.Version),
		Instructions: p.Instructions, InstructionsVersion: p.InstructionsVersion,
		NeedsInstructions: p.NeedsInstructions(), ContentWarning: p.ContentWarning, SupportURL: p.SupportURL,
		TieRule: p.TieRule, CitationPattern: p.CitationPattern,
		Items: p.Items, Batches: p.Batches, ArchivedAt: p.ArchivedAt, version: p.Version}
}

// A ProjectList lists projects.
type ProjectList struct {
	Projects []Project `json:"projects"`
}

// A NewProject is the body that creates a project.
type NewProject struct {
	Key            string `json:"key,omitempty" maxLength:"63" pattern:"^([a-z0-9][a-z0-9-]*)?$" doc:"Default: made from the title." example:"support-tone"`
	Title          string `json:"title" minLength:"1" maxLength:"200"`
	Protocol       string `json:"protocol,omitempty" maxLength:"100" doc:"KEY or KEY@VERSION. Required without copy_from."`
	Instructions   string `json:"instructions,omitempty" doc:"Markdown, for annotators."`
	ContentWarning string `json:"content_warning,omitempty" maxLength:"2000" doc:"Default: that of the protocol."`
	SupportURL     string `json:"support_url,omitempty" maxLength:"500"`
	CopyFrom       string `json:"copy_from,omitempty" maxLength:"63" doc:"Key of a project whose settings it gets."`
	Lead           string `json:"lead,omitempty" maxLength:"254" doc:"Email address of the user who leads it. Only an admin can name another. Default: the account."`
}

// A ProjectChange is the body that changes a project.
type ProjectChange struct {
	Title           *string                  `json:"title,omitempty" maxLength:"200"`
	Instructions    *string                  `json:"instructions,omitempty" doc:"Markdown, for annotators, who read it again before they continue."`
	TieRule         *stats.TieRule           `json:"tie_rule,omitempty" enum:"unresolved,lower,higher"`
	CitationPattern *project.CitationPattern `json:"citation_pattern,omitempty" maxLength:"40"`
}

// A Reason is the body of a change that needs one.
type Reason struct {
	Reason string `json:"reason" minLength:"1" maxLength:"1000" doc:"Recorded in the audit log."`
}

// A ProjectErasure is the body that erases a project.
type ProjectErasure struct {
	Key string `json:"key" maxLength:"63" doc:"The key of the project, to confirm."`
	Reason
}

// An ErasedProject is what is left of a project after its erasure.
type ErasedProject struct {
	Items         int  `json:"items" doc:"Items without texts."`
	AlreadyErased bool `json:"already_erased" doc:"It had nothing to erase."`
}

// ListProjectsInput is the input of ListProjects.
type ListProjectsInput struct {
	Archived bool `query:"archived" doc:"List the archived projects instead."`
}

// The operations on projects.
var (
	ListProjects = newRead(endpoint{id: "list-projects", path: "/projects", tag: "Projects", scope: account.ScopeRead,
		summary: "List the projects, newest first"}, listProjects)

	CreateProject = newWrite(endpoint{id: "create-project", method: http.MethodPost, path: "/projects", tag: "Projects",
		scope: account.ScopeManage, status: http.StatusCreated,
		summary: "Create a project", text: "The account becomes its lead. A token that is limited to projects cannot create one."},
		createProject)

	ShowProject = newRead(endpoint{id: "show-project", path: "/projects/{project}", tag: "Projects",
		scope:   account.ScopeRead,
		summary: "Show a project"},
		func(_ context.Context, _ *API, c caller, _ *ProjectPath) (Project, error) {
			return newProject(c.project), nil
		})

	ChangeProject = newWrite(endpoint{id: "change-project", object: postgres.VersionedProject, method: http.MethodPatch,
		path: "/projects/{project}", tag: "Projects", scope: account.ScopeManage,
		summary: "Change the title, the instructions, the tie rule or the citation format"},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ProjectChange]) (Project, error) {
			return a.reloadProject(ctx, c, a.DB.ChangeProject(ctx, c.id(), c.project, project.Change(in.Body)))
		})

	ArchiveProject = newWrite(endpoint{id: "archive-project", object: postgres.VersionedProject,
		method: http.MethodPost,
		path:   "/projects/{project}/archive", tag: "Projects", scope: account.ScopeManage,
		summary: "Archive a project",
		text:    "Nothing in it can be changed until it is unarchived."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[Reason]) (Project, error) {
			return a.reloadProject(ctx, c, a.DB.ArchiveProject(ctx, c.id(), c.project, in.Body.Reason))
		})

	UnarchiveProject = newWrite(endpoint{id: "unarchive-project", object: postgres.VersionedProject,
		method: http.MethodPost,
		path:   "/projects/{project}/unarchive", tag: "Projects", scope: account.ScopeManage,
		summary: "Unarchive a project"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (Project, error) {
			return a.reloadProject(ctx, c, a.DB.UnarchiveProject(ctx, c.id(), c.project))
		})

	EraseProject = newWrite(endpoint{id: "erase-project", object: postgres.VersionedProject, method: http.MethodPost,
		path: "/projects/{project}/erasure", tag: "Projects", scope: account.ScopeAdmin,
		summary: "Erase all texts of an archived project",
		text:    "Texts and metadata of items, what was written about them, instructions, announcements, and all stored exports, reports and uploads. Ids and labels stay. It cannot be undone."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ProjectErasure]) (e ErasedProject, err error) {
			var changed bool
			e.Items, changed, err = a.DB.EraseProject(ctx, c.id(), c.project, in.Body.Key, in.Body.Reason.Reason)
			e.AlreadyErased = err == nil && !changed
			return e, err
		})
)

func listProjects(ctx context.Context, a *API, c caller, in *ListProjectsInput) (ProjectList, error) {
	list := a.DB.Projects
	if in.Archived {
		list = a.DB.ArchivedProjects
	}
	projects, err := list(ctx, c.Account)
	projects = slices.DeleteFunc(projects, func(p project.Project) bool { return !c.Reaches(int64(p.ID)) })
	return ProjectList{mapped(projects, newProject)}, err
}

func createProject(ctx context.Context, a *API, c caller, in *BodyInput[NewProject]) (Project, error) {
	n := in.Body
	if err := c.requireAllProjects("create a project"); err != nil {
		return Project{}, err
	}
	spec := project.Spec{Key: n.Key, Title: n.Title, Protocol: n.Protocol, Instructions: n.Instructions,
		ContentWarning: n.ContentWarning, SupportURL: n.SupportURL, CopyFrom: n.CopyFrom}
	var err error
	if n.Lead != "" {
		if !c.Account.Role.IsAdmin() {
			return Project{}, fault.Forbidden.Errorf("Only admins create a project for another lead.")
		}
		lead, err := a.DB.AccountByEmail(ctx, n.Lead)
		if err != nil {
			return Project{}, err
		}
		spec.LeadID = lead.ID
	}
	if spec.Key == "" {
		if spec.Key, err = a.DB.ProposeKey(ctx, n.Title); err != nil {
			return Project{}, err
		}
	}
	p, err := a.DB.CreateProject(ctx, c.Account, spec)
	return newProject(p), err
}

// changedProject returns the project of the request after a change that may have failed.
func (a *API) changedProject(ctx context.Context, c caller, err error) (project.Project, error) {
	if err != nil {
		return project.Project{}, err
	}
	return a.DB.Project(ctx, c.Account, c.project.Key)
}

// reloadProject returns the project of the request after a change.
func (a *API) reloadProject(ctx context.Context, c caller, err error) (Project, error) {
	p, err := a.changedProject(ctx, c, err)
	return newProject(p), err
}
