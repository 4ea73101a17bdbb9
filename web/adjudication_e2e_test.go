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

// newDisagreement creates a project with three items on which two annotators
// disagree, on the first one most: one in Arabic, one of ten thousand words
// and a short one.
func (env testEnv) newDisagreement(lead account.Account) project.Project {
	env.Helper()
	p, err := env.db.CreateProject(env.Context(), lead, project.Spec{Key: "torn", Title: "Torn", Protocol: "empathy",
		SupportURL: "https://support.example/"})
	if err != nil {
		env.Fatal(err)
	}
	replies := []string{"أنا آسف لأنك تمر بهذا. هل تريد أن تتحدث عنه؟ Call 116 123.",
		strings.Repeat("That sounds hard, and you carry much. ", 10_000/7), "I understand."}
	items := make([]project.Item, len(replies))
	for i, reply := range replies {
		items[i] = project.Item{SourceID: fmt.Sprintf("t%d", i+1), Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: "لم أنم منذ أيام."}, "response": {Text: strings.TrimSpace(reply)}}}
	}
	if err := env.db.Import(env.Context(), lead.ID, p, postgres.File{Name: "torn.jsonl",
		SHA256: sha256.Sum256([]byte("torn"))}, items); err != nil {
		env.Fatal(err)
	}
	annotators := []account.Account{env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org",
		account.Annotator)}
	env.newBatch(lead, p, "one", 2, annotators[0].Email, annotators[1].Email)
	first := query[project.ItemID](env, `SELECT min(id) FROM items`)
	for i, a := range annotators {
		for token, err := env.db.OpenNext(env.Context(), a.ID, 0); token != ""; {
			screen, screenErr := env.db.LabelingScreen(env.Context(), a.ID, token)
			if err != nil || screenErr != nil {
				env.Fatal(err, screenErr)
			}
			values := map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}
			if i == 1 {
				values["validation"] = []int{5, 4, 3}[screen.ItemID-first]
				values["safety"] = []int{3, 3, 2}[screen.ItemID-first]
			}
			answers := protocol.Answers{Values: values, Note: []string{"يذكر رقم مساعدة",
				"It offers a step, and says it kindly; the second half repeats the first."}[i]}
			result, submitErr := env.db.Submit(env.Context(), a.ID, token, labeling.Submission{Answers: answers,
				ActiveMS: 60_000})
			token, err = result.NextToken, submitErr
		}
	}
	return p
}

// waitForAdjudication waits until the adjudication page handles keys.
func waitForAdjudication(b browsertest.Tab, adjudicated int) {
	b.Helper()
	b.WaitFor(`document.querySelector('.adjudicate-screen .item-count')?.textContent`,
		fmt.Sprintf("%d of 3 adjudicated", adjudicated))
	b.WaitFor(`document.readyState !== 'loading' && import('`+static.Path("adjudication.mjs")+
		`').then(() => true)`, true)
}

func TestAdjudicate_ByKeys_Stores(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newDisagreement(lead)
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}
	b := h.openTabAs(t, "lead")
	b.Visit("/projects/torn/adjudication")
	checkAccessibility(b, "adjudication-open")
	focusByTab(b, "a.button.primary")
	b.Press(kb.Enter)

	// The largest disagreement: a decision between the two answers, which needs a
	// reason.
	waitForAdjudication(b, 0)
	checkAccessibility(b, "adjudicate-arabic")
	d := labelingScreen{Tab: b, protocol: p.Protocol, facts: protocol.Facts{}}
	answers := protocol.Answers{Values: map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3,
		"overall": 3}}
	d.enterAnswers(answers)
	b.WaitFor(`document.getElementById('reason-hint').textContent`,
		"Reason required: your decision on “Validation and warmth” differs from the annotators' answers.")
	b.Press(kb.Enter)
	b.WaitFor(`document.activeElement.id`, "decision-cause")
	b.WaitFor(`document.querySelector('#problem-decision-cause li').textContent`,
		"Choose the cause of the disagreement.")
	b.Press("u")
	b.WaitFor(`document.getElementById('decision-cause').value`, "unclear_guideline")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	b.WaitFor(`document.activeElement.id`, "decision-reason")
	checkAccessibility(b, "adjudicate-reason")
	b.InsertText("بين الاثنين")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)

	// The item of ten thousand words: the common answers, and one of the two.
	waitForAdjudication(b, 1)
	checkAccessibility(b, "adjudicate-long")
	b.WaitFor(formStateJS+`.values.emotion === undefined`, true)
	b.Press("c")
	b.WaitFor(`[...document.querySelectorAll('.filled-mark:not([hidden])')].map(mark => mark.textContent).length`, 4)
	b.WaitFor(activeFieldJS, "validation")
	checkAccessibility(b, "adjudicate-majority")
	b.Press("4")
	b.Press(kb.Enter)

	// The last item: skipped, which opens no other item, and then adjudicated.
	waitForAdjudication(b, 2)
	b.Press("g")
	b.WaitFor(openPanelsJS, "guide")
	b.Press(kb.Escape, kb.Enter)
	b.WaitFor(statusTextJS+`.includes('Unanswered: ')`, true)
	b.Press("c")
	b.WaitFor(activeFieldJS, "safety")
	b.Press("2", kb.Enter)
	b.WaitFor(`location.pathname + location.search`, "/projects/torn/adjudication?after=adjudicated")
	checkAccessibility(b, "adjudication-adjudicated")

	got := query[string](env, `SELECT string_agg(concat_ws(' ', answers ->> 'validation', answers ->> 'safety',
		nullif(cause, ''), nullif(reason, '')), '; ' ORDER BY id) FROM adjudications`)
	if want := "4 3 unclear_guideline بين الاثنين; 4 3; 3 2"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
}
