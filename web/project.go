package web

import (
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) projects(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.db.Projects(r.Context(), *who(r))
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Projects(page.ProjectsData{Visitor: visitor(r), Projects: projects}))
}

// newProject asks for a protocol first, then for the rest.
func (s *Server) newProject(w http.ResponseWriter, r *http.Request) error {
	return s.askProject(w, r, http.StatusOK, project.Draft{Protocol: asked(r, "protocol")}, nil)
}

func (s *Server) askProject(w http.ResponseWriter, r *http.Request, status int, draft project.Draft, wrong page.Wrong) error {
	d := page.NewProjectData{Visitor: visitor(r), Draft: draft, Wrong: wrong}
	if draft.Protocol != "" {
		chosen, err := s.db.ProtocolNamed(r.Context(), draft.Protocol)
		switch code := refusal(err); {
		case code != 0:
			status, d.Wrong = code, wrongOf(err, "")
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
		d.Protocols = latest(published)
	} else if status == http.StatusOK {
		d.Draft = d.Draft.Complete(d.Chosen)
	}
	return show(w, r, status, page.NewProject(d))
}

// latest returns the newest version of each protocol.
func latest(published []postgres.PublishedProtocol) (newest []protocol.Protocol) {
	for _, p := range published {
		known := func(q protocol.Protocol) bool { return q.Key == p.Key }
		if !slices.ContainsFunc(newest, known) {
			newest = append(newest, p.Protocol)
		}
	}
	return newest
}

func (s *Server) createProject(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	draft := project.Draft{Key: fields.Get("key"), Title: fields.Get("title"), Protocol: fields.Get("protocol"),
		Warning: fields.Get("warning"), SupportURL: fields.Get("support_url")}
	p, err := s.db.CreateProject(r.Context(), *who(r), draft)
	if status := refusal(err); status != 0 {
		return s.askProject(w, r, status, draft, wrongOf(err, "key"))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key))
}

func (s *Server) projectHome(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	d := page.ProjectHomeData{Visitor: visitor(r), Project: p}
	if d.Batches, err = s.db.Batches(r.Context(), p.ID); err != nil {
		return err
	}
	if d.Members, err = s.memberLines(r.Context(), p.ID); err != nil {
		return err
	}
	if d.Unassigned, _, err = s.db.Stock(r.Context(), p.ID); err != nil {
		return err
	}
	if asked(r, "after") == "import" {
		d.Notice = "The items are stored."
	}
	return show(w, r, http.StatusOK, page.ProjectHome(d))
}

func (s *Server) exportPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	batches, err := s.db.Batches(r.Context(), p.ID)
	if err != nil {
		return err
	}
	d := page.ExportData{Visitor: visitor(r), Project: p}
	for _, b := range batches {
		d.Labels += b.Submitted
	}
	return show(w, r, http.StatusOK, page.Export(d))
}
