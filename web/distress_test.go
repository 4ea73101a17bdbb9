package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestADistressingItemGoesWithoutAWord(t *testing.T) {
	t.Parallel()
	s := newSitting(t, 2, project.Handout{})
	path := s.next()
	if page := s.get(path + "/set-aside").is(http.StatusOK).says("Nothing more is asked"); strings.Contains(page.Text(), "Why?") {
		t.Error("the page asks why")
	}
	s.post(path+"/set-aside", url.Values{"reason": {"unclear"}, "word": {" "}}).is(http.StatusUnprocessableEntity).says("say a word or two")
	s.post(path+"/set-aside", url.Values{"reason": {"boring"}, "word": {"typed"}}).is(http.StatusUnprocessableEntity).says("choose what fits best")
	if got := s.post(path+"/set-aside", url.Values{"reason": {""}, "word": {"typed"}}).is(http.StatusUnprocessableEntity).First("#word").Raw(); strings.TrimPrefix(got, "\n") != "typed" {
		t.Errorf("the word came back as %q", got)
	}
	s.post(path+"/set-aside", url.Values{"reason": {"unclear"}, "word": {"a\x00b"}}).is(http.StatusUnprocessableEntity)
	s.post(path+"/set-aside", url.Values{"reason": {"distressing"}}).leads("/work/pause")
	s.post(path+"/set-aside", url.Values{"reason": {"distressing"}}).leads("/work/pause")
	s.get(path).leads("/work")
	board := s.world.as(s.lead).get("/projects/p/batches/batch").is(http.StatusOK)
	if row := board.First("tbody tr").Text(); strings.Contains(row, " 1 ") || strings.Contains(row, "just now") {
		t.Errorf("the lead sees who was distressed: %s", row)
	}
	if s.stored() != 0 || query[int](s.world, `SELECT count(*) FROM set_aside`) != 1 {
		t.Error("it is not stored as set aside, once")
	}
}

// After what distressed there is a quiet page, and no other text before it is
// asked for.
func TestAfterADistressingItemNothingMoreComesUnasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	w.handOut(lead, w.empathy(lead, "quiet", 3, 0), project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, BreakMinutes: 5})
	me := w.as(ann)
	pause := me.post(me.next()+"/set-aside", url.Values{"reason": {"distressing"}}).leads("/work/pause")
	page := me.get(pause).is(http.StatusOK).says("You set that one aside", "nobody asks why")
	page.First("a[href='https://support.example/']")
	if strings.Contains(page.body, "Statement quiet") || query[int](w, `SELECT count(*) FROM assignments WHERE state = 'open'`) != 0 {
		t.Error("the next item is there already")
	}
	forms := page.All(".pause form")
	if len(forms) != 2 {
		t.Fatalf("%d ways lead on, want to go on and to rest", len(forms))
	}
	rest, goOn := forms[1], forms[0]
	me.post(rest.Attr("action"), controls(rest)).leads("/work/break")
	me.get(pause).leads("/work")
	next := me.post("/work/break/end", nil).leads("")
	me.get(next).is(http.StatusOK).says("Statement quiet")
	me.get(me.post(next+"/set-aside", url.Values{"reason": {"distressing"}}).leads("/work/pause")).is(http.StatusOK)
	next = me.post(goOn.Attr("action"), controls(goOn)).leads("")
	me.get(next).is(http.StatusOK).says("Statement quiet")
	me.post(next+"/set-aside", url.Values{"reason": {"unclear"}, "word": {"What?"}}).leads("/work")
}

// What distressed is told of nobody: no page or file of the lead's names it
// beside whoever set it aside.
func TestNobodyReadsWhoWasDistressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, boss := w.person("lead@example.org", account.Lead), w.person("admin@example.org", account.Admin)
	ann, ben := w.person("ann@example.org", account.Annotator), w.person("ben@example.org", account.Annotator)
	p := w.empathy(lead, "hush", 4, 0)
	w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email, ben.Email}, Overlap: 2})
	me := w.as(ann)
	me.post(me.next()+"/set-aside", url.Values{"reason": {"distressing"}, "word": {"a word nobody reads"}}).leads("/work/pause")
	for path := me.next(); path != ""; path = me.next() {
		me.post(path, formOf(middling, "")).leads("")
	}
	pseudonym := query[string](w, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	item := query[int64](w, `SELECT a.item_id FROM set_aside s JOIN assignments a ON a.id = s.assignment_id`)
	for who, paths := range map[account.Account][]string{
		lead: {"/projects/hush/batches/one", "/projects/hush/batches/one/progress", "/projects/hush/batches/one/calibration", "/projects/hush/report", "/projects/hush/people",
			"/projects/hush/annotators/" + pseudonym, "/projects/hush/items/" + id64(item), "/projects/hush/items/" + id64(item) + "/answers"},
		boss: {"/admin/audit"},
	} {
		for _, path := range paths {
			page := w.as(who).get(path).is(http.StatusOK)
			told := strings.ReplaceAll(page.Text(), "What somebody sets aside as distressing is not counted here.", "")
			if strings.Contains(strings.ToLower(told), "distress") || strings.Contains(told, "a word nobody reads") {
				t.Errorf("%s tells of it: %s", path, page.Text())
			}
		}
	}
	board := w.as(lead).get("/projects/hush/batches/one").is(http.StatusOK)
	for _, row := range board.All("tbody tr") {
		if strings.Contains(row.Text(), "Name of ann") && !strings.Contains(row.Text(), " 3 0 ") {
			t.Errorf("the board counts it: %s", row.Text())
		}
	}
}
