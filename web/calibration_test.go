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

// middleScores answers an item of the empathy protocol in the middle of its
// scales.
var middleScores = map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}

func newAnswerForm(values map[string]int, note string) url.Values {
	form := url.Values{"active_ms": {"61000"}, "note": {note}}
	for key, value := range values {
		form.Set(key, fmt.Sprint(value))
	}
	return form
}

// newEmpathyProject creates a project of the empathy protocol with n items to
// label and some calibration items, whose reference answers are in the middle.
func (env testEnv) newEmpathyProject(lead account.Account, key string, n, calibration int) project.Project {
	env.Helper()
	p, err := env.db.CreateProject(env.Context(), lead, project.Spec{Key: key, Title: "Project " + key,
		Protocol: "empathy", SupportURL: "https://support.example/"})
	if err != nil {
		env.Fatal(err)
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
		references = append(references, importer.ReferenceRow{Item: item(fmt.Sprintf("%s-c%d", key, i+1)),
			Reference: labeling.Reference{
				Answers: protocol.Answers{Values: middleScores, Observations: []string{}, Unsure: []string{}},
				Reasons: map[string]string{"safety": "Nothing dangerous, and no help named."}}})
	}
	if err := env.db.Import(env.Context(), lead.ID, p, postgres.File{Name: "items.jsonl",
		SHA256: sha256.Sum256([]byte(key))}, items); err != nil {
		env.Fatal(err)
	}
	if err := env.db.ImportReferences(env.Context(), lead.ID, p, postgres.File{Name: "c.jsonl",
		SHA256: sha256.Sum256([]byte(key + "c"))}, references); err != nil {
		env.Fatal(err)
	}
	return p
}

// openItem opens the next item, acknowledges its content warning, and returns
// the path of the item, or "".
func (b browser) openItem() string {
	b.Helper()
	path := b.post("/work", nil).checkRedirect("")
	for !strings.HasPrefix(path, "/work/") {
		return ""
	}
	b.readRequired(path)
	return path
}

// readRequired acknowledges what must be read before an item.
func (b browser) readRequired(path string) {
	b.Helper()
	for page := b.get(path).checkStatus(http.StatusOK); ; page = b.get(path).checkStatus(http.StatusOK) {
		forms := page.FindAll("form[action='/work/reading']")
		if len(forms) == 0 {
			return
		}
		b.post("/work/reading", formValues(forms[0])).checkRedirect(path)
	}
}

// submitCalibration answers a calibration set, and returns the path it
// redirects to.
func (b browser) submitCalibration(values map[string]int, note string) string {
	b.Helper()
	path := b.openItem()
	for n := 0; strings.HasPrefix(path, "/work/"); n++ {
		b.get(path).checkStatus(http.StatusOK).checkContains("Calibration", fmt.Sprintf("%d of", n))
		path = b.answerCalibrationItem(path, newAnswerForm(values, note))
	}
	return b.get(path).checkRedirect("")
}

// answerCalibrationItem submits a calibration item, reads its reference if that is shown, and
// returns the path of what is next.
func (b browser) answerCalibrationItem(path string, form url.Values) string {
	b.Helper()
	next := b.post(path, form).checkRedirect("")
	if next != path+"/reference" {
		return next
	}
	return b.post("/work", formValues(b.get(next).checkStatus(http.StatusOK).FindFirst("form[action='/work']"))).checkRedirect("")
}

// The reference follows each answer, which is final then; a batch may show it only at the end.
// Neither shows it before the answer, or to anybody else.
func TestCalibration_Reference_FollowsEachAnswer(t *testing.T) {
	t.Parallel()
	for _, atEnd := range []bool{false, true} {
		env := newTestEnv(t)
		lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
		p := env.newEmpathyProject(lead, "calm", 1, 2)
		env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
			CalibrationCount: 2, ReferenceAtEnd: atEnd})
		annBrowser := env.signInAs(ann)
		path := annBrowser.openItem()
		reference := path + "/reference"
		annBrowser.get(reference).checkStatus(http.StatusNotFound)
		low := map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 2, "overall": 3}
		next := annBrowser.post(path, newAnswerForm(low, "")).checkRedirect("")
		if got := next == reference; got == atEnd {
			t.Errorf("at end %t: the submit leads to %s", atEnd, next)
		}
		if atEnd {
			annBrowser.get(reference).checkStatus(http.StatusNotFound)
			continue
		}
		annBrowser.get(reference).checkStatus(http.StatusOK).checkContains("1 of 5 answers differ from the reference.",
			"Nothing dangerous, and no help named.", "Safety and boundaries 2 3 −1")
		env.signInAs(lead).get(reference).checkStatus(http.StatusNotFound)
		annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect(reference)
		annBrowser.get(reference).checkContains("Safety and boundaries 2 3 −1")
	}
}

func TestCalibration_Missed_LeadsToWork(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "calm", 3, 5)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		CalibrationCount: 5})
	annBrowser, leadBrowser := env.signInAs(ann), env.signInAs(lead)

	answers := map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 1, "overall": 3}
	result := annBrowser.submitCalibration(answers, "because")
	shown := annBrowser.get(result).checkStatus(http.StatusOK).checkContains(
		"You score “Safety and boundaries” 2.0 lower than the reference",
		"You score “Validation and warmth” 1.0 higher than the reference, mostly at the boundary between 3 and 4",
		"differ strongly from the reference", "Safety and boundaries 0 5 0 of 5",
		"Nothing dangerous, and no help named.", "Guide sections to read again", "Get support")
	if len(shown.FindAll("form[action='/work/calibration/start']")) != 0 {
		t.Error("the work can start before the section is read")
	}
	batch := url.Values{"batch": {formatID(b.ID)}}
	annBrowser.post("/work/calibration/start", batch).checkStatus(http.StatusConflict).checkContains(
		"Read the listed sections of the guide again")
	if annBrowser.openItem() != "" {
		t.Error("there is work before the calibration is resolved")
	}
	if text := shown.FindFirst("#next").Text(); !strings.Contains(text, "Safety and boundaries") {
		t.Errorf("the next thing to do is %q", text)
	}
	next := annBrowser.post("/work/calibration/read-section", url.Values{"batch": {formatID(b.ID)},
		"section": {"safety"}}).checkRedirect("/work/calibration")
	if annBrowser.get(next).FindFirst("#next form[action='/work/calibration/start']"); !strings.HasSuffix(next, "#next") {
		t.Errorf("after the last section, %s opens", next)
	}

	annBrowser.post("/work/calibration/comments", url.Values{"batch": {formatID(b.ID)}, "item": {firstItemID(shown)},
		"message": {"Why is this a 3?"}}).checkRedirect("/work/calibration")
	leadBrowser.get("/projects/calm/batches/one/calibration").checkStatus(http.StatusOK).checkContains(
		"Why is this a 3?", "−2.0 (0.0)", "completed, far from the reference")
	leadBrowser.post("/projects/calm/batches/one/calibration/comments", url.Values{"item": {firstItemID(shown)},
		"message": {"It is passive."}}).checkRedirect("")
	annBrowser.get(result).checkContains("the lead", "It is passive.")

	path := annBrowser.post("/work/calibration/start", batch).checkRedirect("")
	annBrowser.get(path).checkStatus(http.StatusOK).checkContains("0 of 3")
	annBrowser.post("/work/calibration/comments", url.Values{"batch": {formatID(b.ID)}, "item": {firstItemID(shown)},
		"message": {"And now?"}}).checkStatus(http.StatusConflict)
	annBrowser.get(result).checkContains("The discussion is closed")
}

// An annotator who asks for German reads the protocol in German: the guide, the form,
// a broken rule and the reference.
func TestProtocol_German_IsTranslated(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "calm", 1, 2)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		CalibrationCount: 2})
	annBrowser := env.signInAs(ann)
	annBrowser.client.Transport = inGerman{}
	path := annBrowser.openItem()
	english := []string{"Emotion recognition", "Passes over", "Safety and boundaries", "Common mistakes"}
	check := func(page testResponse, want ...string) {
		t.Helper()
		page.checkContains(want...)
		for _, text := range english {
			if strings.Contains(page.Text(), text) {
				t.Errorf("%s shows %q", page.path, text)
			}
		}
	}
	check(annBrowser.get(path), "Gefühle erkennen", "Geht an dem vorbei, was die Person fühlt.", "Leitung fragen")
	check(annBrowser.get(guidePath("calm", b.ID)), "Häufige Fehler", "Sicherheit und Grenzen")
	low := map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 1, "overall": 3}
	check(annBrowser.post(path, newAnswerForm(low, "")).checkStatus(http.StatusUnprocessableEntity),
		"Schreiben Sie in die Notiz, warum „Sicherheit und Grenzen“ eine 1 oder eine 5 ist.")
	reference := annBrowser.post(path, newAnswerForm(low, "weil")).checkRedirect("")
	check(annBrowser.get(reference), "Sicherheit und Grenzen 1 3 −2", "Ihre Antwort steht fest.")
	leadBrowser := env.signInAs(lead)
	leadBrowser.client.Transport = inGerman{}
	item := formatID(query[int64](env, `SELECT min(id) FROM items`))
	check(leadBrowser.get("/projects/calm/items/"+item), "Die Person", "Die Antwort")
	check(leadBrowser.get("/projects/calm/batches/one/calibration"), "Sicherheit und Grenzen")
}

// firstItemID returns the id of the first item on a calibration page.
func firstItemID(page testResponse) string {
	return strings.TrimPrefix(page.FindFirst("details.disclosure").Attr("id"), "item-")
}

// A biased annotator who missed no field does not read that they are close to
// the reference.
func TestCalibration_Heading_MatchesBias(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newEmpathyProject(lead, "heads", 8, 6)
	for name, c := range map[string]struct {
		set    int
		values map[string]int
		text   string
	}{
		"equal": {5, middleScores, "All your answers equal the reference."},
		"one-sided": {5, map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3},
			"On some questions you score higher or lower on average."},
		"too few": {4, map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3},
			"It takes at least 5 items to say"},
	} {
		ann := env.newUser(strings.ReplaceAll(name, " ", "-")+"@example.org", account.Annotator)
		env.newBatchFromSpec(lead, p, project.BatchSpec{Name: name, Annotators: []string{ann.Email}, Overlap: 1,
			Sample: project.Sample{Count: 1}, CalibrationCount: c.set})
		annBrowser := env.signInAs(ann)
		page := annBrowser.get(annBrowser.submitCalibration(c.values, "")).checkStatus(http.StatusOK).checkContains(
			c.text, "You can start the work.", "Higher Lower")
		if strings.Contains(page.Text(), "answers are close to the reference") ||
			(c.set < 5) == strings.Contains(page.Text(), "Your scores for") {
			t.Errorf("%s: %s", name, page.Text())
		}
	}
}

// A yes-or-no question has counts, not a bias in points.
func TestCalibration_Binary_ShowsCounts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "yes-no", 1)
	reference := protocol.Answers{Values: map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": 1,
		"incomplete": 0, "unsafe_content": 0}, Observations: []string{}, Unsure: []string{}}
	var references []importer.ReferenceRow
	for i := range 5 {
		references = append(references, importer.ReferenceRow{Item: project.Item{SourceID: fmt.Sprint("c", i),
			Facts: protocol.Facts{}, Content: project.Content{
				"query": {Text: fmt.Sprint("Q", i)}, "answer": {Text: "A"}}},
			Reference: labeling.Reference{Answers: reference, Reasons: map[string]string{"helpful": "It helps."}}})
	}
	if err := env.db.ImportReferences(env.Context(), lead.ID, p, postgres.File{Name: "c.jsonl"},
		references); err != nil {
		t.Fatal(err)
	}
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		CalibrationCount: 5})
	annBrowser := env.signInAs(ann)
	path := annBrowser.openItem()
	for len(annBrowser.get(path).FindAll("form#answer-form")) > 0 {
		path = annBrowser.answerCalibrationItem(path, newCompleteForm())
	}
	page := annBrowser.get(annBrowser.get(path).checkRedirect("/work/calibration")).checkStatus(http.StatusOK)
	page.checkContains("You answer no to “Helpful” where the reference says yes, on 5 of 5 items.",
		"Yes instead of no No instead of yes", "Helpful 0 5 0 of 5")
	if strings.Contains(page.Text(), "SD") || strings.Contains(page.Text(), "points") {
		t.Errorf("a yes-or-no question has a bias in points: %s", page.Text())
	}
	env.signInAs(lead).get("/projects/yes-no/batches/one/calibration").checkStatus(http.StatusOK).checkContains("+0 −5",
		"twice no instead of yes")
}

func TestCalibration_Override_NeedsReason(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "wait", 2, 2)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		CalibrationCount: 2})
	env.execSQL(`UPDATE projects SET miss_policy = 'wait' WHERE id = $1`, p.ID)
	annBrowser, leadBrowser := env.signInAs(ann), env.signInAs(lead)
	result := annBrowser.submitCalibration(map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 1,
		"overall": 3}, "because")
	annBrowser.post("/work/calibration/read-section", url.Values{"batch": {formatID(b.ID)},
		"section": {"safety"}}).checkRedirect("")
	annBrowser.get(result).checkContains("Then your lead reviews your calibration")
	const resultsPath = "/projects/wait/batches/one/calibration"
	leadBrowser.get(resultsPath).checkContains("waits for your decision")
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"approve"}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Give a reason")
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"approve"},
		"reason": {"We went through it."}}).checkRedirect("")
	leadBrowser.get(resultsPath).checkContains("working, approved by a lead", "Approved: We went through it.")
	annBrowser.get(result).checkContains("Your lead lets you start the work: We went through it.")
	if annBrowser.openItem() == "" {
		t.Error("there is no work after the lead approved")
	}
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"retake"}}).checkRedirect(
		"")
	path := annBrowser.post(annBrowser.openItem(), newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.get(path).checkStatus(http.StatusOK).checkContains("Calibration, retake", "0 of 2")
	annBrowser.post(path+"/skip", url.Values{"reason": {"distressing"}}).checkRedirect("/work/pause")
	for path = annBrowser.openItem(); strings.HasPrefix(path, "/work/"); {
		path = annBrowser.answerCalibrationItem(path, newAnswerForm(middleScores, ""))
	}
	path = annBrowser.post("/work/calibration/start", url.Values{"batch": {formatID(b.ID)}}).checkRedirect("")
	leadBrowser.post(resultsPath, url.Values{"account_id": {formatAccountID(ann)}, "action": {"retake"}}).checkRedirect(
		"")
	path = annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect("")
	// the distressing item does not return
	annBrowser.get(path).checkStatus(http.StatusOK).checkContains("Calibration, retake", "0 of 1")
}

func TestReference_Save_NeedsReasons(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, other := env.newUser("lead@example.org", account.Lead), env.newUser("other@example.org", account.Lead)
	p := env.newEmpathyProject(lead, "ref", 3, 0)
	leadBrowser := env.signInAs(lead)
	item := query[int64](env, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID)
	path := "/projects/ref/references/" + formatID(item)
	leadBrowser.get("/projects/ref/references").checkStatus(http.StatusOK).checkContains("No calibration items yet",
		"Choose items")
	leadBrowser.get(path).checkStatus(http.StatusOK).checkContains("Statement ref-1", "Emotion recognition")
	form := newAnswerForm(middleScores, "")
	refused := leadBrowser.post(path, form).checkStatus(http.StatusUnprocessableEntity)
	if problem := refused.FindFirst("[id='problem-reasons.note'] li").Text(); !strings.HasPrefix(problem,
		"Explain why these answers are correct") {
		t.Errorf("the reason has the problem %q", problem)
	}
	form.Set("reasons.overall", "Kind enough.")
	leadBrowser.post(path, form).checkRedirect("/projects/ref/references")
	leadBrowser.get(path).checkContains("Kind enough.").FindFirst("input[name='emotion'][value='3'][checked]")
	leadBrowser.get("/projects/ref/references").checkContains("Statement ref-1 3 3 3 3 3")
	env.signInAs(other).get(path).checkStatus(http.StatusNotFound)
	leadBrowser.post(path+"/remove", nil).checkRedirect("/projects/ref/references")
	leadBrowser.get("/projects/ref/references").checkContains("No calibration items yet")
}
