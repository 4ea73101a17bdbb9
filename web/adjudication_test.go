package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

const told = "/projects/told/adjudication"

// decision is the form of an item as its page has it, with these answers.
func (a answer) decision(values map[string]string) url.Values {
	a.Helper()
	form := url.Values{"note": {"A note that tells."}}
	for _, hidden := range a.All("#answers input[type='hidden']") {
		form.Set(hidden.Attr("name"), hidden.Attr("value"))
	}
	for key, value := range values {
		form.Set(key, value)
	}
	return form
}

// threes answers every question with a three.
func threes() map[string]string {
	return map[string]string{"emotion": "3", "validation": "3", "helpfulness": "3", "safety": "3", "overall": "3"}
}

// as one of the two said it.
func (a answer) first() map[string]string {
	a.Helper()
	values := map[string]string{"helpfulness": "3", "safety": "3"}
	for _, key := range []string{"emotion", "validation", "overall"} {
		values[key] = a.First("#said-" + key + " b").Text()
	}
	return values
}

func TestALeadSettlesWhatAnnotatorsDifferOn(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 12)
	b := s.as(s.lead)
	b.get(told).is(200).says("There is nothing to settle")
	s.label()
	queue := b.get(told).is(200).says("0 of 3", "Still open, the widest first", "Emotion recognition", "tied", "needs no click")
	if n := len(queue.All("tbody tr")); n != 3 {
		t.Fatalf("%d items are listed, want the three on which they differ", n)
	}
	at := queue.First("a.button.main").Attr("href")
	for n := range 3 {
		page := b.get(at).is(200).says(fmt.Sprintf("%d of 3 settled", n), "A note that tells.", "Response.")
		if strings.Contains(page.Text(), "Name of ann") || len(page.All(".told thead th")) != 4 {
			t.Error("the answers do not stand side by side under pseudonyms")
		}
		if checked := page.All("#answers input[checked]"); len(checked) > 0 {
			t.Errorf("%d answers are filled in before anybody decided", len(checked))
		}
		at = b.post(at, page.decision(page.first())).leads("")
	}
	if at != told+"?after=settled" {
		t.Errorf("after the last one is led to %s", at)
	}
	done := b.get(at).is(200).says("All of it is settled", "3 of 3", "by Name of lead")
	b.get(done.First("tbody a").Attr("href")).is(200).says("Settled already", "by Name of lead")
	r := b.settled("/projects/told/consensus?how=adjudicated")
	if n := len(r.All("main tbody th a")); n != 3 {
		t.Errorf("the report tells of %d items adjudicated, want three", n)
	}
}

func TestAPageOfAnItemSaysWhatIsMissingAndKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 4)
	s.label()
	b := s.as(s.lead)
	at := b.get(told).is(200).First("a.button.main").Attr("href")
	page := b.get(at)
	form := page.decision(threes())
	form.Del("safety")
	form.Set("decision.reason", "Half said.")
	refused := b.post(at, form).is(http.StatusUnprocessableEntity)
	if refused.First("#problem-safety li").Text() != "Please choose an answer." || refused.First("#decision-reason").Text() != "Half said." {
		t.Errorf("refused as %s", refused.Text())
	}
	all := threes()
	all["emotion"], all["note"] = "5", "so"
	refused = b.post(at, page.decision(all)).is(http.StatusUnprocessableEntity)
	refused.First("#problem-decision-reason li")
	refused.First("#problem-decision-cause li")
	all["decision.reason"], all["decision.cause"] = "It names the second feeling.", "annotator_mistake"
	b.post(at, page.decision(all)).leads("")
	anew := b.get(at).is(200).says("It names the second feeling.", "Annotator's mistake", "Owed, since this was settled before")
	if anew.First("#field-emotion input[checked]").Attr("value") != "5" {
		t.Error("what was decided is not filled in")
	}
	late := b.post(at, page.decision(all)).is(http.StatusConflict).says("was settled since you opened it")
	if late.First("#decision-reason").Text() != "It names the second feeling." {
		t.Error("what was typed is lost")
	}
	all["decision.reason"] = "On a second look."
	b.post(at, late.decision(all)).leads("")
	b.get(told).is(200).says("decided 2 times", "What they came from: annotator's mistake 1")
}

func TestWhatMostSayIsFilledInOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 4)
	s.label()
	b := s.as(s.lead)
	page := b.get(b.get(told).is(200).First("a.button.main").Attr("href")).is(200)
	taken := b.get(strings.TrimSuffix(page.First("#most").Attr("href"), "#answers")).is(200).says("Filled in is what most say")
	var keys []string
	for _, input := range taken.All("#answers input[checked]") {
		keys = append(keys, input.Attr("name"))
	}
	if fmt.Sprint(keys) != "[helpfulness safety]" {
		t.Errorf("filled in are %v, want those on which they agree", keys)
	}
}

func TestALeadGoesThroughTiesAlone(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 12)
	s.label()
	b := s.as(s.lead)
	at := b.get(told + "?show=tied&batch=pilot").is(200).First("a.button.main").Attr("href")
	page := b.get(at).is(200)
	if next := b.post(page.First("#answers").Attr("action"), page.decision(page.first())).leads(""); !strings.HasSuffix(next, "?batch=pilot&show=tied") {
		t.Errorf("the next one is at %s", next)
	}
	b.get(told + "?batch=nope").is(http.StatusNotFound)
}

// A lead who labels in a batch meets nobody's answers before it is closed.
func TestALeadWhoLabelsSeesNoAnswersBeforeTheBatchCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	p := w.project(lead, "mixed", 4)
	w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email, lead.Email}, Overlap: 2})
	other := w.as(ann)
	for path := other.next(); path != ""; path = other.next() {
		other.post(path, url.Values{"proper_action": {"1"}, "response_on_topic": {"1"}, "helpful": {"0"}, "incomplete": {"0"}, "unsafe_content": {"0"}}).leads("")
	}
	b := w.as(lead)
	item := id64(query[int64](w, `SELECT min(id) FROM items`))
	for _, path := range []string{"/projects/mixed/items/" + item + "/answers", "/projects/mixed/adjudication/" + item} {
		b.get(path).is(http.StatusForbidden).says("You label in this batch yourself")
	}
	b.post("/projects/mixed/adjudication/"+item, url.Values{"helpful": {"1"}}).is(http.StatusForbidden)
	b.get("/projects/mixed/adjudication").is(200).says("4 items stay closed to you")
	whole := url.Values{"shape": {"wide"}, "format": {"jsonl"}}
	b.post("/projects/mixed/export", whole).is(http.StatusForbidden).says("stay closed to you")
	person := "/projects/mixed/annotators/" + query[string](w, `SELECT pseudonym FROM members WHERE account_id = `+id(ann))
	b.get(person).is(http.StatusForbidden).says("say of them stays closed to you")
	for _, path := range []string{"/projects/mixed/disagreements", "/projects/mixed/consensus"} {
		if n := len(b.settled(path).All("main tbody th a")); n != 0 {
			t.Errorf("%s tells of %d items", path, n)
		}
	}
	if err := w.db.CloseBatch(t.Context(), lead.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	b.get("/projects/mixed/items/" + item + "/answers").is(200).says("Settle this item")
	b.settled(person).says("4 labels")
	b.post("/projects/mixed/export", whole).is(http.StatusOK)
}
