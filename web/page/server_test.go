package page_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/static"
)

const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// A stub is a server that responds like the application, stores nothing and records
// the posted forms.
type stub struct {
	*httptest.Server
	sync.Mutex
	data         page.LabelData
	refuseStatus int // the status of responses to posts; 0: the usual one
	drafts       []url.Values
	submits      []url.Values
	otherPosts   []string // paths of other posts
}

// startStub starts a stub with data on the labeling screen, and other pages by path.
func startStub(t *testing.T, data page.LabelData, pages map[string]templ.Component) *stub {
	t.Helper()
	s := &stub{data: data}
	mux := http.NewServeMux()
	mux.Handle("/static/", static.Handler())
	mux.HandleFunc("GET /work/{token}", func(w http.ResponseWriter, r *http.Request) {
		s.writeLabelPage(w, r,
			http.StatusOK, s.currentData())
	})
	mux.HandleFunc("POST /work/{token}", s.handleSubmit)
	mux.HandleFunc("POST /work/{token}/draft", s.handleDraft)
	mux.HandleFunc("POST /work/{token}/{step}", s.handleStep)
	mux.HandleFunc("GET /next", func(w http.ResponseWriter, _ *http.Request) {
		writePage(w, http.StatusOK, page.ErrorPage(page.ErrorPageData{Title: "Next", Message: "The next item."}))
	})
	for path, c := range pages {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { writePage(w, http.StatusOK, c) })
	}
	s.Server = httptest.NewServer(http.NewCrossOriginProtection().Handler(mux))
	t.Cleanup(s.Close)
	return s
}

func writePage(w http.ResponseWriter, status int, c templ.Component) {
	w.Header().Set("Content-Security-Policy", contentSecurityPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = c.Render(account.WithSettings(context.Background(), stubSettings), w)
}

// stubSettings are those of the user: an answer stays at its question.
var stubSettings = account.Settings{Theme: account.AutoTheme, TextSize: account.NormalText}

// withSettings returns a page as a user with settings sees it.
func withSettings(c templ.Component, settings account.Settings) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return c.Render(account.WithSettings(ctx, settings), w)
	})
}

func (s *stub) currentData() page.LabelData {
	s.Lock()
	defer s.Unlock()
	return s.data
}

func (s *stub) writeLabelPage(w http.ResponseWriter, _ *http.Request, status int, d page.LabelData) {
	writePage(w, status, page.Label(d))
}

// recordPost records a post and reports whether the stub accepts it.
func (s *stub) recordPost(w http.ResponseWriter, r *http.Request, list *[]url.Values) bool {
	_ = r.ParseForm()
	s.Lock()
	defer s.Unlock()
	if s.refuseStatus != 0 {
		w.WriteHeader(s.refuseStatus)
		return false
	}
	*list = append(*list, r.PostForm)
	return true
}

func (s *stub) handleDraft(w http.ResponseWriter, r *http.Request) {
	if s.recordPost(w, r, &s.drafts) {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *stub) handleSubmit(w http.ResponseWriter, r *http.Request) {
	if !s.recordPost(w, r, &s.submits) {
		return
	}
	d := s.currentData()
	d.Answers = parseAnswers(d.Protocol, r.PostForm)
	if d.Problems = d.Protocol.Check(d.Facts, d.Answers); len(d.Problems) > 0 {
		s.writeLabelPage(w, r, http.StatusUnprocessableEntity, d)
		return
	}
	http.Redirect(w, r, "/next", http.StatusSeeOther)
}

func (s *stub) handleStep(w http.ResponseWriter, r *http.Request) {
	var sent []url.Values
	if !s.recordPost(w, r, &sent) {
		return
	}
	s.Lock()
	s.otherPosts = append(s.otherPosts, r.PathValue("step")+"?"+sent[0].Encode())
	s.Unlock()
	http.Redirect(w, r, "/next", http.StatusSeeOther)
}

func (s *stub) setRefuseStatus(status int) {
	s.Lock()
	s.refuseStatus = status
	s.Unlock()
}

// posted returns the submitted forms and the last draft.
func (s *stub) posted() (submits []url.Values, draft url.Values) {
	s.Lock()
	defer s.Unlock()
	if len(s.drafts) > 0 {
		draft = s.drafts[len(s.drafts)-1]
	}
	return s.submits, draft
}

func parseAnswers(p protocol.Protocol, form url.Values) protocol.Answers {
	a := protocol.Answers{Values: map[string]int{}, Observations: form["observation"], Unsure: form["unsure"],
		Note: form.Get("note")}
	for _, f := range p.Fields {
		for _, v := range f.Scale.Values() {
			if form.Get(f.Key) == string(rune('0'+v)) {
				a.Values[f.Key] = v
			}
		}
	}
	return a
}
