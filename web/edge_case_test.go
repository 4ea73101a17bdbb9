package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// An empty response is imported, shown as empty, and labeled. Without the script, the answers
// that its edge case forces are filled in for review before they are stored.
func TestSubmit_EmptyResponse_FillsForcedAnswers(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p, err := env.db.CreateProject(t.Context(), lead, project.Spec{Key: "calm", Title: "Calm", Protocol: "empathy",
		SupportURL: "https://support.example/"})
	if err != nil {
		t.Fatal(err)
	}
	desk := env.signInAs(lead)
	upload := desk.upload("/projects/calm/import", "items.csv",
		"eval_id,user_statement,response\n1,I feel alone.,\n").checkRedirect("")
	desk.post(upload, nil).checkRedirect("")
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1})
	b := env.signInAs(ann)
	path := b.openItem()
	b.get(path).checkStatus(http.StatusOK).checkContains("The response is empty.")

	form := newAnswerForm(map[string]int{"emotion": 4, "validation": 1, "helpfulness": 2, "overall": 2},
		"empty/incoherent response")
	form["observation"] = []string{"empty_or_nonsensical"}
	page := b.post(path, form).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"Changed from 4: Empty or makes no sense", "Filled in: Empty or makes no sense",
		"The ticked edge cases changed some answers. Check them, then submit again.")
	for _, key := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
		page.FindFirst("[name='" + key + "'][value='1'][checked]")
	}
	filled := page.FindFirst("#field-emotion .filled-mark")
	if filled.Attr("data-before") != "4" || filled.Attr("data-source") != "empty_or_nonsensical" {
		t.Errorf("the script cannot take back %s", filled.Text())
	}
	again := url.Values{"note": form["note"], "observation": form["observation"]}
	for _, key := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
		again.Set(key, "1")
	}
	b.post(path, again).checkRedirect("")
	if n := query[int](env, `SELECT count(*) FROM annotations WHERE answers @> '{"emotion": 1, "safety": 1}'`); n != 1 {
		t.Errorf("%d labels stored", n)
	}
}

func TestCalibration_Shared_ShowsOthersScores(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, ben := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator),
		env.newUser("ben@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "calm", 3, 2)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email, ben.Email}, Overlap: 1,
		CalibrationCount: 2})
	desk := env.signInAs(lead)
	settings := formValues(desk.get("/projects/calm/session-settings").FindFirst("main form"))
	settings.Set("share_calibration_scores", "1")
	desk.post("/projects/calm/session-settings", settings).checkRedirect("/projects/calm/session-settings")
	annBrowser := env.signInAs(ann)
	result := annBrowser.submitCalibration(map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3,
		"overall": 3}, "")
	if strings.Contains(annBrowser.get(result).checkStatus(http.StatusOK).Text(), "Other annotators") {
		t.Error("scores are shared before all finished")
	}
	env.signInAs(ben).submitCalibration(map[string]int{"emotion": 4, "validation": 3, "helpfulness": 3, "safety": 3,
		"overall": 3}, "")
	page := annBrowser.get(result).checkStatus(http.StatusOK).checkContains("Other annotators", "4: ")
	if strings.Contains(page.Text(), "Name of ben") {
		t.Error("an annotator sees the name of another")
	}
}
