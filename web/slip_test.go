package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// Whatever was sent can be flagged, by its number alone: what is listed of a
// hidden duplicate is, but for token, number and time, what is listed of a new
// item.
func TestAnyItemThatWasSentCanBeFlaggedAndNoneGivesADuplicateAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	p := w.empathy(lead, "slips", 30, 2)
	b := w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Seed: 3, Calibration: 2, Duplicates: 6})
	me := w.as(ann)
	me.post(me.calibrates(middling, ""), nil)
	path := me.post("/work/calibration/on", url.Values{"batch": {id64(b.ID)}}).leads("")
	var tokens []string
	for !strings.Contains(path, "?") {
		if n := len(tokens); n == 20 {
			me.get(path).is(http.StatusOK).says("20 of 36")
		}
		tokens = append(tokens, strings.TrimPrefix(path, "/work/"))
		path = me.post(path, formOf(middling, "")).leads("")
	}
	if len(tokens) != 36 {
		t.Fatalf("%d items were sent, want 36", len(tokens))
	}
	seen, bare := 0, regexp.MustCompile(`"[A-Za-z0-9_-]{22,}"|[0-9]+|just now| checked|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec`)
	row := ""
	for next := "/work/slip?batch=" + id64(b.ID); next != ""; {
		page := me.get(next).is(http.StatusOK)
		for _, text := range []string{"Statement", "Response", "duplicate"} {
			if strings.Contains(page.body, text) {
				t.Errorf("%s tells of an item: %s", next, text)
			}
		}
		for _, option := range page.All("#token .option") {
			token := option.First("input").Attr("value")
			if want := tokens[len(tokens)-1-seen]; token != want || !strings.Contains(option.Text(), fmt.Sprintf("Item %d", len(tokens)-seen)) {
				t.Errorf("%s stands where item %d is due", option.Text(), len(tokens)-seen)
			}
			seen++
			got := bare.ReplaceAllString(strings.ReplaceAll(option.Raw(), token, ""), "")
			if row == "" {
				row = got
			}
			if got != row {
				t.Errorf("item %d is listed otherwise:\n%s\n%s", len(tokens)-seen+1, got, row)
			}
		}
		next = ""
		for _, link := range page.All("main form p a") {
			next = link.Attr("href")
		}
	}
	if seen != 36 {
		t.Errorf("%d items can be flagged, want all 36", seen)
	}
	if first := me.get("/work/slip?batch=" + id64(b.ID) + "&place=5").is(http.StatusOK).All("#token .option"); len(first) != 5 || !strings.Contains(first[0].Text(), "Item 5") {
		t.Error("item 5 is not found by its number")
	}
	me.post("/work/slip", url.Values{"batch": {id64(b.ID)}, "token": {tokens[4]}, "says": {"Meant a 2."}}).leads("/work/slip")
	me.get("/work/slip?batch="+id64(b.ID)).says("Item 5: Meant a 2.", "Your lead has been told.")
	stranger := w.as(w.person("eve@example.org", account.Annotator))
	stranger.post("/work/slip", url.Values{"token": {tokens[4]}, "says": {"Not mine."}}).is(http.StatusConflict)
	stranger.get("/work/slip?batch=" + id64(b.ID)).is(http.StatusOK).says("There is nothing yet")
	w.as(lead).post("/projects/slips/batches/one/close", nil).leads("")
	me.post("/work/slip", url.Values{"token": {tokens[5]}, "says": {"Too late."}}).is(http.StatusConflict).says("of a batch that is still open")
}

func TestALeadOpensAnItemOnceMoreUnasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann, _, b := w.one("unasked", project.Handout{})
	boss, me := w.as(lead), w.as(ann)
	first := me.next()
	source := query[string](w, `SELECT i.source_id FROM assignments a JOIN items i ON i.id = a.item_id WHERE a.token = $1`, strings.TrimPrefix(first, "/work/"))
	pseudonym := query[string](w, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	second := me.post(first, formOf(middling, "")).leads("")
	const path = "/projects/unasked/batches/one/progress"
	item := query[int64](w, `SELECT id FROM items WHERE source_id = $1`, source)
	boss.get("/projects/unasked/items/" + id64(item) + "/answers").is(http.StatusOK).First("a[href='" + path + "?item=" + source + "#open']")
	boss.get(path + "?item=" + source).is(http.StatusOK).First("input[name='item'][value='" + source + "']")
	form := url.Values{"act": {"open"}, "annotator": {pseudonym}, "item": {source}, "why": {" "}}
	boss.post(path, form).is(http.StatusUnprocessableEntity).says("why the item is opened once more").First("input[name='item'][value='" + source + "']")
	form.Set("why", "Is the referral a 4?")
	form.Set("item", "none")
	boss.post(path, form).is(http.StatusConflict).says("There is no answer of " + pseudonym)
	form.Set("item", source)
	boss.post(path, form).leads(path)
	boss.post(path, form).is(http.StatusConflict)
	boss.get(path).says("Is the referral a 4?", "Opened once more by a lead, unasked.")
	me.get("/work/slip?batch="+id64(b.ID)).says("Item 1: Is the referral a 4?", "Your lead opened it once more: it comes to you next.")
	again := me.post(second, formOf(middling, "")).leads("")
	me.get(again).is(http.StatusOK).says("Opened once more").First("input[name='emotion'][value='3'][checked]")
	me.post(again, formOf(map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 4, "overall": 3}, "")).leads("")
	if n := query[int](w, `SELECT count(*) FROM annotations WHERE replaces IS NOT NULL AND attempt = 2`); n != 1 {
		t.Error("the answers are not kept beside those given first")
	}
	if n := query[int](w, `SELECT count(*) FROM audit WHERE action = 'batch.flag' AND detail->>'why' = 'Is the referral a 4?'`); n != 1 {
		t.Error("the trail does not tell why")
	}
	w.as(w.person("other@example.org", account.Lead)).post(path, form).is(http.StatusNotFound)
}
