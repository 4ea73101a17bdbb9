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

// A walker is a simulated annotator: it does what the pages say, and remembers
// what it was shown.
type walker struct {
	browser
	account account.Account
	answers func(item string) url.Values // what it says of an item
	rested  func() bool                  // whether it waits for the end of a break
	met     []shown
	breaks  int
}

// A shown item is one page of the work, as it came.
type shown struct {
	token  string
	kind   string // as only the database knows
	page   answer
	submit answer // what the submit before it was answered
	took   time.Duration
}

// invited adds somebody, who chooses a password by the link they were sent.
func (w world) invited(email string) (account.Account, browser) {
	w.Helper()
	id, err := w.db.AddPerson(w.Context(), 0, account.Person{Email: email, Name: "Name of " + email, Role: account.Annotator}, "")
	if err != nil {
		w.Fatal(err)
	}
	token, err := w.db.Invite(w.Context(), 0, id)
	if err != nil {
		w.Fatal(err)
	}
	a, err := w.db.Account(w.Context(), id)
	if err != nil {
		w.Fatal(err)
	}
	b := w.anybody()
	b.get("/invitations/" + token).is(http.StatusOK)
	b.post("/invitations/"+token, url.Values{"password": {password}}).leads("/")
	return a, b
}

// walk goes on until there is nothing left to do.
func (k *walker) walk() {
	k.Helper()
	var submit answer
	var took time.Duration
	path := k.next()
	for path != "" {
		switch {
		case path == "/work/break":
			path = k.rest()
		case strings.HasPrefix(path, "/work/calibration"):
			path = k.begins(path)
		case path == "/work" || strings.HasPrefix(path, "/work?"):
			step := k.get(path)
			if step.status == http.StatusOK {
				return
			}
			path = step.leads("")
		default:
			page := k.get(path).is(http.StatusOK)
			k.met = append(k.met, shown{token: strings.TrimPrefix(path, "/work/"), page: page, submit: submit, took: took})
			k.draft(path)
			start := time.Now()
			submit = k.post(path, k.answers(itemText(page)))
			path, took = submit.leads(""), time.Since(start)
		}
	}
}

// draft keeps what is typed of every third item.
func (k *walker) draft(path string) {
	k.Helper()
	if len(k.met)%3 == 0 {
		k.post(path+"/draft", url.Values{"draft_version": {"5"}, "tab": {"t"}, "active_ms": {"5"}, "note": {"half"}}).is(http.StatusNoContent)
	}
}

// itemText is what an annotator reads.
func itemText(page answer) string { return page.First("main").Text() }

// rest sits a break out, or leaves early.
func (k *walker) rest() string {
	k.Helper()
	k.get("/work/break").is(http.StatusOK).says("Time to rest", "Somebody to talk to")
	if k.breaks++; k.rested() {
		k.exec(`UPDATE breaks SET ends_at = clock_timestamp() WHERE left_at IS NULL AND account_id = $1`, k.account.ID)
		k.get("/work/break").says("The break is over")
	}
	return k.post("/work/break/end", nil).leads("")
}

// begins goes from the calibration to the work, reading what it is asked to.
func (k *walker) begins(path string) string {
	k.Helper()
	batch := path[strings.Index(path, "=")+1:]
	for page := k.get(path); ; page = k.get(path) {
		forms := page.All("form[action='/work/calibration/read']")
		if len(forms) == 0 {
			return k.post("/work/calibration/on", url.Values{"batch": {batch}}).leads("")
		}
		k.post("/work/calibration/read", url.Values{"batch": {batch}, "section": {forms[0].First("input[name='section']").Attr("value")}}).leads("")
	}
}

// learnKinds fills in what only the database knows.
func (k *walker) learnKinds() {
	k.Helper()
	for i, m := range k.met {
		k.met[i].kind = query[string](k.world, `SELECT kind FROM assignments WHERE token = $1`, m.token)
	}
}

var (
	digits = regexp.MustCompile(`[0-9]+`)
	rests  = regexp.MustCompile(`<span class="rest">[^<]*</span>`)
	paces  = regexp.MustCompile(`<span class="pace">.*?</span>`)
	bars   = regexp.MustCompile(`(?s)<header class="bar">.*?</header>|<title>[^<]*</title>`)
)

// bare returns a page as it is for any item at any place: the token left out,
// and of the bar above, which counts, only its form.
func (s shown) bare() string {
	page := strings.ReplaceAll(s.page.body, s.token, "TOKEN")
	return bars.ReplaceAllStringFunc(page, func(bar string) string {
		return digits.ReplaceAllString(paces.ReplaceAllString(rests.ReplaceAllString(bar, ""), ""), "#")
	})
}

// headers returns what comes with an answer, but for when and how long.
func headers(a answer) string {
	var lines []string
	for name, values := range a.header {
		if name == "Date" || name == "Content-Length" || name == "Location" {
			values = nil
		}
		lines = append(lines, fmt.Sprint(name, values))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// checkAlike holds every duplicate against its original, byte by byte after
// the token, and against new items in all that could give it away.
func checkAlike(t *testing.T, k *walker) (duplicates int) {
	t.Helper()
	first, work := map[string]shown{}, shown{}
	var late, early int
	for i, m := range k.met {
		if m.kind == "calibration" {
			continue
		}
		if len(m.token) != len(k.met[0].token) {
			t.Errorf("the token %s is of another length", m.token)
		}
		text := itemText(m.page)
		if m.kind == "work" {
			first[text], work = m, m
			continue
		}
		duplicates++
		switch pace := k.paceAround(i); {
		case m.took > 5*pace/2:
			late++
		case m.took < 2*pace/5:
			early++
		}
		original, known := first[text]
		if !known {
			t.Errorf("a duplicate comes of nothing")
			continue
		}
		if m.bare() != original.bare() {
			t.Errorf("the page of a duplicate differs from that of its original")
		}
		if headers(m.page) != headers(work.page) || work.submit.status != 0 && headers(m.submit) != headers(work.submit) {
			t.Errorf("the headers of a duplicate differ:\n%s\n%s", headers(m.page), headers(work.page))
		}
	}
	if most := 2 * duplicates / 3; duplicates > 5 && (late > most || early > most) {
		t.Errorf("of %d duplicates, %d come later than the new items beside them, and %d earlier", duplicates, late, early)
	}
	return duplicates
}

// paceAround returns what the new items around place i took, at the median. A
// machine that is busy with other tests is so for all that are close in time.
func (k *walker) paceAround(i int) time.Duration {
	var times []time.Duration
	for _, m := range k.met[max(i-4, 0):min(i+5, len(k.met))] {
		if m.kind == "work" {
			times = append(times, m.took)
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}

func TestADuplicateCannotBeToldFromANewItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	ann, browser := w.invited("ann@example.org")
	p := w.empathy(lead, "alike", 40, 2)
	w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Seed: 3,
		Calibration: 2, Duplicates: 8, BreakEvery: 9, BreakMinutes: 5})
	k := &walker{browser: browser, account: ann, rested: func() bool { return true }, answers: func(string) url.Values { return formOf(middling, "") }}
	k.walk()
	k.learnKinds()
	if n := checkAlike(t, k); n != 8 || len(k.met) != 50 {
		t.Errorf("%d duplicates among %d items, want 8 of 50", n, len(k.met))
	}
	if n := query[int](w, `SELECT count(*) FROM breaks WHERE taken`); n != k.breaks || n != 5 {
		t.Errorf("%d breaks count as taken, %d were met, want 5", n, k.breaks)
	}
}
