package web

import (
	"net/http"

	"github.com/labelwright/labelwright/web/page"
)

// The labeling screen sends screenHeader, with the key of the screen, when it can show the
// next item in place. nextPageHeader answers it with the path of another page.
const (
	screenHeader   = "Labeling-Screen"
	nextPageHeader = "Next-Page"
)

// screenKey returns the key of the labeling screen that sent a request, or "".
func screenKey(r *http.Request) string { return r.Header.Get(screenHeader) }

// showNextItem goes to the item of token. A labeling screen gets the item itself, if it can
// show it in place.
func (s *Server) showNextItem(w http.ResponseWriter, r *http.Request, token string) error {
	if screenKey(r) == "" {
		return redirect(w, r, "/work/"+token)
	}
	screen, err := s.db.LabelingScreen(r.Context(), currentAccount(r).ID, token)
	if err != nil || screen.OnBreak || screen.MustRead {
		return redirect(w, r, "/work/"+token) // its page reports why
	}
	d := s.labelData(r, screen)
	if d.ScreenKey(r.Context()) != screenKey(r) {
		return redirect(w, r, "/work/"+token)
	}
	return render(w, r, http.StatusOK, page.NextItem(d))
}
