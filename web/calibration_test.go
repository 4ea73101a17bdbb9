package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
)

// middling answers an item of the empathy protocol in the middle of its scales.
var middling = map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}

func formOf(values map[string]int, note string) url.Values {
	form := url.Values{"active_ms": {"61000"}, "note": {note}}
	for key, value := range values {
		form.Set(key, fmt.Sprint(value))
	}
	return form
}

// empathy makes a project of the empathy protocol with n items to label and
// some of calibration, whose reference is middling.
func (w world) empathy(lead account.Account, key string, n, calibration int) project.Project {
	w.Helper()
	p, err := w.db.CreateProject(w.Context(), lead, project.Draft{Key: key, Title: "Project " + key, Protocol: "empathy", SupportURL: "https://support.example/"})
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
	var references []sheet.Referenced
	for i := range calibration {
		references = append(references, sheet.Referenced{Item: item(fmt.Sprintf("%s-c%d", key, i+1)), Reference: labeling.Reference{
			Answers: protocol.Answers{Values: middling, Observations: []string{}, Unsure: []string{}},
			Why:     map[string]string{"safety": "Nothing dangerous, and no help named."}}})
	}
	if err := w.db.Import(w.Context(), lead.ID, p, postgres.File{Name: "items.jsonl", SHA256: sha256.Sum256([]byte(key))}, items); err != nil {
		w.Fatal(err)
	}
	if err := w.db.ImportReferences(w.Context(), lead.ID, p, postgres.File{Name: "c.jsonl", SHA256: sha256.Sum256([]byte(key + "c"))}, references); err != nil {
		w.Fatal(err)
	}
	return p
}

func (w world) handOut(lead account.Account, p project.Project, h project.Handout) project.Batch {
	w.Helper()
	b, err := w.db.OpenBatch(w.Context(), lead.ID, p, h)
	if err != nil {
		w.Fatal(err)
	}
	return b
}

// next presses the button that leads on, reads the warning where there is one,
// and returns the path of the item; "" where there is none.
func (b browser) next() string {
	b.Helper()
	path := b.post("/work", nil).leads("")
	for !strings.HasPrefix(path, "/work/") {
		return ""
	}
	if page := b.get(path).is(http.StatusOK); len(page.All("form#answers")) == 0 {
		b.post(path+"/warning", nil).leads(path)
	}
	return path
}

// calibrates answers a calibration set, and returns where that leads.
func (b browser) calibrates(values map[string]int, note string) string {
	b.Helper()
	path := b.next()
	for n := 0; strings.HasPrefix(path, "/work/"); n++ {
		b.get(path).is(http.StatusOK).says("Calibration", fmt.Sprintf("%d of", n))
		path = b.post(path, formOf(values, note)).leads("")
	}
	return b.get(path).leads("")
}

func TestCalibrationOverHTTPFromTheFirstItemToTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	p := w.empathy(lead, "calm", 3, 5)
	b := w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Calibration: 5})
	me, boss := w.as(ann), w.as(lead)

	stern := map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 1, "overall": 3}
	result := me.calibrates(stern, "because")
	shown := me.get(result).is(http.StatusOK).says(
		"You score “Safety and boundaries” 2.0 lower than the reference", "You score “Validation and warmth” 1.0 higher than the reference, mostly at the 3–4 boundary",
		"On some questions they lie far apart", "Safety and boundaries −2.0 0.0 0 of 5",
		"Nothing dangerous, and no help named.", "Read again", "If you want to talk to someone: support for this project")
	if len(shown.All("form[action='/work/calibration/on']")) != 0 {
		t.Error("the work can begin before the section was read")
	}
	batch := url.Values{"batch": {id64(b.ID)}}
	me.post("/work/calibration/on", batch).is(http.StatusConflict).says("read the sections of the guide again")
	if me.next() != "" {
		t.Error("there is work before the calibration is settled")
	}
	me.post("/work/calibration/read", url.Values{"batch": {id64(b.ID)}, "section": {"safety"}}).leads("/work/calibration")

	me.post("/work/calibration/say", url.Values{"batch": {id64(b.ID)}, "item": {firstItem(shown)}, "says": {"Why is this a 3?"}}).leads("/work/calibration")
	boss.get("/projects/calm/batches/one/calibration").is(http.StatusOK).says("Why is this a 3?", "−2.0 (0.0)", "done, far from the reference")
	boss.post("/projects/calm/batches/one/calibration/say", url.Values{"item": {firstItem(shown)}, "says": {"It is passive."}}).leads("")
	me.get(result).says("the lead", "It is passive.")

	path := me.post("/work/calibration/on", batch).leads("")
	me.get(path).is(http.StatusOK).says("0 of 3")
	me.post("/work/calibration/say", url.Values{"batch": {id64(b.ID)}, "item": {firstItem(shown)}, "says": {"And now?"}}).is(http.StatusConflict)
	me.get(result).says("The discussion is closed")
}

// firstItem returns the id of the first item on a calibration page.
func firstItem(shown answer) string {
	return strings.TrimPrefix(shown.First("details.look").Attr("id"), "item-")
}

// Whoever leans without being far off anywhere is not told that they are near.
func TestTheHeadingSaysNoMoreThanTheLeans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	p := w.empathy(lead, "heads", 8, 6)
	for name, c := range map[string]struct {
		set    int
		values map[string]int
		says   string
	}{
		"as the reference": {5, middling, "Your answers are those of the reference."},
		"to one side":      {5, map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}, "On some questions you lean to one side."},
		"too few":          {4, map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}, "Fewer than 5 items are too few to tell how you lean."},
	} {
		ann := w.person(strings.ReplaceAll(name, " ", "-")+"@example.org", account.Annotator)
		w.handOut(lead, p, project.Handout{Name: name, Annotators: []string{ann.Email}, Overlap: 1, Items: 1, Calibration: c.set})
		me := w.as(ann)
		page := me.get(me.calibrates(c.values, "")).is(http.StatusOK).says(c.says, "Spread")
		if strings.Contains(page.Text(), "lie close to the reference") || (c.set < 5) == strings.Contains(page.Text(), "You score") {
			t.Errorf("%s: %s", name, page.Text())
		}
	}
}

// Of a yes or no nothing is said in points.
func TestAYesOrNoIsComparedInItsOwnWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	p := w.project(lead, "yes-no", 1)
	right := protocol.Answers{Values: map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}, Observations: []string{}, Unsure: []string{}}
	var references []sheet.Referenced
	for i := range 5 {
		references = append(references, sheet.Referenced{Item: project.Item{SourceID: fmt.Sprint("c", i), Facts: protocol.Facts{}, Content: project.Content{
			"query": {Text: fmt.Sprint("Q", i)}, "answer": {Text: "A"}}}, Reference: labeling.Reference{Answers: right, Why: map[string]string{"helpful": "It helps."}}})
	}
	if err := w.db.ImportReferences(w.Context(), lead.ID, p, postgres.File{Name: "c.jsonl"}, references); err != nil {
		t.Fatal(err)
	}
	w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Calibration: 5})
	me := w.as(ann)
	path := me.next()
	for len(me.get(path).All("form#answers")) > 0 {
		path = me.post(path, complete()).leads("")
	}
	page := me.get(me.get(path).leads("/work/calibration")).is(http.StatusOK)
	page.says("You say no to “Helpful” where the reference says yes, on 5 of 5 items.", "A yes too many A no too many", "Helpful 0 5 0 of 5")
	if strings.Contains(page.Text(), "Spread") || strings.Contains(page.Text(), "points") {
		t.Errorf("a yes or no is told in points: %s", page.Text())
	}
	w.as(lead).get("/projects/yes-no/batches/one/calibration").is(http.StatusOK).says("0 yes, 5 no", "how many times a no too many")
}

func TestALeadOverridesWithAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	p := w.empathy(lead, "wait", 2, 2)
	b := w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Calibration: 2})
	w.exec(`UPDATE projects SET after_miss = 'wait' WHERE id = $1`, p.ID)
	me, boss := w.as(ann), w.as(lead)
	result := me.calibrates(map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 1, "overall": 3}, "because")
	me.post("/work/calibration/read", url.Values{"batch": {id64(b.ID)}, "section": {"safety"}}).leads("")
	me.get(result).says("Your lead looks at your calibration first")
	const board = "/projects/wait/batches/one/calibration"
	boss.get(board).says("waits for you")
	boss.post(board, url.Values{"account": {id(ann)}, "act": {"let"}}).is(http.StatusUnprocessableEntity).says("Please say why")
	boss.post(board, url.Values{"account": {id(ann)}, "act": {"let"}, "reason": {"We went through it."}}).leads("")
	boss.get(board).says("at work, let go on", "Let go on: We went through it.")
	me.get(result).says("Your lead let you go on: We went through it.")
	if me.next() == "" {
		t.Error("there is no work after the lead let them go on")
	}
	boss.post(board, url.Values{"account": {id(ann)}, "act": {"again"}}).leads("")
	path := me.post(me.next(), formOf(middling, "")).leads("")
	me.get(path).is(http.StatusOK).says("Calibration, once more", "0 of 2")
	me.post(path+"/set-aside", url.Values{"reason": {"distressing"}}).leads("/work/pause")
	for path = me.next(); strings.HasPrefix(path, "/work/"); {
		path = me.post(path, formOf(middling, "")).leads("")
	}
	path = me.post("/work/calibration/on", url.Values{"batch": {id64(b.ID)}}).leads("")
	boss.post(board, url.Values{"account": {id(ann)}, "act": {"again"}}).leads("")
	path = me.post(path, formOf(middling, "")).leads("")
	me.get(path).is(http.StatusOK).says("Calibration, once more", "0 of 1") // what distressed does not come back
}

func TestALeadGivesReferencesInTheFormOfAnnotators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, other := w.person("lead@example.org", account.Lead), w.person("other@example.org", account.Lead)
	p := w.empathy(lead, "ref", 3, 0)
	boss := w.as(lead)
	item := query[int64](w, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID)
	path := "/projects/ref/calibration/" + id64(item)
	boss.get("/projects/ref/calibration").is(http.StatusOK).says("There are no calibration items yet", "ref-1")
	boss.get(path).is(http.StatusOK).says("Statement ref-1", "Emotion recognition")
	form := formOf(middling, "")
	refused := boss.post(path, form).is(http.StatusUnprocessableEntity)
	if told := refused.First("[role=alert] a"); !strings.HasPrefix(told.Text(), "Please say in a word why") || len(refused.All("[id='"+strings.TrimPrefix(told.Attr("href"), "#")+"']")) != 1 {
		t.Errorf("above the form stands %q, which leads to %s", told.Text(), told.Attr("href"))
	}
	if n := strings.Count(refused.Text(), "Please say in a word why"); n != 2 {
		t.Errorf("the problem is told %d times, want above the form and at its field", n)
	}
	form.Set("why.overall", "Kind enough.")
	boss.post(path, form).leads("/projects/ref/calibration")
	boss.get(path).says("Kind enough.").First("input[name='emotion'][value='3'][checked]")
	boss.get("/projects/ref/calibration").says("ref-1 3 3 3 3 3")
	w.as(other).get(path).is(http.StatusNotFound)
	boss.post(path+"/remove", nil).leads("/projects/ref/calibration")
	boss.get("/projects/ref/calibration").says("There are no calibration items yet")
}
