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
func TestCorrection_List_HidesDuplicates(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, ann := w.newUser("lead@example.org", account.Lead), w.newUser("ann@example.org", account.Annotator)
	p := w.newEmpathyProject(lead, "slips", 30, 2)
	b := w.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Seed: 3, CalibrationCount: 2, DuplicateCount: 6})
	annBrowser := w.signInAs(ann)
	annBrowser.post(annBrowser.completeCalibration(middleScores, ""), nil)
	path := annBrowser.post("/work/calibration/start", url.Values{"batch": {formatID(b.ID)}}).wantRedirect("")
	var tokens []string
	for !strings.Contains(path, "?") {
		if n := len(tokens); n == 20 {
			annBrowser.get(path).wantStatus(http.StatusOK).wantText("20 of 36")
		}
		tokens = append(tokens, strings.TrimPrefix(path, "/work/"))
		path = annBrowser.post(path, newAnswerForm(middleScores, "")).wantRedirect("")
	}
	if len(tokens) != 36 {
		t.Fatalf("%d items were sent, want 36", len(tokens))
	}
	seen, variableRE := 0, regexp.MustCompile(`"[A-Za-z0-9_-]{22,}"|[0-9]+|just now| checked|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec`)
	row := ""
	for next := "/work/corrections?batch=" + formatID(b.ID); next != ""; {
		page := annBrowser.get(next).wantStatus(http.StatusOK)
		for _, text := range []string{"Statement", "Response", "duplicate"} {
			if strings.Contains(page.body, text) {
				t.Errorf("%s tells of an item: %s", next, text)
			}
		}
		for _, option := range page.FindAll("#token .option") {
			token := option.FindFirst("input").Attr("value")
			if want := tokens[len(tokens)-1-seen]; token != want || !strings.Contains(option.Text(), fmt.Sprintf("Item %d", len(tokens)-seen)) {
				t.Errorf("%s stands where item %d is due", option.Text(), len(tokens)-seen)
			}
			seen++
			got := variableRE.ReplaceAllString(strings.ReplaceAll(option.RawText(), token, ""), "")
			if row == "" {
				row = got
			}
			if got != row {
				t.Errorf("item %d is listed otherwise:\n%s\n%s", len(tokens)-seen+1, got, row)
			}
		}
		next = ""
		for _, link := range page.FindAll("main form p a") {
			next = link.Attr("href")
		}
	}
	if seen != 36 {
		t.Errorf("%d items can be flagged, want all 36", seen)
	}
	if first := annBrowser.get("/work/corrections?batch=" + formatID(b.ID) + "&number=5").wantStatus(http.StatusOK).FindAll("#token .option"); len(first) != 5 || !strings.Contains(first[0].Text(), "Item 5") {
		t.Error("item 5 is not found by its number")
	}
	annBrowser.post("/work/corrections", url.Values{"batch": {formatID(b.ID)}, "token": {tokens[4]}, "message": {"Meant a 2."}}).wantRedirect("/work/corrections")
	annBrowser.get("/work/corrections?batch="+formatID(b.ID)).wantText("Item 5: Meant a 2.", "Your lead has been told.")
	stranger := w.signInAs(w.newUser("eve@example.org", account.Annotator))
	stranger.post("/work/corrections", url.Values{"token": {tokens[4]}, "message": {"Not mine."}}).wantStatus(http.StatusConflict)
	stranger.get("/work/corrections?batch=" + formatID(b.ID)).wantStatus(http.StatusOK).wantText("There is nothing yet")
	w.signInAs(lead).post("/projects/slips/batches/one/close", nil).wantRedirect("")
	annBrowser.post("/work/corrections", url.Values{"token": {tokens[5]}, "message": {"Too late."}}).wantStatus(http.StatusConflict).wantText("of a batch that is still open")
}

func TestReopenItem_ByLead_Audited(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, ann, _, b := w.newSingleAnnotatorBatch("unasked", project.BatchSpec{})
	leadBrowser, annBrowser := w.signInAs(lead), w.signInAs(ann)
	first := annBrowser.openNextItem()
	source := queryValue[string](w, `SELECT i.source_id FROM assignments a JOIN items i ON i.id = a.item_id WHERE a.token = $1`, strings.TrimPrefix(first, "/work/"))
	pseudonym := queryValue[string](w, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	second := annBrowser.post(first, newAnswerForm(middleScores, "")).wantRedirect("")
	const path = "/projects/unasked/batches/one/progress"
	item := queryValue[int64](w, `SELECT id FROM items WHERE source_id = $1`, source)
	leadBrowser.get("/projects/unasked/items/" + formatID(item) + "/answers").wantStatus(http.StatusOK).FindFirst("a[href='" + path + "?item=" + source + "#open']")
	leadBrowser.get(path + "?item=" + source).wantStatus(http.StatusOK).FindFirst("input[name='item'][value='" + source + "']")
	form := url.Values{"action": {"reopen"}, "annotator": {pseudonym}, "item": {source}, "reason": {" "}}
	leadBrowser.post(path, form).wantStatus(http.StatusUnprocessableEntity).wantText("why the item is opened once more").FindFirst("input[name='item'][value='" + source + "']")
	form.Set("reason", "Is the referral a 4?")
	form.Set("item", "none")
	leadBrowser.post(path, form).wantStatus(http.StatusConflict).wantText("There is no answer of " + pseudonym)
	form.Set("item", source)
	leadBrowser.post(path, form).wantRedirect(path)
	leadBrowser.post(path, form).wantStatus(http.StatusConflict)
	leadBrowser.get(path).wantText("Is the referral a 4?", "Opened once more by a lead, unasked.")
	annBrowser.get("/work/corrections?batch="+formatID(b.ID)).wantText("Item 1: Is the referral a 4?", "Your lead opened it once more: it comes to you next.")
	again := annBrowser.post(second, newAnswerForm(middleScores, "")).wantRedirect("")
	annBrowser.get(again).wantStatus(http.StatusOK).wantText("Opened once more").FindFirst("input[name='emotion'][value='3'][checked]")
	annBrowser.post(again, newAnswerForm(map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 4, "overall": 3}, "")).wantRedirect("")
	if n := queryValue[int](w, `SELECT count(*) FROM annotations WHERE replaces IS NOT NULL AND attempt = 2`); n != 1 {
		t.Error("the answers are not kept beside those given first")
	}
	if n := queryValue[int](w, `SELECT count(*) FROM audit WHERE action = 'batch.flag' AND detail->>'why' = 'Is the referral a 4?'`); n != 1 {
		t.Error("the trail does not tell why")
	}
	w.signInAs(w.newUser("other@example.org", account.Lead)).post(path, form).wantStatus(http.StatusNotFound)
}
