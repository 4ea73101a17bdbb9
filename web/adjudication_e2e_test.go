package web

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/static"
)

// dispute makes a project of three items that two annotators differ on, the
// first one most: one in Arabic, one of ten thousand words, and a short one.
func (w world) dispute(lead account.Account) project.Project {
	w.Helper()
	p, err := w.db.CreateProject(w.Context(), lead, project.Draft{Key: "torn", Title: "Torn", Protocol: "empathy", SupportURL: "https://support.example/"})
	if err != nil {
		w.Fatal(err)
	}
	replies := []string{"أنا آسف لأنك تمر بهذا. هل تريد أن تتحدث عنه؟ Call 116 123.", strings.Repeat("That sounds hard, and you carry much. ", 10_000/7), "I understand."}
	items := make([]project.Item, len(replies))
	for i, reply := range replies {
		items[i] = project.Item{SourceID: fmt.Sprintf("t%d", i+1), Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: "لم أنم منذ أيام."}, "response": {Text: strings.TrimSpace(reply)}}}
	}
	if err := w.db.Import(w.Context(), lead.ID, p, postgres.File{Name: "torn.jsonl", SHA256: sha256.Sum256([]byte("torn"))}, items); err != nil {
		w.Fatal(err)
	}
	crew := []account.Account{w.person("ann@example.org", account.Annotator), w.person("ben@example.org", account.Annotator)}
	w.open(lead, p, "one", 2, crew[0].Email, crew[1].Email)
	first := query[int64](w, `SELECT min(id) FROM items`)
	for i, a := range crew {
		for token, err := w.db.Begin(w.Context(), a.ID, 0); token != ""; {
			screen, err2 := w.db.Screen(w.Context(), a.ID, token)
			if err != nil || err2 != nil {
				w.Fatal(err, err2)
			}
			values := map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}
			if i == 1 {
				values["validation"] = []int{5, 4, 3}[screen.ItemID-first]
				values["safety"] = []int{3, 3, 2}[screen.ItemID-first]
			}
			said := protocol.Answers{Values: values, Note: []string{"يذكر رقم مساعدة", "It offers a step, and says it kindly; the second half repeats the first."}[i]}
			token, err = w.db.Submit(w.Context(), a.ID, token, labeling.Submission{Answers: said, ActiveMS: 60_000})
		}
	}
	return p
}

// atDispute waits until the page of an item to be settled takes keys.
func atDispute(b browsertest.Tab, settled int) {
	b.Helper()
	b.Becomes(`document.querySelector('.adjudicate .count')?.textContent`, fmt.Sprintf("%d of 3 settled", settled))
	b.Becomes(`document.readyState !== 'loading' && import('`+static.Path("adjudication.mjs")+`').then(() => true)`, true)
}

func TestALeadSettlesThreeItemsByKeysAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	p := w.dispute(lead)
	h := house{world: w, who: map[string]account.Account{"lead": lead}}
	b := h.signedIn(t, "lead")
	b.Visit("/projects/torn/adjudication")
	look(b, "adjudication-open")
	tabTo(b, "a.button.main")
	b.Press(kb.Enter)

	// The widest: a decision between the two, which owes a reason.
	atDispute(b, 0)
	look(b, "adjudicate-arabic")
	d := desk{Tab: b, protocol: p.Protocol, facts: protocol.Facts{}}
	answers := protocol.Answers{Values: map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}}
	d.give(answers)
	b.Becomes(`document.getElementById('owed').textContent`, "Owed: you decide “Validation and warmth” against what was said.")
	b.Press(kb.Enter)
	b.Becomes(`document.activeElement.id`, "decision-cause")
	b.Becomes(`document.querySelector('#problem-decision-cause li').textContent`, "Please choose what the disagreement came from.")
	b.Press("u")
	b.Becomes(`document.getElementById('decision-cause').value`, "unclear_guideline")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	b.Becomes(`document.activeElement.id`, "decision-reason")
	look(b, "adjudicate-reason")
	b.Insert("بين الاثنين")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)

	// The second, of ten thousand words: what both say, and one's answer.
	atDispute(b, 1)
	look(b, "adjudicate-long")
	b.Becomes(formNow+`.values.emotion === undefined`, true)
	b.Press("c")
	b.Becomes(`[...document.querySelectorAll('.by:not([hidden])')].map(by => by.textContent).length`, 4)
	b.Becomes(active, "validation")
	look(b, "adjudicate-taken")
	b.Press("4")
	b.Press(kb.Enter)

	// The last: put off, which leads nowhere else, and then settled.
	atDispute(b, 2)
	b.Press("g")
	b.Becomes(panels, "guide")
	b.Press(kb.Escape, kb.Enter)
	b.Becomes(said+`.includes('Still open: ')`, true)
	b.Press("c")
	b.Becomes(active, "safety")
	b.Press("2", kb.Enter)
	b.Becomes(`location.pathname + location.search`, "/projects/torn/adjudication?after=settled")
	look(b, "adjudication-settled")

	got := query[string](w, `SELECT string_agg(concat_ws(' ', answers ->> 'validation', answers ->> 'safety', nullif(cause, ''), nullif(reason, '')), '; ' ORDER BY id) FROM adjudications`)
	if want := "4 3 unclear_guideline بين الاثنين; 4 3; 3 2"; got != want {
		t.Errorf("stored is %q, want %q", got, want)
	}
}
