package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showProjects(w http.ResponseWriter, r *http.Request) error {
	d := page.ProjectsData{User: currentUser(r), Archived: queryParam(r, "archived") != ""}
	list := s.db.Projects
	if d.Archived {
		list = s.db.ArchivedProjects
	}
	var err error
	if d.Projects, err = list(r.Context(), *currentAccount(r)); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Projects(d))
}

// showNewProject asks for a protocol, then for the other settings.
func (s *Server) showNewProject(w http.ResponseWriter, r *http.Request) error {
	spec := project.Spec{Protocol: queryParam(r, "protocol"), CopyFrom: queryParam(r, "copy_from")}
	if spec.CopyFrom == "" {
		return s.renderNewProject(w, r, http.StatusOK, spec, nil)
	}
	source, err := s.db.Project(r.Context(), *currentAccount(r), spec.CopyFrom)
	if err != nil {
		return err
	}
	return s.renderNewProject(w, r, http.StatusOK, spec.WithSettingsOf(source), nil)
}

func (s *Server) renderNewProject(w http.ResponseWriter, r *http.Request, status int, spec project.Spec,
	formErrors page.FormErrors) error {
	d := page.NewProjectData{User: currentUser(r), Spec: spec, Errors: formErrors}
	if spec.Protocol != "" {
		chosen, err := s.db.ProtocolByName(r.Context(), spec.Protocol)
		switch code := formErrorStatus(err); {
		case code != 0:
			status, d.Errors = code, toFormErrors(currentLocale(r), err, "")
		case err != nil:
			return err
		}
		d.Chosen = chosen.Protocol
	}
	if d.Chosen.Key == "" {
		published, err := s.db.Protocols(r.Context())
		if err != nil {
			return err
		}
		d.Protocols = latestVersions(published)
	} else if status == http.StatusOK {
		d.Spec = d.Spec.WithDefaults(d.Chosen)
	}
	return render(w, r, status, page.NewProject(d))
}

// latestVersions returns the newest version of each protocol.
func latestVersions(published []postgres.PublishedProtocol) (newest []protocol.Protocol) {
	for _, p := range published {
		isSameKey := func(q protocol.Protocol) bool { return q.Key == p.Key }
		if !slices.ContainsFunc(newest, isSameKey) {
			newest = append(newest, p.Protocol)
		}
	}
	return newest
}

func (s *Server) createProject(w http.ResponseWriter, r *http.Request) error {
	spec, err := s.specFromForm(r)
	if err != nil {
		return err
	}
	p, err := s.db.CreateProject(r.Context(), *currentAccount(r), spec)
	if status := formErrorStatus(err); status != 0 {
		spec.Key = r.PostFormValue("key")
		return s.renderNewProject(w, r, status, spec, toFormErrors(currentLocale(r), err, "key"))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "import")+"?after=created")
}

func (s *Server) showProject(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.ProjectHomeData{User: currentUser(r), Project: p, Now: time.Now()}
	actor := *currentAccount(r)
	var err error
	if d.Batches, err = s.db.Batches(r.Context(), actor.ID, p.ID); err != nil {
		return err
	}
	if err := s.addBoards(r, &d); err != nil {
		return err
	}
	waiting, err := s.db.Inbox(r.Context(), actor.ID, actor)
	if err != nil {
		return err
	}
	for _, e := range waiting {
		if e.ProjectKey == p.CurrentKey() {
			d.Waiting = append(d.Waiting, e)
		}
	}
	if d.Members, err = s.listMembers(r.Context(), p.ID); err != nil {
		return err
	}
	if d.UnassignedCount, _, err = s.db.CountAvailable(r.Context(), p.ID); err != nil {
		return err
	}
	if queryParam(r, "after") == "import" {
		if d.Notice, err = s.importedNotice(r, p); err != nil {
			return err
		}
	}
	return render(w, r, http.StatusOK, page.ProjectHome(d))
}

// addBoards adds the boards of the open batches, and the agreement of the newest of them that has any, or of the newest
// batch.
func (s *Server) addBoards(r *http.Request, d *page.ProjectHomeData) (err error) {
	actorID := currentAccount(r).ID
	for i, b := range d.Batches {
		board := page.BoardData{Project: d.Project, Batch: b, Now: d.Now}
		if b.ClosedAt == nil {
			annotators, err := s.db.Board(r.Context(), actorID, d.Project.Protocol, b)
			if err != nil {
				return err
			}
			for _, a := range annotators {
				board.Annotators = append(board.Annotators, page.AnnotatorRow(a))
			}
			d.Boards = append(d.Boards, board)
		}
		if (i == 0 || b.ClosedAt == nil) && len(d.Agreement.State.Agreement) == 0 {
			if board.State, err = s.db.BatchState(r.Context(), actorID, b.ID); err != nil {
				return err
			}
			d.Agreement = board
		}
	}
	return nil
}

func (s *Server) showBatches(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.BatchListData{User: currentUser(r), Project: p, Now: time.Now()}
	var err error
	if d.Batches, err = s.db.Batches(r.Context(), currentAccount(r).ID, p.ID); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.BatchList(d))
}
