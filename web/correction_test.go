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
	"github.com/labelwright/labelwright/internal/sequence"
)

// Every submitted item can be corrected. Apart from token, number, time and text, a hidden
// duplicate is listed like a new item. No text is listed twice.
func TestCorrection_List_HidesDuplicates(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "mistakes", 30, 2)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		Seed: 3, CalibrationCount: 2, DuplicateCount: 6})
	annBrowser := env.signInAs(ann)
	annBrowser.post(annBrowser.submitCalibration(middleScores, ""), nil)
	path := annBrowser.post("/work/calibration/start", url.Values{"batch": {formatID(b.ID)}}).checkRedirect("")
	var tokens []string
	for !strings.Contains(path, "?") {
		if n := len(tokens); n == 20 {
			annBrowser.get(path).checkStatus(http.StatusOK).checkContains("20 of 36")
		}
		tokens = append(tokens, strings.TrimPrefix(path, "/work/"))
		path = annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect("")
	}
	if len(tokens) != 36 {
		t.Fatalf("%d items were submitted, want 36", len(tokens))
	}
	seen, variableRE := 0, regexp.MustCompile(
		`"[A-Za-z0-9_-]{22,}"|[0-9]+|just now| checked|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec`)
	rows, titles, titleRE := map[bool]string{}, map[string]bool{}, regexp.MustCompile(`: Statement mistakes-[0-9]+`)
	for next := "/work/corrections?batch=" + formatID(b.ID); next != ""; {
		page := annBrowser.get(next).checkStatus(http.StatusOK)
		if strings.Contains(page.body, "duplicate") {
			t.Errorf("%s reveals duplicates", next)
		}
		for _, option := range page.FindAll("#token .option") {
			token := option.FindFirst("input").Attr("value")
			if want := tokens[len(tokens)-1-seen]; token != want || !strings.Contains(option.Text(),
				fmt.Sprintf("Item %d", len(tokens)-seen)) {
				t.Errorf("%s is listed in place of item %d", option.Text(), len(tokens)-seen)
			}
			seen++
			raw := strings.ReplaceAll(option.RawText(), token, "")
			title := titleRE.FindString(raw)
			if isRecent := title != ""; isRecent != (seen < sequence.MinDistance(36)) ||
				isRecent != strings.Contains(raw, " 3 · ") || titles[title] && isRecent {
				t.Errorf("item %d is listed as %s", len(tokens)-seen+1, raw)
			}
			titles[title] = true
			got := variableRE.ReplaceAllString(titleRE.ReplaceAllString(raw, ""), "")
			if rows[title != ""] == "" {
				rows[title != ""] = got
			}
			if got != rows[title != ""] {
				t.Errorf("item %d is listed differently:\n%s\n%s", len(tokens)-seen+1, got, rows[title != ""])
			}
		}
		next = ""
		for _, link := range page.FindAll("main form p a") {
			next = link.Attr("href")
		}
	}
	if seen != 36 {
		t.Errorf("%d items can be corrected, want 36", seen)
	}
	if first := annBrowser.get("/work/corrections?batch=" + formatID(b.ID) + "&number=5").checkStatus(
		http.StatusOK).FindAll("#token .option"); len(first) != 5 || !strings.Contains(first[0].Text(), "Item 5") {
		t.Error("item 5 is not found by its number")
	}
	annBrowser.post("/work/corrections", url.Values{"batch": {formatID(b.ID)}, "token": {tokens[4]},
		"message": {"Meant a 2."}}).checkRedirect("/work/corrections")
	annBrowser.get("/work/corrections?batch="+formatID(b.ID)).checkContains("Item 5: Meant a 2.", "Sent to your lead.")
	stranger := env.signInAs(env.newUser("eve@example.org", account.Annotator))
	stranger.post("/work/corrections", url.Values{"token": {tokens[4]}, "message": {"Not mine."}}).checkStatus(
		http.StatusConflict)
	stranger.get("/work/corrections?batch=" + formatID(b.ID)).checkStatus(http.StatusOK).checkContains(
		"You have not submitted an item yet")
	env.signInAs(lead).post("/projects/mistakes/batches/one/close", url.Values{"reason": {"done"}}).checkRedirect("")
	annBrowser.post("/work/corrections", url.Values{"token": {tokens[5]}, "message": {"Too late."}}).checkStatus(
		http.StatusConflict).checkContains("in an open batch")
}

func TestReopenItem_ByLead_Audited(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, _, b := env.newSingleAnnotatorBatch("unasked", project.BatchSpec{})
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	first := annBrowser.openItem()
	source := query[string](env, `SELECT i.source_id FROM assignments a JOIN items i ON i.id = a.item_id
		WHERE a.token = $1`, strings.TrimPrefix(first, "/work/"))
	pseudonym := query[string](env, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	second := annBrowser.post(first, newAnswerForm(middleScores, "")).checkRedirect("")
	const path = "/projects/unasked/batches/one/progress"
	item := query[int64](env, `SELECT id FROM items WHERE source_id = $1`, source)
	leadBrowser.get("/projects/unasked/items/" + formatID(item)).checkStatus(http.StatusOK).FindFirst(
		"a[href='" + path + "?item=" + source + "#reopen']")
	leadBrowser.get(path + "?item=" + source).checkStatus(http.StatusOK).FindFirst("input[name='item'][value='" +
		source + "']")
	form := url.Values{"action": {"reopen"}, "annotator": {pseudonym}, "item": {source}, "reason": {" "}}
	leadBrowser.post(path, form).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"why you reopen the item").FindFirst("input[name='item'][value='" + source + "']")
	form.Set("reason", "Is the referral a 4?")
	form.Set("item", "none")
	leadBrowser.post(path, form).checkStatus(http.StatusConflict).checkContains("of " + pseudonym +
		" cannot be reopened")
	form.Set("item", source)
	leadBrowser.post(path, form).checkRedirect(path)
	leadBrowser.post(path, form).checkStatus(http.StatusConflict)
	leadBrowser.get(path).checkContains("Is the referral a 4?", "Reopened by a lead without a request.")
	annBrowser.get("/work/corrections?batch="+formatID(b.ID)).checkContains("Item 1: Is the referral a 4?",
		"Your lead reopened this item. You get it next.")
	again := annBrowser.post(second, newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.get(again).checkStatus(http.StatusOK).checkContains("Reopened").FindFirst(
		"input[name='emotion'][value='3'][checked]")
	annBrowser.post(again, newAnswerForm(map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 4,
		"overall": 3}, "")).checkRedirect("")
	if n := query[int](env, `SELECT count(*) FROM annotations WHERE replaces_id IS NOT NULL
		AND attempt_no = 2`); n != 1 {
		t.Error("the first answers are not kept")
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = 'correction.reopen_item'
		AND detail->>'reason' = 'Is the referral a 4?'`); n != 1 {
		t.Error("the audit log has no reason")
	}
	env.signInAs(env.newUser("other@example.org", account.Lead)).post(path, form).checkStatus(http.StatusNotFound)
}
