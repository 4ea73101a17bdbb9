package itemtext_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/static"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// startAttacked serves a labeling screen whose conversation consists of attacks. Its policy
// blocks nothing, so that only the markup keeps them from running.
func startAttacked(t *testing.T) *httptest.Server {
	t.Helper()
	data := page.LabelData{Token: "attacked", Project: page.Project{Title: "Attacks"}, Protocol: protocol.Builtin()[0]}
	turns := []project.Turn{{Role: "user", Text: "Attack me."}}
	for _, source := range attacks() {
		turns = append(turns, project.Turn{Role: "assistant", Text: source})
	}
	data.Content = project.Content{data.Protocol.Unit.Parts[0].Key: {Turns: turns}}
	data.Facts = project.DeriveFacts(data.Protocol, data.Content)
	mux := http.NewServeMux()
	mux.Handle("/static/", static.Handler())
	mux.HandleFunc("GET /work/attacked", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Label(data).Render(r.Context(), w)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestLabel_Attacks_NothingRunsOrLoads(t *testing.T) {
	t.Parallel()
	server := startAttacked(t)
	b := browsertest.Open(t, server.URL, "/work/attacked")
	if hasRun := browsertest.Eval[bool](b, `window.hasRun === true`); hasRun {
		t.Error("a script has run")
	}
	if found := browsertest.Eval[string](b,
		`[...document.querySelectorAll('.item-text *')].filter(e => e.matches('a, img, script, style, iframe, form, input, button, link, meta, base, object, embed, video, svg, [id], [style], [name]')).map(e => e.outerHTML.slice(0, 200)).join('\n')`); found != "" {
		t.Errorf("in texts:\n%s", found)
	}
	requests, _ := b.Requests()
	for _, request := range requests {
		if !strings.Contains(request, "/static/") && !strings.HasSuffix(request, "/work/attacked") {
			t.Errorf("requested %s", request)
		}
	}
	if covered := browsertest.Eval[bool](b,
		`(() => { const button = document.getElementById('submit-answers'), box = button.getBoundingClientRect(); return document.elementFromPoint(box.x + 5, box.y + 5) !== button })()`); covered {
		t.Error("the button to submit is covered")
	}
	for _, size := range [][2]int{{1366, 768}, {390, 844}} {
		b.SetViewport(size[0], size[1])
		if wide := browsertest.Eval[string](b, wideTextsJS); wide != "" {
			t.Errorf("at %d px these leave their column:\n%s", size[0], wide)
		}
		if over := browsertest.Eval[int](b, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("at %d px the page is %d px too wide", size[0], over)
		}
	}
}

// wideTextsJS lists the texts that are wider than their turn or reach above it.
const wideTextsJS = `[...document.querySelectorAll('.turn')].filter(turn => {
  const box = turn.getBoundingClientRect()
  return turn.scrollWidth > turn.clientWidth + 1 || [...turn.querySelectorAll('.item-text *')].some(e => e.checkVisibility() && !e.closest('.wide-table *') && e.getBoundingClientRect().top < box.top - 12)
}).map(turn => turn.textContent.slice(0, 80)).join('\n')`
