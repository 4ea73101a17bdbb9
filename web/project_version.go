package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showVersions shows the protocol versions of a project, and what the latest one changes.
func (s *Server) showVersions(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.ProjectVersionsData{}
	if queryParam(r, "after") == "taken" {
		d.Notice = currentLocale(r).T("The project has version %d of its protocol now. New batches use it.", p.CurrentVersion)
	}
	return s.renderVersions(w, r, http.StatusOK, p, d)
}

func (s *Server) renderVersions(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	d page.ProjectVersionsData) (err error) {
	d.User, d.Project = currentUser(r), p
	if d.Versions, err = s.db.ProjectVersions(r.Context(), p); err != nil {
		return err
	}
	return render(w, r, status, page.ProjectVersions(d))
}

// takeVersion has a project use the version of its protocol that the lead was shown.
func (s *Server) takeVersion(w http.ResponseWriter, r *http.Request, p project.Project) error {
	version, err := readWholeNumber(r.PostForm, "version", locale.Text("Version"))
	if err != nil {
		return err
	}
	err = s.db.TakeVersion(r.Context(), currentAccount(r).ID, p, project.VersionTaking{Version: version,
		CloseBatches: r.PostFormValue("open_batches") == "close"})
	if status := formErrorStatus(err); status != 0 {
		return s.renderVersions(w, r, status, p,
			page.ProjectVersionsData{Errors: toFormErrors(currentLocale(r), err, "")})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.CurrentKey(), "versions")+"?after=taken")
}
