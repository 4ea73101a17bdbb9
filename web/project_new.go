package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// specFromForm returns the new project of a form. Without a key it gets one made from the
// title; each suffix gives another key that must be free.
func (s *Server) specFromForm(r *http.Request, suffixes ...string) (spec project.Spec, err error) {
	fields := r.PostForm
	spec = project.Spec{Key: strings.TrimSpace(fields.Get("key")), Title: fields.Get("title"),
		Protocol: fields.Get("protocol"), CopyFrom: fields.Get("copy_from"),
		Instructions: fields.Get("instructions"), ContentWarning: fields.Get("content_warning"),
		SupportURL: fields.Get("support_url")}
	if spec.Key == "" {
		spec.Key, err = s.db.ProposeKey(r.Context(), spec.Title, suffixes...)
	}
	return spec, err
}

// proposeKey answers with a key for a title, as JSON, while the title is typed.
func (s *Server) proposeKey(w http.ResponseWriter, r *http.Request) error {
	var suffixes []string
	if queryParam(r, "for") == "rag" {
		suffixes = ragKeySuffixes()
	}
	key, err := s.db.ProposeKey(r.Context(), queryParam(r, "title"), suffixes...)
	if err != nil {
		return err
	}
	return writeJSON(w, map[string]string{"key": key})
}

// ragKeySuffixes are what follows the key of each of the RAG projects.
func ragKeySuffixes() (suffixes []string) {
	for _, spec := range project.RAGSpecs(project.Spec{}) {
		suffixes = append(suffixes, strings.TrimPrefix(spec.Key, "-"))
	}
	return suffixes
}

func (s *Server) showNewRAGProjects(w http.ResponseWriter, r *http.Request) error {
	return render(w, r, http.StatusOK, page.NewRAGProjects(page.NewRAGProjectsData{User: currentUser(r)}))
}

// createRAGProjects creates a project for each RAG protocol, and leads to their import.
func (s *Server) createRAGProjects(w http.ResponseWriter, r *http.Request) error {
	spec, err := s.specFromForm(r, ragKeySuffixes()...)
	if err != nil {
		return err
	}
	created, err := s.db.CreateProjects(r.Context(), *currentAccount(r), project.RAGSpecs(spec))
	if status := formErrorStatus(err); status != 0 {
		spec.Key = r.PostFormValue("key")
		return render(w, r, status, page.NewRAGProjects(page.NewRAGProjectsData{User: currentUser(r), Spec: spec,
			Errors: toFormErrors(currentLocale(r), err, "key")}))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(created[0].Key, "import")+"?"+url.Values{"after": {"created"}}.Encode())
}
