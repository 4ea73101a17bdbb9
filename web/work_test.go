package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/htmltest"
)

// A sitting is an annotator with a batch of the generation protocol, signed in
// by a browser without scripts.
type sitting struct {
	browser
	lead, ann account.Account
	batch     project.Batch
}

func newSitting(t *testing.T, items int, h project.Handout) sitting {
	t.Helper()
	w := newWorld(t)
	s := sitting{lead: w.person("lead@example.org", account.Lead), ann: w.person("ann@example.org", account.Annotator)}
	h.Name, h.Annotators, h.Overlap, h.Seed = "batch", []string{s.ann.Email}, 1, 1
	s.batch = w.handOut(s.lead, w.project(s.lead, "p", items), h)
	s.browser = w.as(s.ann)
	return s
}

// stored counts the annotations.
func (w world) stored() int {
	w.Helper()
	return query[int](w, `SELECT count(*) FROM annotations`)
}

// complete is a form that the generation protocol takes.
func complete() url.Values {
	return url.Values{"proper_action": {"1"}, "response_on_topic": {"1"}, "helpful": {"0"}, "incomplete": {"0"}, "unsafe_content": {"0"}, "note": {""}, "active_ms": {"1200"}, "idle_ms": {"0"}}
}

// controls are what a browser without scripts would send of a form.
func controls(form htmltest.Element) url.Values {
	sent := url.Values{}
	for _, input := range form.All("input[name]") {
		kind := input.Attr("type")
		if !input.Has("checked") && (kind == "radio" || kind == "checkbox") {
			continue
		}
		value := input.Attr("value")
		if !input.Has("value") {
			value = "on"
		}
		sent.Add(input.Attr("name"), value)
	}
	for _, area := range form.All("textarea[name]") {
		sent.Set(area.Attr("name"), area.Raw())
	}
	return sent
}

func TestABatchIsLabelledWithoutAScript(t *testing.T) {
	t.Parallel()
	const items = 3
	s := newSitting(t, items, project.Handout{})
	home := s.get("/work").is(http.StatusOK).says("Project p", "0 of 3")
	begin := home.First(".queue form")
	path := s.post(begin.Attr("action"), controls(begin)).leads("")
	for n := range items {
		page := s.get(path).is(http.StatusOK).says(fmt.Sprintf("%d of 3", n))
		form := page.First("form#answers")
		if form.Attr("action") != path {
			t.Fatalf("the form of %s goes to %s", path, form.Attr("action"))
		}
		sent := controls(form)
		sent.Set("helpful", "1")
		again := s.post(path, sent).is(http.StatusUnprocessableEntity)
		if again.First("#problem-incomplete").Text() != "Please choose an answer." || again.First("#problem-helpful").Text() != "" {
			t.Error("the problems do not stand at their fields")
		}
		sent = controls(again.First("form#answers"))
		for _, key := range []string{"proper_action", "response_on_topic", "incomplete", "unsafe_content"} {
			sent.Set(key, "0")
		}
		path = s.post(path, sent).leads("")
	}
	s.get(path).is(http.StatusOK).says("That was the last one", "3 of 3")
	if n := query[int](s.world, `SELECT count(*) FROM annotations WHERE answers->>'helpful' = '1' AND answers->>'incomplete' = '0'`); n != items {
		t.Errorf("%d are stored as they were sent, want %d", n, items)
	}
}

func TestWhatIsTypedIsKeptAndComesBack(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 1, project.Handout{})
	path := s.next()
	draft := func(version, helpful, note string) {
		t.Helper()
		s.post(path+"/draft", url.Values{"helpful": {helpful}, "note": {note}, "draft_version": {version}, "active_ms": {"5000"}}).is(http.StatusNoContent)
	}
	shows := func(helpful, note string) {
		t.Helper()
		page := s.get(path).is(http.StatusOK).First("form#answers")
		if got := controls(page); got.Get("helpful") != helpful || got.Get("note") != note {
			t.Errorf("the form came back as %v", got)
		}
	}
	draft("7", "1", "half\na thought")
	shows("1", "half\na thought")
	draft("6", "0", "older")
	shows("1", "half\na thought")
	draft("8", "0", "")
	shows("0", "")
	s.post(path+"/break", url.Values{"helpful": {"1"}, "note": {"before the break"}}).leads("/work/break")
	s.post("/work/break/end", nil).leads(path)
	shows("1", "before the break")
	s.post(path+"/set-aside", url.Values{"helpful": {"1"}, "note": {"before I ask"}}).leads(path + "/set-aside")
	shows("1", "before I ask")
	if s.stored() != 0 {
		t.Error("a draft became an annotation")
	}
}

func TestSubmittingOftenAtOnceIsSubmittingOnce(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 2, project.Handout{})
	path := s.next()
	var wg sync.WaitGroup
	leads := make([]string, 16)
	for i := range leads {
		wg.Go(func() { leads[i] = s.post(path, complete()).header.Get("Location") })
	}
	wg.Wait()
	if slices.Sort(leads); leads[0] != leads[len(leads)-1] || !strings.HasPrefix(leads[0], "/work/") || leads[0] == path {
		t.Errorf("they lead to %q", leads)
	}
	s.get(leads[0]).is(http.StatusOK).says("1 of 2")
	if s.stored() != 1 {
		t.Errorf("%d annotations, want 1", s.stored())
	}
}

func TestOfTwoTabsOnOneItemTheFirstCounts(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 2, project.Handout{})
	path := s.next()
	one, other := s.get(path).First("form#answers"), s.get(path).First("form#answers")
	first, second := controls(one), controls(other)
	for key, values := range complete() {
		first[key], second[key] = values, values
	}
	first.Set("note", "of the first")
	second.Set("note", "of the second")
	next := s.post(path, first).leads("")
	if again := s.post(path, second).leads(""); again != next {
		t.Errorf("the second tab leads to %s, the first to %s", again, next)
	}
	s.post(path+"/draft", url.Values{"note": {"late"}, "draft_version": {"99"}}).is(http.StatusConflict)
	s.get(path).leads("/work")
	if note := query[string](s.world, `SELECT string_agg(note, ',') FROM annotations`); note != "of the first" {
		t.Errorf("stored: %q", note)
	}
}

// A second tab sends other answers for an item that is sent already: the page it
// lands on says so, in one quiet line.
func TestWhoeverSendsAnItemTwiceIsToldWhatStands(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 2, project.Handout{})
	path := s.next()
	first, second := complete(), complete()
	second.Set("note", "of the second")
	next := s.post(path, first).leads("")
	s.post(path, second).leads(next)
	const already = "The item before this had been sent already from another page. What was sent there stands."
	s.get(next).is(http.StatusOK).says(already)
	s.get(next).is(http.StatusOK).says(already) // a page that is looked at changes nothing
	s.post(path, first).leads(next)
	if strings.Contains(s.get(next).body, already) {
		t.Error("a line that sent the same twice is told that something else stands")
	}
	s.post(path, second).leads(next)
	s.post(next, complete()).leads("/work")
	second.Set("note", "of the second, once more")
	s.post(path, second).leads("/work")
	s.get("/work").says(already)
	s.post(next, complete()).leads("/work")
	if strings.Contains(s.get("/work").body, already) {
		t.Error("it is said for ever")
	}
}

func TestAFormSentAfterTheSessionIsOverComesBackFilled(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 2, project.Handout{})
	path := s.next()
	s.post("/sign-out", nil).leads("/sign-in")
	form := complete()
	form.Set("note", "nothing is lost")
	to := s.post(path, form).leads("/sign-in")
	page := s.get(to).is(http.StatusOK).says("What you typed is kept")
	if s.stored() != 0 {
		t.Fatal("an annotation of nobody is stored")
	}
	signIn := controls(page.First("main form"))
	if signIn.Get("next") != path {
		t.Errorf("after signing in one goes to %q", signIn.Get("next"))
	}
	other := s.world.as(s.world.person("eve@example.org", account.Annotator))
	if body := other.get(path).is(http.StatusNotFound).body; strings.Contains(body, "nothing is lost") {
		t.Error("somebody else sees what was kept")
	}
	signIn.Set("email", s.ann.Email)
	signIn.Set("password", password)
	s.post("/sign-in", signIn).leads(path)
	back := s.get(path).is(http.StatusOK).First("form#answers")
	delete(form, "active_ms") // each page counts its own
	for key, values := range form {
		if got := controls(back)[key]; !slices.Equal(got, values) {
			t.Errorf("%s came back as %q, want %q", key, got, values)
		}
	}
	s.post(path, controls(back)).leads("")
	if s.stored() != 1 {
		t.Error("it could not be sent")
	}
}

func TestADraftOfWhoIsSignedOutIsNotTaken(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 1, project.Handout{})
	path := s.next()
	before := s.state()
	for _, step := range []string{"/draft", "/break", "/set-aside", "/warning"} {
		s.anybody().post(path+step, complete()).is(http.StatusUnauthorized)
	}
	s.anybody().post("/work/"+strings.Repeat("A", 26), complete()).leads("/sign-in")
	if s.state() != before {
		t.Error("something was stored")
	}
}

// To strangers an item looks like one that does not exist, open or spent.
func TestAForeignItemLooksLikeNone(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 2, project.Handout{})
	spent := s.next()
	open := s.post(spent, complete()).leads("")
	stranger := s.world.as(s.world.person("eve@example.org", account.Annotator))
	boss := s.world.as(s.lead)
	before := s.state()
	for _, b := range []browser{stranger, boss} {
		for _, step := range []string{"GET ", "POST ", "POST /draft", "GET /set-aside", "POST /set-aside", "POST /break", "POST /warning"} {
			method, end, _ := strings.Cut(step, " ")
			form := complete()
			if end == "/set-aside" {
				form = url.Values{"reason": {"distressing"}}
			}
			ask := func(path string) answer {
				if method == http.MethodGet {
					return b.get(path + end)
				}
				return b.post(path+end, form)
			}
			absent := ask("/work/" + strings.Repeat("A", len(open)-len("/work/")))
			for what, path := range map[string]string{"open": open, "spent": spent} {
				if a := ask(path); a.status != http.StatusNotFound || a.body != absent.body || absent.status != a.status {
					t.Errorf("%s of an item that is %s: %d, of none: %d\n%s\n%s", step, what, a.status, absent.status, a.Text(), absent.Text())
				}
			}
		}
	}
	if s.state() != before {
		t.Error("a stranger changed something")
	}
}

// What comes after the last item is said of its batch, whatever else waits.
func TestAfterTheLastItemOneIsLedToWhatComesNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	first, second := w.empathy(lead, "first", 2, 0), w.empathy(lead, "second", 1, 2)
	old := w.handOut(lead, first, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1})
	b := w.handOut(lead, second, project.Handout{Name: "two", Annotators: []string{ann.Email}, Overlap: 1, Calibration: 2})
	me, batch := w.as(ann), url.Values{"batch": {id64(b.ID)}}
	path := me.post("/work", batch).leads("")
	me.post(path+"/warning", nil).leads(path)
	path = me.post(path, formOf(middling, "")).leads("")
	if titles := me.get("/work").is(http.StatusOK).All(".queue h2"); len(titles) != 2 || titles[0].Text() != "Project second" {
		t.Error("the batch just worked on does not stand first")
	}
	path = me.post(path, formOf(middling, "")).leads("")
	me.get(path).leads("/work/calibration")
	path = me.post("/work/calibration/on", batch).leads("")
	path = me.post(path, formOf(middling, "")).leads("")
	me.get(path).is(http.StatusOK).says("That was the last one", "Project second", "There is other work when you want it", "Flag a slip", "See your calibration")
	if titles := me.get("/work").is(http.StatusOK).All(".queue h2"); titles[0].Text() != "Project first" {
		t.Error("what is finished stands before what is to be done")
	}
	path = me.post("/work", url.Values{"batch": {id64(old.ID)}}).leads("")
	me.post(path+"/warning", nil).leads(path)
	w.as(lead).post("/projects/first/batches/one/close", nil).leads("")
	me.get(me.post(path, formOf(middling, "")).leads("/work")).is(http.StatusOK).says("This batch is closed now. Thank you")
}

// Going on twice, as from two tabs, does not hand out an item of other work.
func TestGoingOnTwiceStaysInItsBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	for _, key := range []string{"first", "second"} {
		w.handOut(lead, w.empathy(lead, key, 2, 0), project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, BreakEvery: 1, BreakMinutes: 5})
	}
	me := w.as(ann)
	me.post(me.next(), formOf(middling, "")).leads("/work")
	on := url.Values{"batch": {me.get("/work/break").is(http.StatusOK).First("form[action='/work/break/end'] input[name='batch']").Attr("value")}}
	next := me.post("/work/break/end", on).leads("")
	me.post(next, formOf(middling, "")).leads("/work") // the last one of the batch
	me.get(me.post("/work/break/end", on).leads("/work")).is(http.StatusOK).says("That was the last one")
	if n := query[int](w, `SELECT count(*) FROM assignments`); n != 2 {
		t.Errorf("%d items were handed out, want the 2 of one batch", n)
	}
}

func TestABreakIsKeptUntilOneGoesOn(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 3, project.Handout{BreakEvery: 1, BreakMinutes: 5})
	path := s.next()
	s.get("/work/break").leads("/work")
	s.post(path, complete()).leads("/work")
	s.get("/work").leads("/work/break")
	s.get("/work/break").is(http.StatusOK).says("Time to rest", "Go on early")
	s.post("/work", nil).leads("/work")
	second := s.post("/work/break/end", nil).leads("")
	if !strings.HasPrefix(second, "/work/") || second == path {
		t.Fatalf("going on leads to %s", second)
	}
	s.get(second).is(http.StatusOK).says("1 of 3", "rest after this item")
	s.post(second+"/break", complete()).leads("/work/break")
	s.post("/work/break/end", nil).leads(second)
	if n := query[int](s.world, `SELECT count(*) FROM breaks WHERE left_at < ends_at`); n != 2 {
		t.Errorf("%d breaks are known to have ended early, want 2", n)
	}
	if n := query[int](s.world, `SELECT count(*) FROM breaks WHERE due`); n != 1 {
		t.Errorf("%d breaks were due, want 1", n)
	}
}

func TestNoTextComesBeforeTheWarningIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	w.handOut(lead, w.empathy(lead, "calm", 2, 0), project.Handout{Name: "b", Annotators: []string{ann.Email}, Overlap: 1})
	b := w.as(ann)
	path := b.post("/work", nil).leads("")
	for name, a := range map[string]answer{
		"the item": b.get(path), "a refused form": b.post(path, url.Values{"emotion": {"3"}}), "a good form": b.post(path, formOf(middling, "")),
		"setting aside": b.get(path + "/set-aside"), "a draft": b.post(path+"/draft", formOf(middling, "")), "the start": b.get("/work"),
	} {
		if strings.Contains(a.body, "Statement calm") || strings.Contains(a.body, "Response calm") {
			t.Errorf("%s: the text is there before the warning is read (%d)", name, a.status)
		}
	}
	if w.stored() != 0 {
		t.Error("an item was labelled before its warning was read")
	}
	b.get(path).is(http.StatusOK).says("Some of these messages are about distress", "support for this project")
	b.post(path+"/warning", nil).leads(path)
	b.get(path).is(http.StatusOK).says("Statement calm", "Response calm")
	if n := query[int](w, `SELECT count(*) FROM warnings_read WHERE day = current_date`); n != 1 {
		t.Errorf("%d acknowledgements are stored, want 1", n)
	}
}
