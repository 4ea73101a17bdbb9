package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A simulatedAnnotator follows the pages like an annotator, and records what
// it was shown.
type simulatedAnnotator struct {
	browser
	account          account.Account
	answerItem       func(item string) url.Values // its answers to an item
	waitsForBreakEnd func() bool                  // else it ends a break early
	pages            []shownItem
	breaks           int
}

// A shownItem is one labeling page as it was shown.
type shownItem struct {
	token    string
	kind     string // from the database
	page     testResponse
	submit   testResponse // the response to the previous submit
	duration time.Duration
}

// newInvitedUser adds a user, who sets a password with the invitation link.
func (env testEnv) newInvitedUser(email string) (account.Account, browser) {
	env.Helper()
	id, err := env.db.CreateAccount(env.Context(), 0, account.NewAccount{Email: email, Name: "Name of " + email,
		Role: account.Annotator}, "")
	if err != nil {
		env.Fatal(err)
	}
	token, err := env.db.Invite(env.Context(), 0, id)
	if err != nil {
		env.Fatal(err)
	}
	a, err := env.db.Account(env.Context(), id)
	if err != nil {
		env.Fatal(err)
	}
	b := env.newBrowser()
	b.get("/invitations/" + token).checkStatus(http.StatusOK)
	b.post("/invitations/"+token, url.Values{"password": {password}}).checkRedirect("/")
	return a, b
}

// labelAll labels until no item is left.
func (k *simulatedAnnotator) labelAll() {
	k.Helper()
	var submit testResponse
	var duration time.Duration
	path := k.openItem()
	for path != "" {
		switch {
		case strings.HasPrefix(path, "/work/break"):
			path = k.handleBreak()
		case strings.HasPrefix(path, "/work/calibration"):
			path = k.submitCalibration(path)
		case strings.HasSuffix(path, "/reference"):
			k.get(path).checkStatus(http.StatusOK)
			path = k.post("/work", nil).checkRedirect("")
		case path == "/work" || strings.HasPrefix(path, "/work?"):
			workPage := k.get(path)
			if workPage.status == http.StatusOK {
				return
			}
			path = workPage.checkRedirect("")
		default:
			page := k.get(path).checkStatus(http.StatusOK)
			k.pages = append(k.pages, shownItem{token: strings.TrimPrefix(path, "/work/"), page: page, submit: submit,
				duration: duration})
			k.saveDraft(path)
			start := time.Now()
			submit = k.post(path, k.answerItem(itemText(page)))
			path, duration = submit.checkRedirect(""), time.Since(start)
		}
	}
}

// saveDraft saves a draft of every third item.
func (k *simulatedAnnotator) saveDraft(path string) {
	k.Helper()
	if len(k.pages)%3 == 0 {
		k.post(path+"/draft", url.Values{"draft_version": {"5"}, "tab": {"t"}, "active_ms": {"5"},
			"note": {"half"}}).checkStatus(http.StatusNoContent)
	}
}

// itemText returns the text that an annotator reads.
func itemText(page testResponse) string { return page.FindFirst("main").Text() }

// handleBreak waits for the end of a break, or ends it early.
func (k *simulatedAnnotator) handleBreak() string {
	k.Helper()
	k.get("/work/break").checkStatus(http.StatusOK).checkContains("Time for a break", "Get support")
	if k.breaks++; k.waitsForBreakEnd() {
		k.execSQL(`UPDATE breaks SET scheduled_end_at = clock_timestamp() WHERE ended_at IS NULL
			AND account_id = $1`, k.account.ID)
		k.get("/work/break").checkContains("The break is over")
	}
	return k.post("/work/break/end", nil).checkRedirect("")
}

// submitCalibration reads the required guide sections and starts the work.
func (k *simulatedAnnotator) submitCalibration(path string) string {
	k.Helper()
	batch := path[strings.Index(path, "=")+1:]
	for page := k.get(path); ; page = k.get(path) {
		forms := page.FindAll("form[action='/work/calibration/read-section']")
		if len(forms) == 0 {
			return k.post("/work/calibration/start", url.Values{"batch": {batch}}).checkRedirect("")
		}
		k.post("/work/calibration/read-section", url.Values{"batch": {batch},
			"section": {forms[0].FindFirst("input[name='section']").Attr("value")}}).checkRedirect("")
	}
}

// loadKinds reads the kinds of the shown items from the database.
func (k *simulatedAnnotator) loadKinds() {
	k.Helper()
	for i, m := range k.pages {
		k.pages[i].kind = query[string](k.testEnv, `SELECT kind FROM assignments WHERE token = $1`, m.token)
	}
}

var (
	digitsRE = regexp.MustCompile(`[0-9]+`)
	breakRE  = regexp.MustCompile(`<span class="next-break">[^<]*</span>`)
	paceRE   = regexp.MustCompile(`<span class="pace">.*?</span>`)
	headerRE = regexp.MustCompile(`(?s)<header class="label-header">.*?</header>|<title>[^<]*</title>`)
)

// normalize returns a page without its token and its counters.
func (s shownItem) normalize() string {
	page := strings.ReplaceAll(s.page.body, s.token, "TOKEN")
	return headerRE.ReplaceAllStringFunc(page, func(bar string) string {
		return digitsRE.ReplaceAllString(paceRE.ReplaceAllString(breakRE.ReplaceAllString(bar, ""), ""), "#")
	})
}

// formatHeaders returns the response headers, without dates, request ids and lengths.
func formatHeaders(a testResponse) string {
	var lines []string
	for name, values := range a.header {
		if name == "Date" || name == requestIDHeader || name == "Content-Length" || name == "Location" {
			values = nil
		}
		lines = append(lines, fmt.Sprint(name, values))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// checkDuplicates compares every duplicate with its original, byte for byte
// after the token, and with new items in everything that could reveal it.
func checkDuplicates(t *testing.T, k *simulatedAnnotator) (duplicates int) {
	t.Helper()
	first, work := map[string]shownItem{}, shownItem{}
	var late, early int
	for i, m := range k.pages {
		if m.kind == "calibration" {
			continue
		}
		if len(m.token) != len(k.pages[0].token) {
			t.Errorf("the token %s has another length", m.token)
		}
		text := itemText(m.page)
		if m.kind == "work" {
			first[text], work = m, m
			continue
		}
		duplicates++
		switch pace := k.medianAround(i); {
		case m.duration > 5*pace/2:
			late++
		case m.duration < 2*pace/5:
			early++
		}
		original, known := first[text]
		if !known {
			t.Errorf("a duplicate has no original")
			continue
		}
		if m.normalize() != original.normalize() {
			t.Errorf("the page of a duplicate differs from that of its original")
		}
		if formatHeaders(m.page) != formatHeaders(work.page) || work.submit.status != 0 &&
			formatHeaders(m.submit) != formatHeaders(work.submit) {
			t.Errorf("the headers of a duplicate differ:\n%s\n%s", formatHeaders(m.page), formatHeaders(work.page))
		}
	}
	if most := 2 * duplicates / 3; duplicates > 5 && (late > most || early > most) {
		t.Errorf("of %d duplicates, %d took longer than the new items around them, and %d less", duplicates,
			late, early)
	}
	return duplicates
}

// medianAround returns the median duration of the new items near index i,
// which had the same load of the machine.
func (k *simulatedAnnotator) medianAround(i int) time.Duration {
	var times []time.Duration
	for _, m := range k.pages[max(i-4, 0):min(i+5, len(k.pages))] {
		if m.kind == "work" {
			times = append(times, m.duration)
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}

func TestDuplicate_Page_LooksNew(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	ann, browser := env.newInvitedUser("ann@example.org")
	p := env.newEmpathyProject(lead, "alike", 40, 2)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Seed: 3,
		CalibrationCount: 2, DuplicateCount: 8, BreakEvery: 9, BreakMinutes: 5})
	k := &simulatedAnnotator{browser: browser, account: ann, waitsForBreakEnd: func() bool {
		return true
	}, answerItem: func(string) url.Values { return newAnswerForm(middleScores, "") }}
	k.labelAll()
	k.loadKinds()
	if n := checkDuplicates(t, k); n != 8 || len(k.pages) != 50 {
		t.Errorf("%d duplicates among %d items, want 8 of 50", n, len(k.pages))
	}
	if n := query[int](env, `SELECT count(*) FROM breaks WHERE completed`); n != k.breaks || n != 5 {
		t.Errorf("%d breaks are completed, %d were shown, want 5", n, k.breaks)
	}
}
