package page_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/static"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// A stub answers as the application does, keeps nothing, and remembers what it
// was sent.
type stub struct {
	*httptest.Server
	sync.Mutex
	data    page.LabelData
	refuse  int // the status that posts are answered with; 0: as usual
	drafts  []url.Values
	submits []url.Values
	others  []string // paths of other posts
}

// serve starts a stub that shows data, and any other page under its path.
func serve(t *testing.T, data page.LabelData, pages map[string]templ.Component) *stub {
	t.Helper()
	s := &stub{data: data}
	mux := http.NewServeMux()
	mux.Handle("/static/", static.Handler())
	mux.HandleFunc("GET /work/{token}", func(w http.ResponseWriter, r *http.Request) { s.show(w, r, http.StatusOK, s.now()) })
	mux.HandleFunc("POST /work/{token}", s.submit)
	mux.HandleFunc("POST /work/{token}/draft", s.draft)
	mux.HandleFunc("POST /work/{token}/{step}", s.other)
	mux.HandleFunc("GET /next", func(w http.ResponseWriter, _ *http.Request) {
		render(w, http.StatusOK, page.Failed(page.FailedData{Title: "Next", Says: "The next item."}))
	})
	for path, c := range pages {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { render(w, http.StatusOK, c) })
	}
	s.Server = httptest.NewServer(http.NewCrossOriginProtection().Handler(mux))
	t.Cleanup(s.Close)
	return s
}

func render(w http.ResponseWriter, status int, c templ.Component) {
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = c.Render(context.Background(), w)
}

func (s *stub) now() page.LabelData {
	s.Lock()
	defer s.Unlock()
	return s.data
}

func (s *stub) show(w http.ResponseWriter, _ *http.Request, status int, d page.LabelData) {
	render(w, status, page.Label(d))
}

// take remembers a post, and reports whether it is to be answered as usual.
func (s *stub) take(w http.ResponseWriter, r *http.Request, list *[]url.Values) bool {
	_ = r.ParseForm()
	s.Lock()
	defer s.Unlock()
	if s.refuse != 0 {
		w.WriteHeader(s.refuse)
		return false
	}
	*list = append(*list, r.PostForm)
	return true
}

func (s *stub) draft(w http.ResponseWriter, r *http.Request) {
	if s.take(w, r, &s.drafts) {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *stub) submit(w http.ResponseWriter, r *http.Request) {
	if !s.take(w, r, &s.submits) {
		return
	}
	d := s.now()
	d.Answers = answersOf(d.Protocol, r.PostForm)
	if d.Problems = d.Protocol.Check(d.Facts, d.Answers); len(d.Problems) > 0 {
		s.show(w, r, http.StatusUnprocessableEntity, d)
		return
	}
	http.Redirect(w, r, "/next", http.StatusSeeOther)
}

func (s *stub) other(w http.ResponseWriter, r *http.Request) {
	var sent []url.Values
	if !s.take(w, r, &sent) {
		return
	}
	s.Lock()
	s.others = append(s.others, r.PathValue("step")+"?"+sent[0].Encode())
	s.Unlock()
	http.Redirect(w, r, "/next", http.StatusSeeOther)
}

func (s *stub) refuseWith(status int) {
	s.Lock()
	s.refuse = status
	s.Unlock()
}

// sent returns what was submitted, and the last draft.
func (s *stub) sent() (submits []url.Values, draft url.Values) {
	s.Lock()
	defer s.Unlock()
	if len(s.drafts) > 0 {
		draft = s.drafts[len(s.drafts)-1]
	}
	return s.submits, draft
}

func answersOf(p protocol.Protocol, form url.Values) protocol.Answers {
	a := protocol.Answers{Values: map[string]int{}, Observations: form["observation"], Unsure: form["unsure"], Note: form.Get("note")}
	for _, f := range p.Fields {
		for _, v := range f.Scale.Values() {
			if form.Get(f.Key) == string(rune('0'+v)) {
				a.Values[f.Key] = v
			}
		}
	}
	return a
}
