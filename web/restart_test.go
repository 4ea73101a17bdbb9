package web

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/web/htmltest"
)

// An annotator of this test sends each form until the server takes it, as a person with the
// error page does.
type persistentAnnotator struct {
	browser
	submitted   int // acknowledged
	unavailable *atomic.Int64
	problems    *problemList
}

type problemList struct {
	sync.Mutex
	texts []string
}

func (l *problemList) add(format string, args ...any) {
	l.Lock()
	defer l.Unlock()
	l.texts = append(l.texts, fmt.Sprintf(format, args...))
}

// request sends a request and returns the status, the location and the page.
func (a *persistentAnnotator) request(method, path string, form url.Values) (status int, location string,
	page htmltest.Element) {
	r, err := http.NewRequestWithContext(a.Context(), method, a.baseURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		a.problems.add("%v", err)
		return 0, "", page
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", formContentType)
	}
	response, err := a.client.Do(r)
	if err != nil {
		a.problems.add("%s %s: %v", method, path, err)
		return 0, "", page
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	page = htmltest.Parse(a.T, strings.NewReader(string(body)))
	switch {
	case response.StatusCode == http.StatusServiceUnavailable:
		a.unavailable.Add(1)
		if response.Header.Get("Retry-After") == "" || !strings.Contains(page.Text(), "Try again in a moment.") {
			a.problems.add("%s %s: 503 with %v and %s", method, path, response.Header, body)
		}
	case response.StatusCode >= 500:
		a.problems.add("%s %s: %d: %s", method, path, response.StatusCode, body)
	}
	return response.StatusCode, response.Header.Get("Location"), page
}

// label opens and submits items until stop is closed.
func (a *persistentAnnotator) label(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		status, location, _ := a.request(http.MethodPost, "/work", url.Values{})
		if status != http.StatusSeeOther {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if !strings.HasPrefix(location, "/work/") {
			return // nothing left
		}
		if a.submit(location) {
			a.submitted++
		}
	}
}

// submit sends the form of an item, and after a 503 the form on the error page.
func (a *persistentAnnotator) submit(path string) bool {
	form := newCompleteForm()
	form.Set("note", "Line one.\r\n“Line” two & <three>")
	for range 2000 {
		status, _, page := a.request(http.MethodPost, path, form)
		switch status {
		case http.StatusSeeOther:
			return true
		case http.StatusServiceUnavailable:
			kept := page.FindAll("form.button-form[action='" + path + "']")
			if len(kept) != 1 {
				a.problems.add("%s: the error page keeps no form: %s", path, page.Text())
				return false
			}
			values := formValues(kept[0])
			values.Set("note", strings.ReplaceAll(values.Get("note"), "\n", "\r\n")) // as browsers send it
			if values.Encode() != form.Encode() {
				a.problems.add("%s: kept %v, sent %v", path, values, form)
				return false
			}
			time.Sleep(20 * time.Millisecond)
		default:
			a.problems.add("%s: %d: %s", path, status, page.Text())
			return false
		}
	}
	a.problems.add("%s was never taken", path)
	return false
}

// Stops and kills of PostgreSQL under load are 503 with the form kept, and lose no label.
func TestDatabaseRestart_UnderLoad_FormKept(t *testing.T) {
	t.Parallel()
	restarts := 4
	if testing.Short() {
		restarts = 2
	}
	database := pgtest.NewRestartable(t, postgres.MigrateUp)
	env := newTestEnvOn(t, database.URL())
	lead := env.newUser("lead@example.org", account.Lead)
	emails := make([]string, 6)
	for i := range emails {
		emails[i] = env.newUser(fmt.Sprintf("ann%d@example.org", i), account.Annotator).Email
	}
	env.newBatch(lead, env.newProject(lead, "p", 3000), "batch", 1, emails...)
	var unavailable atomic.Int64
	var problems problemList
	annotators := make([]*persistentAnnotator, len(emails))
	stop := make(chan struct{})
	var running sync.WaitGroup
	for i, email := range emails {
		a, err := env.db.AccountByEmail(t.Context(), email)
		if err != nil {
			t.Fatal(err)
		}
		annotators[i] = &persistentAnnotator{browser: env.signInAs(a), unavailable: &unavailable, problems: &problems}
		running.Go(func() { annotators[i].label(stop) })
	}
	for i := range restarts {
		time.Sleep(300 * time.Millisecond)
		if i%2 == 0 {
			database.Stop()
		} else {
			database.Kill()
		}
		time.Sleep(200 * time.Millisecond)
		database.Start()
	}
	time.Sleep(300 * time.Millisecond)
	close(stop)
	running.Wait()
	acknowledged := 0
	for _, a := range annotators {
		acknowledged += a.submitted
	}
	stored := env.countAnnotations()
	t.Logf("%d labels, %d answers of 503 in %d restarts", stored, unavailable.Load(), restarts)
	if len(problems.texts) > 0 {
		t.Errorf("%d problems, the first: %s", len(problems.texts), problems.texts[0])
	}
	if acknowledged != stored || unavailable.Load() == 0 || stored == 0 {
		t.Errorf("%d labels acknowledged, %d stored, %d answers of 503", acknowledged, stored, unavailable.Load())
	}
}
