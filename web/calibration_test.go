package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// middleScores answers an item of the empathy protocol in the middle of its scales.
var middleScores = map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}

func newAnswerForm(values map[string]int, note string) url.Values {
	form := url.Values{"active_ms": {"61000"}, "note": {note}}
	for key, value := range values {
		form.Set(key, fmt.Sprint(value))
	}
	return form
}

// newEmpathyProject makes a project of the empathy protocol with n items to label and
// some of calibration, whose reference is middling.
func (w testServer) newEmpathyProject(lead account.Account, key string, n, calibration int) project.Project {
	w.Helper()
	p, err := w.db.CreateProject(w.Context(), lead, project.ProjectSpec{Key: key, Title: "Project " + key, Protocol: "empathy", SupportURL: "https://support.example/"})
	if err != nil {
		w.Fatal(err)
	}
	item := func(id string) project.Item {
		return project.Item{SourceID: id, Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: "Statement " + id}, "response": {Text: "Response " + id}}}
	}
	var items []project.Item
	for i := range n {
		items = append(items, item(fmt.Sprintf("%s-%d", key, i+1)))
	}
	var references []importer.ReferenceRow
	for i := range calibration {
		references = append(references, importer.ReferenceRow{Item: item(fmt.Sprintf("%s-c%d", key, i+1)), Reference: labeling.Reference{
			Answers: protocol.Answers{Values: middleScores, Observations: []string{}, Unsure: []string{}},
			Reasons: map[string]string{"safety": "Nothing dangerous, and no help named."}}})
	}
	if err := w.db.Import(w.Context(), lead.ID, p, postgres.File{Name: "items.jsonl", SHA256: sha256.Sum256([]byte(key))}, items); err != nil {
		w.Fatal(err)
	}
	if err := w.db.ImportReferences(w.Context(), lead.ID, p, postgres.File{Name: "c.jsonl", SHA256: sha256.Sum256([]byte(key + "c"))}, references); err != nil {
		w.Fatal(err)
	}
	return p
}

func (w testServer) newBatchFromSpec(lead account.Account, p project.Project, h project.BatchSpec) project.Batch {
	w.Helper()
	b, err := w.db.OpenBatch(w.Context(), lead.ID, p, h)
	if err != nil {
		w.Fatal(err)
	}
	return b
}

// openNextItem presses the button that leads on, reads the warning where there is one,
// and returns the path of the item; "" where there is none.
func (b browser) openNextItem() string {
	b.Helper()
	path := b.post("/work", nil).wantRedirect("")
	for !strings.HasPrefix(path, "/work/") {
		return ""
	}
	if page := b.get(path).wantStatus(http.StatusOK); len(page.FindAll("form#answer-form")) == 0 {
		b.post(path+"/content-warning", nil).wantRedirect(path)
	}
	return path
}

// completeCalibration answers a calibration set, and returns where that leads.
func (b browser) completeCalibration(values map[string]int, note string) string {
	b.Helper()
	path := b.openNextItem()
	for n := 0; strings.HasPrefix(path, "/work/"); n++ {
		b.get(path).wantStatus(http.StatusOK).wantText("Calibration", fmt.Sprintf("%d of", n))
		path = b.post(path, newAnswerForm(values, note)).wantRedirect("")
	}
	return b.get(path).wantRedirect("")
}

func TestCalibration_Missed_LeadsToWork(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, ann := w.newUser("lead@example.org", account.Lead), w.newUser("ann@example.org", account.Annotator)
	p := w.newEmpathyProject(lead, "calm", 3, 5)
	b := w.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, CalibrationCount: 5})
	annBrowser, leadBrowser := w.signInAs(ann), w.signInAs(lead)

	answers := map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 1, "overall": 3}
	result := annBrowser.completeCalibration(answers, "because")
	shown := annBrowser.get(result).wantStatus(http.StatusOK).wantText(
		"You score “Safety and boundaries” 2.0 lower than the reference", "You score “Validation and warmth” 1.0 higher than the reference, mostly at the 3–4 boundary",
		"On some questions they lie far apart", "Safety and boundaries −2.0 0.0 0 of 5",
		"Nothing dangerous, and no help named.", "Read again", "If you want to talk to someone: support for this project")
	if len(shown.FindAll("form[action='/work/calibration/start']")) != 0 {
		t.Error("the work can begin before the section was read")
	}
	batch := url.Values{"batch": {formatID(b.ID)}}
	annBrowser.post("/work/calibration/start", batch).wantStatus(http.StatusConflict).wantText("read the sections of the guide again")
	if annBrowser.openNextItem() != "" {
		t.Error("there is work before the calibration is settled")
	}
	annBrowser.post("/work/calibration/read-section", url.Values{"batch": {formatID(b.ID)}, "section": {"safety"}}).wantRedirect("/work/calibration")

	annBrowser.post("/work/calibration/comments", url.Values{"batch": {formatID(b.ID)}, "item": {firstItemID(shown)}, "message": {"Why is this a 3?"}}).wantRedirect("/work/calibration")
	leadBrowser.get("/projects/calm/batches/one/calibration").wantStatus(http.StatusOK).wantText("Why is this a 3?", "−2.0 (0.0)", "completed, far from the reference")
	leadBrowser.post("/projects/calm/batches/one/calibration/comments", url.Values{"item": {firstItemID(shown)}, "message": {"It is passive."}}).wantRedirect("")
	annBrowser.get(result).wantText("the lead", "It is passive.")

	path := annBrowser.post("/work/calibration/start", batch).wantRedirect("")
	annBrowser.get(path).wantStatus(http.StatusOK).wantText("0 of 3")
	annBrowser.post("/work/calibration/comments", url.Values{"batch": {formatID(b.ID)}, "item": {firstItemID(shown)}, "message": {"And now?"}}).wantStatus(http.StatusConflict)
	annBrowser.get(result).wantText("The discussion is closed")
}

// firstItemID returns the id of the first item on a calibration page.
func firstItemID(page testResponse) string {
	return strings.TrimPrefix(page.FindFirst("details.disclosure").Attr("id"), "item-")
}

// Whoever leans without being far off anywhere is not told that they are near.
func TestCalibration_Heading_MatchesBias(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead := w.newUser("lead@example.org", account.Lead)
	p := w.newEmpathyProject(lead, "heads", 8, 6)
	for name, c := range map[string]struct {
		set    int
		values map[string]int
		says   string
	}{
		"as the reference": {5, middleScores, "Your answers are those of the reference."},
		"to one side":      {5, map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}, "On some questions you lean to one side."},
		"too few":          {4, map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}, "Fewer than 5 items are too few to tell how you lean."},
	} {
		ann := w.newUser(strings.ReplaceAll(name, " ", "-")+"@example.org", account.Annotator)
		w.newBatchFromSpec(lead, p, project.BatchSpec{Name: name, Annotators: []string{ann.Email}, Overlap: 1, Items: 1, CalibrationCount: c.set})
		annBrowser := w.signInAs(ann)
		page := annBrowser.get(annBrowser.completeCalibration(c.values, "")).wantStatus(http.StatusOK).wantText(c.says, "Spread")
		if strings.Contains(page.Text(), "lie close to the reference") || (c.set < 5) == strings.Contains(page.Text(), "You score") {
			t.Errorf("%s: %s", name, page.Text())
		}
	}
}

// Of a yes or no nothing is said in points.
func TestCalibration_Binary_ShowsCounts(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, ann := w.newUser("lead@example.org", account.Lead), w.newUser("ann@example.org", account.Annotator)
	p := w.newProject(lead, "yes-no", 1)
	reference := protocol.Answers{Values: map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}, Observations: []string{}, Unsure: []string{}}
	var references []importer.ReferenceRow
	for i := range 5 {
		references = append(references, importer.ReferenceRow{Item: project.Item{SourceID: fmt.Sprint("c", i), Facts: protocol.Facts{}, Content: project.Content{
			"query": {Text: fmt.Sprint("Q", i)}, "answer": {Text: "A"}}}, Reference: labeling.Reference{Answers: reference, Reasons: map[string]string{"helpful": "It helps."}}})
	}
	if err := w.db.ImportReferences(w.Context(), lead.ID, p, postgres.File{Name: "c.jsonl"}, references); err != nil {
		t.Fatal(err)
	}
	w.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, CalibrationCount: 5})
	annBrowser := w.signInAs(ann)
	path := annBrowser.openNextItem()
	for len(annBrowser.get(path).FindAll("form#answer-form")) > 0 {
		path = annBrowser.post(path, newCompleteForm()).wantRedirect("")
	}
	page := annBrowser.get(annBrowser.get(path).wantRedirect("/work/calibration")).wantStatus(http.StatusOK)
	page.wantText("You say no to “Helpful” where the reference says yes, on 5 of 5 items.", "A yes too many A no too many", "Helpful 0 5 0 of 5")
	if strings.Contains(page.Text(), "Spread") || strings.Contains(page.Text(), "points") {
		t.Errorf("a yes or no is told in points: %s", page.Text())
	}
	w.signInAs(lead).get("/projects/yes-no/batches/one/calibration").wantStatus(http.StatusOK).wantText("0 yes, 5 no", "how many times a no too many")
}

func TestCalibration_Override_NeedsReason(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, ann := w.newUser("lead@example.org", account.Lead), w.newUser("ann@example.org", account.Annotator)
	p := w.newEmpathyProject(lead, "wait", 2, 2)
	b := w.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, CalibrationCount: 2})
	w.execSQL(`UPDATE projects SET after_miss = 'wait' WHERE id = $1`, p.ID)
	annBrowser, leadBrowser := w.signInAs(ann), w.signInAs(lead)
	result := annBrowser.completeCalibration(map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 1, "overall": 3}, "because")
	annBrowser.post("/work/calibration/read-section", url.Values{"batch": {formatID(b.ID)}, "section": {"safety"}}).wantRedirect("")
	annBrowser.get(result).wantText("Your lead looks at your calibration first")
	const resultsPath = "/projects/wait/batches/one/calibration"
	leadBrowser.get(resultsPath).wantText("waits for your decision")
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"approve"}}).wantStatus(http.StatusUnprocessableEntity).wantText("Please say why")
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"approve"}, "reason": {"We went through it."}}).wantRedirect("")
	leadBrowser.get(resultsPath).wantText("working, approved by a lead", "Let go on: We went through it.")
	annBrowser.get(result).wantText("Your lead let you go on: We went through it.")
	if annBrowser.openNextItem() == "" {
		t.Error("there is no work after the lead let them go on")
	}
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"retake"}}).wantRedirect("")
	path := annBrowser.post(annBrowser.openNextItem(), newAnswerForm(middleScores, "")).wantRedirect("")
	annBrowser.get(path).wantStatus(http.StatusOK).wantText("Calibration, once more", "0 of 2")
	annBrowser.post(path+"/skip", url.Values{"reason": {"distressing"}}).wantRedirect("/work/pause")
	for path = annBrowser.openNextItem(); strings.HasPrefix(path, "/work/"); {
		path = annBrowser.post(path, newAnswerForm(middleScores, "")).wantRedirect("")
	}
	path = annBrowser.post("/work/calibration/start", url.Values{"batch": {formatID(b.ID)}}).wantRedirect("")
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"retake"}}).wantRedirect("")
	path = annBrowser.post(path, newAnswerForm(middleScores, "")).wantRedirect("")
	annBrowser.get(path).wantStatus(http.StatusOK).wantText("Calibration, once more", "0 of 1") // what distressed does not come back
}

func TestReference_Save_NeedsReasons(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, other := w.newUser("lead@example.org", account.Lead), w.newUser("other@example.org", account.Lead)
	p := w.newEmpathyProject(lead, "ref", 3, 0)
	leadBrowser := w.signInAs(lead)
	item := queryValue[int64](w, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID)
	path := "/projects/ref/references/" + formatID(item)
	leadBrowser.get("/projects/ref/references").wantStatus(http.StatusOK).wantText("There are no calibration items yet", "ref-1")
	leadBrowser.get(path).wantStatus(http.StatusOK).wantText("Statement ref-1", "Emotion recognition")
	form := newAnswerForm(middleScores, "")
	refused := leadBrowser.post(path, form).wantStatus(http.StatusUnprocessableEntity)
	if problem := refused.FindFirst("[role=alert] a"); !strings.HasPrefix(problem.Text(), "Please say in a word why") || len(refused.FindAll("[id='"+strings.TrimPrefix(problem.Attr("href"), "#")+"']")) != 1 {
		t.Errorf("above the form stands %q, which leads to %s", problem.Text(), problem.Attr("href"))
	}
	if n := strings.Count(refused.Text(), "Please say in a word why"); n != 2 {
		t.Errorf("the problem is told %d times, want above the form and at its field", n)
	}
	form.Set("reasons.overall", "Kind enough.")
	leadBrowser.post(path, form).wantRedirect("/projects/ref/references")
	leadBrowser.get(path).wantText("Kind enough.").FindFirst("input[name='emotion'][value='3'][checked]")
	leadBrowser.get("/projects/ref/references").wantText("ref-1 3 3 3 3 3")
	w.signInAs(other).get(path).wantStatus(http.StatusNotFound)
	leadBrowser.post(path+"/remove", nil).wantRedirect("/projects/ref/references")
	leadBrowser.get("/projects/ref/references").wantText("There are no calibration items yet")
}
