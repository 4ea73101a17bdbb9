package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// checkedAnswers returns the answers of a form, by field.
func (a testResponse) checkedAnswers() map[string]string {
	answers := map[string]string{}
	for _, input := range a.FindAll("#answer-form .point input[checked]") {
		answers[input.Attr("name")] = input.Attr("value")
	}
	return answers
}

func TestAdjudicate_Start_ProposesAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 12)
	s.labelAll()
	b := s.signInAs(s.lead)
	list := b.get(adjudicationPath + "?start=majority&batch=pilot").checkStatus(200)
	if chosen := list.FindFirst("select[name=start] option[selected]").Attr("value"); chosen != "majority" {
		t.Errorf("the page shows the start %q", chosen)
	}
	path := list.FindFirst("a.button.primary").Attr("href")
	form := b.get(path).checkStatus(200).checkContains("Majority or median filled in", "Nothing is saved until you submit")
	if answers := form.checkedAnswers(); len(answers) != 5 || answers["emotion"] != "3" {
		t.Errorf("filled in %v, want the median of 2 and 4", answers)
	}
	if next := b.get(path).FindFirst("#next-item").Attr("href"); !strings.Contains(next, "start=majority") {
		t.Errorf("the next item is at %s, without the start", next)
	}

	twoLabels := b.get(strings.Replace(path, "majority", "dawid-skene", 1)).checkStatus(200).checkContains("identify no model for", "the majority or median is filled in")
	if answers := twoLabels.checkedAnswers(); len(answers) != 5 {
		t.Errorf("filled in %v, want the median", answers)
	}
	if n := query[int](s.testEnv, `SELECT (SELECT count(*) FROM adjudications) + (SELECT count(*) FROM adjudication_drafts)`); n != 0 {
		t.Errorf("%d decisions or drafts are stored without a submit", n)
	}
	values := form.firstAnswers()
	next := b.post(form.FindFirst("#answer-form").Attr("action"), form.newDecisionForm(values)).checkRedirect("")
	if !strings.Contains(next, "start=majority") {
		t.Errorf("the next item is at %s, without the start", next)
	}
	reopened := b.get(path).checkStatus(200)
	if strings.Contains(reopened.Text(), "median filled in") || reopened.checkedAnswers()["emotion"] != values["emotion"] {
		t.Error("a proposal hides the decision")
	}
	for _, path := range []string{adjudicationPath + "?start=guess", strings.Replace(next, "majority", "guess", 1)} {
		b.get(path).checkStatus(http.StatusNotFound).checkContains("Choose none, majority, dawid-skene")
	}
}

func TestAdjudicate_DawidSkene_ShowsProbability(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	s.annotators = append(s.annotators, s.newUser("cleo@example.org", account.Annotator))
	var items []project.Item
	for i := range 12 {
		items = append(items, project.Item{SourceID: fmt.Sprint("more", i), Facts: protocol.Facts{}, Content: project.Content{"user_statement": {Text: "Statement"}, "response": {Text: "Response."}}})
	}
	if err := s.db.Import(t.Context(), s.lead.ID, s.project, postgres.File{Name: "more.jsonl", SHA256: sha256.Sum256([]byte("more"))}, items); err != nil {
		t.Fatal(err)
	}
	s.newBatch(s.lead, s.project, "second", 3, "ann@example.org", "ben@example.org", "cleo@example.org")
	s.labelAll()
	page := s.signInAs(s.lead).get(adjudicationPath + "?start=dawid-skene").checkStatus(200)
	form := s.signInAs(s.lead).get(page.FindFirst("a.button.primary").Attr("href")).checkStatus(200).checkContains("Answers proposed by Dawid–Skene, fitted to 84 labels", "Proposed: ", "%)")
	if len(form.checkedAnswers()) == 0 {
		t.Error("no proposal is filled in")
	}
}
