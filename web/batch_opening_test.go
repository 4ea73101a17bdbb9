package web

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// newOpening stores a batch that is being opened, and returns its id.
func (env testEnv) newOpening(lead account.Account, p project.Project) string {
	env.Helper()
	id, err := env.db.StartBatchOpening(env.Context(), lead.ID, p, project.BatchSpec{Name: "large"}, "en")
	if err != nil {
		env.Fatal(err)
	}
	return formatID(id)
}

// A large batch opens in the background. The page shows its progress, then the board.
func TestOpenBatch_Large_InBackground(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.server.directRows = 10
	env.startJobs()
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 12)
	env.addMembers(p, account.Annotator, ann.Email)
	desk := env.signInAs(lead)
	form := url.Values{"name": {"large"}, "overlap": {"1"}, "break_every": {"0"}, "break_minutes": {"5"},
		"calibration": {"0"}, "fewer_calibration": {"A test."}, "duplicates": {"0"}, "annotators": {ann.Email},
		"action": {"open"}, "seed": {"3"}}
	path := desk.post("/projects/p/batches", form).checkRedirect("/projects/p/openings/1")
	deadline := time.Now().Add(time.Minute)
	for {
		a := desk.get(path)
		if to := a.header.Get("Location"); to != "" {
			if !strings.HasPrefix(to, "/projects/p/batches/large?") {
				t.Errorf("leads to %s", to)
			}
			break
		}
		a.checkStatus(200).checkContains("Opening “large”")
		if a.header.Get("Refresh") == "" || time.Now().After(deadline) {
			t.Fatal("the page does not reload, or the batch does not open")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if b, err := env.db.Batch(t.Context(), 0, p.ID, "large"); err != nil || b.Items != 12 {
		t.Errorf("%d items, %v", b.Items, err)
	}
}

// A problem, and a server that stopped, are shown with the way back to the form.
func TestOpening_Failed_SaysWhy(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newProject(lead, "p", 1)
	desk := env.signInAs(lead)
	path := "/projects/p/openings/" + env.newOpening(lead, p)
	desk.get(path).checkStatus(200).checkContains("Opening “large”", "Planning who labels what")
	env.execSQL(`UPDATE batch_openings SET done_count = 5, total_count = 20`)
	desk.get(path).checkStatus(200).checkContains("5 of 20")
	env.execSQL(`DELETE FROM river.river_job`) // as after the last attempt
	desk.get(path).checkStatus(200).checkContains("was not opened", "The server stopped", "Check the preview")
	again := "/projects/p/openings/" + env.newOpening(lead, p)
	env.execSQL(`UPDATE batch_openings SET problem = 'The plan changed.', finished_at = now()`)
	desk.get(again).checkStatus(200).checkContains("was not opened", "The plan changed.")
	desk.get("/projects/p/openings/999").checkStatus(404)
}
