package web

import (
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/manual"
	"github.com/labelwright/labelwright/web/page"
)

// showManual shows the contents of the manual, or the sections with the words of a search.
func (s *Server) showManual(w http.ResponseWriter, r *http.Request) error {
	query := r.FormValue("q")
	return render(w, r, http.StatusOK, page.Manual(page.ManualData{User: currentUser(r), Query: query,
		Chapters: manual.Find(manual.Chapters(locale.From(r.Context()).Tag()), query)}))
}

func (s *Server) showChapter(w http.ResponseWriter, r *http.Request) error {
	chapters := manual.Chapters(locale.From(r.Context()).Tag())
	i := slices.IndexFunc(chapters, func(c manual.Chapter) bool { return c.Key == chi.URLParam(r, "chapter") })
	if i < 0 {
		return fault.NotFound
	}
	return render(w, r, http.StatusOK, page.Manual(page.ManualData{User: currentUser(r), Chapter: &chapters[i]}))
}

// sendManualFile sends a file that a chapter links to.
func (s *Server) sendManualFile(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Disposition", "attachment")
	http.ServeFileFS(w, r, manual.Files(), chi.URLParam(r, "file")) //nolint:gosec // embedded files only
	return nil
}
