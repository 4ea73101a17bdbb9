package web

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/browsertest"
)

// labelsPerBatch returns how many items of each protocol an annotator labels, and how many rules
// they break on an item. At full size two annotators break every rule, otherwise one does.
func labelsPerBatch() (items, violations int) {
	if require.FullSize() {
		return 20, 1
	}
	return 6, 6
}

// A labelingRun has a project of every protocol, and two annotators who label
// them in a browser.
type labelingRun struct {
	testEnv
	pool    *pgxpool.Pool
	batches []project.Batch
	titles  []string

	sync.Mutex
	submitted  map[string]protocol.Answers // by token
	triedRules map[string]bool             // by violationKey
}

func newLabelingRun(t *testing.T, annotators ...string) *labelingRun {
	t.Helper()
	s := &labelingRun{testEnv: newTestEnv(t), submitted: map[string]protocol.Answers{}, triedRules: map[string]bool{}}
	var err error
	if s.pool, err = pgxpool.New(t.Context(), s.databaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.pool.Close)
	lead := s.newUser("lead@example.org", account.Lead)
	itemCount, _ := labelsPerBatch()
	for _, email := range annotators {
		s.newUser(email, account.Annotator)
	}
	for _, p := range protocol.Builtin() {
		spec := project.Spec{Key: p.Key, Title: "Samples of " + p.Key, Protocol: p.Key,
			SupportURL: "https://support.example/", Instructions: "Answers cite sources as [1]."}
		created, err := s.db.CreateProject(t.Context(), lead, spec)
		if err != nil {
			t.Fatal(err)
		}
		items := make([]project.Item, itemCount)
		for i := range items {
			content := newContent(p, i)
			items[i] = project.Item{SourceID: fmt.Sprint(i), Content: content, Facts: project.DeriveFacts(p, content)}
		}
		if err := s.db.Import(t.Context(), lead.ID, created, postgres.File{Name: "items.jsonl",
			SHA256: sha256.Sum256([]byte(p.Key))}, items); err != nil {
			t.Fatal(err)
		}
		s.batches = append(s.batches, s.newBatch(lead, created, "shift", len(annotators), annotators...))
		s.titles = append(s.titles, spec.Title)
	}
	return s
}

// Annotators label every protocol, and every rule is broken. The page shows
// each problem, and stores what they typed.
func TestLabel_AllProtocols_ByKeys(t *testing.T) {
	t.Parallel()
	start, annotators := time.Now(), []string{"ann@example.org"}
	if require.FullSize() {
		annotators = append(annotators, "ben@example.org")
	}
	s := newLabelingRun(t, annotators...)
	t.Run("shift", func(t *testing.T) {
		for _, email := range annotators {
			t.Run(email, func(t *testing.T) {
				t.Parallel()
				s.signInAndLabel(t, email)
			})
		}
	})
	if t.Failed() || len(s.submitted) == 0 {
		return
	}
	s.checkStored(len(annotators))
	s.checkRulesTried(annotators)
	t.Logf("%d items, %d rules met, in %v", len(s.submitted), len(s.triedRules), time.Since(start).Round(time.Second))
}

// signInAndLabel signs an annotator in, who labels each batch in its own tab.
func (s *labelingRun) signInAndLabel(t *testing.T, email string) {
	b := browsertest.Open(t, s.baseURL, "/sign-in")
	isFirst := strings.HasPrefix(email, "ann")
	if isFirst {
		checkAccessibility(b, "sign-in")
	}
	b.WaitFor(`document.activeElement.name`, "email")
	b.Press(email, kb.Tab, password, kb.Enter)
	b.WaitFor(`location.pathname`, "/work")
	if isFirst {
		checkAccessibility(b, "work")
	}
	for i, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			t.Parallel()
			tab := b.NewTab(t, "/work")
			s.openFirstItem(tab, i, isFirst)
			s.labelBatch(tab, email, p, isFirst)
		})
	}
}

// openFirstItem opens the first item of the i-th batch, past its content
// warning.
func (s *labelingRun) openFirstItem(b browsertest.Tab, i int, isFirst bool) {
	b.Helper()
	isFound := browsertest.Eval[bool](b, fmt.Sprintf(
		`[...document.querySelectorAll('.batch-card')].some(q => q.querySelector('h2 bdi').textContent === %q && (q.id = 'here'))`, s.titles[i]))
	if !isFound {
		b.Fatalf("%s is not listed", s.titles[i])
	}
	focusByTab(b, "#here button")
	b.Press(kb.Enter)
	b.WaitFor(`location.pathname.length > 20 && document.readyState`, "complete")
	if browsertest.Eval[bool](b, `document.getElementById('answer-form') !== null`) {
		return
	}
	if text := browsertest.Eval[string](b, `document.body.innerText`); slices.ContainsFunc(sampleTexts,
		func(item string) bool { return strings.Contains(text, item) }) {
		b.Error("an item is shown before its warning is acknowledged")
	}
	if isFirst {
		checkAccessibility(b, "warning-"+s.batches[i].Name)
	}
	focusByTab(b, "[action$=reading] button")
	b.Press(kb.Enter)
}

// labelBatch labels every item of a batch. On each item it breaks more rules, as long as
// there are rules left.
func (s *labelingRun) labelBatch(b browsertest.Tab, email string, p protocol.Protocol, isFirst bool) {
	rng := rand.New(rand.NewPCG(uint64(len(p.Key)), uint64(email[0])))
	last := ""
	itemCount, violationCount := labelsPerBatch()
	for n := range itemCount {
		d := s.waitForNext(b, p, last)
		last = d.token
		screenshotName := ""
		if isFirst && n == 0 {
			screenshotName = p.Key
		}
		s.checkItemText(d)
		if n < 2 {
			s.checkPanels(d, screenshotName)
			s.checkMissingAnswer(d)
		}
		answers := drawValidAnswers(rng, p, d.facts)
		for i := range violationCount {
			violation, ok := s.nextViolation(d, email)
			if !ok {
				break
			}
			if i > 0 {
				screenshotName = "" // only of the first
			}
			s.checkViolation(d, violation, screenshotName)
			answers = violation.fixed
		}
		d.enterAnswers(answers)
		s.submitAnswers(d, answers, n%3 == 0)
	}
	b.WaitFor(`location.pathname === '/work' && document.readyState`, "complete")
}

// waitForNext waits for the item after the given token.
func (s *labelingRun) waitForNext(b browsertest.Tab, p protocol.Protocol, last string) labelingScreen {
	b.Helper()
	b.WaitFor(`location.pathname.startsWith('/work/') && document.getElementById('answer-form') !== null && location.pathname !== '/work/`+last+`'`, true)
	d := labelingScreen{Tab: b, protocol: p, token: strings.TrimPrefix(browsertest.Eval[string](b, `location.pathname`),
		"/work/")}
	d.waitReady()
	if err := s.pool.QueryRow(b.Context(), `SELECT facts FROM items i JOIN assignments a ON a.item_id = i.id
		WHERE token = $1`, d.token).Scan(&d.facts); err != nil {
		b.Fatal(err)
	}
	return d
}

// checkItemText compares the displayed item with the imported one, byte for
// byte.
func (s *labelingRun) checkItemText(d labelingScreen) {
	d.Helper()
	var content project.Content
	if err := s.pool.QueryRow(d.Context(), `SELECT content FROM items i JOIN assignments a ON a.item_id = i.id
		WHERE token = $1`, d.token).Scan(&content); err != nil {
		d.Fatal(err)
	}
	var want []string
	for _, supporting := range []bool{false, true} {
		for _, part := range d.protocol.Unit.Parts {
			if part.Supporting != supporting {
				continue
			}
			piece := content[part.Key]
			if piece.Text != "" {
				want = append(want, piece.Text)
			}
			for _, turn := range piece.Turns {
				want = append(want, turn.Text)
			}
			for _, passage := range piece.Chunks {
				want = append(want, passage.Text)
			}
		}
	}
	if got := browsertest.Eval[[]string](d.Tab, itemTextJS); !slices.Equal(got, want) {
		d.Errorf("the item is shown as %.300q, want %.300q", got, want)
	}
}

func (s *labelingRun) checkPanels(d labelingScreen, screenshotName string) {
	d.Helper()
	for key, id := range map[string]string{"g": "guide", "?": "keys", "e": "edge-cases"} {
		if id == "edge-cases" && len(d.protocol.Observations) == 0 {
			continue
		}
		d.Press(key)
		d.WaitFor(openPanelsJS, id)
		if screenshotName != "" {
			checkAccessibility(d.Tab, "label-"+screenshotName+"-"+id)
		}
		d.Press(kb.Escape)
		d.WaitFor(openPanelsJS, "")
	}
}

func (s *labelingRun) checkMissingAnswer(d labelingScreen) {
	d.Helper()
	asked := d.protocol.ApplicableFields(d.facts)
	d.Press(fmt.Sprint(asked[0].Scale[0].Value), kb.Enter)
	d.WaitFor(activeFieldJS, asked[1].Key)
	d.WaitFor(statusTextJS+`.includes('Unanswered: ')`, true)
	d.WaitFor(d.problemsJS(asked[1].Key), []string{"Choose an answer."})
	d.WaitFor(`location.pathname`, "/work/"+d.token)
}

// violationKey identifies a violation that is tried once.
func violationKey(p protocol.Protocol, r protocol.Rule, email string) string {
	if !require.FullSize() {
		email = "" // of any annotator
	}
	return p.Key + " " + r.ID + " " + email
}

// nextViolation returns a violation that is not tried yet. Violations that only some items
// allow come first.
func (s *labelingRun) nextViolation(d labelingScreen, email string) (ruleViolation, bool) {
	list := slices.Clone(findViolations(d.protocol, d.facts))
	other := protocol.Facts{}
	for _, f := range d.protocol.Facts {
		other[f.Key] = !d.facts[f.Key]
	}
	elsewhere := findViolations(d.protocol, other)
	rank := func(b ruleViolation) int {
		if slices.ContainsFunc(elsewhere, func(e ruleViolation) bool { return e.rule.ID == b.rule.ID }) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b ruleViolation) int { return rank(a) - rank(b) })
	s.Lock()
	defer s.Unlock()
	for _, b := range list {
		if key := violationKey(d.protocol, b.rule, email); !s.triedRules[key] {
			s.triedRules[key] = true
			return b, true
		}
	}
	return ruleViolation{}, false
}

// checkViolation enters answers that break one rule. The message appears at
// its field at once, the page and the server reject the form, and nothing is
// stored.
func (s *labelingRun) checkViolation(d labelingScreen, b ruleViolation, screenshotName string) {
	d.Helper()
	d.enterAnswers(b.answers)
	for _, key := range b.keys {
		message := b.rule.Message
		if o, ok := d.protocol.Observation(key); ok {
			message = o.Title + ": " + message
		}
		d.WaitFor(fmt.Sprintf(`%s.includes(%q)`, d.problemsJS(key), message), true)
	}
	if screenshotName != "" {
		checkAccessibility(d.Tab, "label-"+screenshotName+"-rule")
	}
	d.Press(kb.Enter)
	d.WaitFor(fmt.Sprintf(`fetch(location.pathname, { method: 'POST', body: new URLSearchParams(new FormData(document.getElementById('answer-form'))), redirect: 'manual' }).then(async r => r.status + ' ' + (await r.text()).includes(%q))`, escapeHTML(b.rule.Message)), "422 true")
	d.WaitFor(`location.pathname`, "/work/"+d.token)
	if n := s.countItemAnnotations(d); n != 0 {
		d.Errorf("%s was broken, but %d annotations are stored", b.rule.ID, n)
	}
}

// escapeHTML returns text as it is in the source of a page.
func escapeHTML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(text)
}

func (s *labelingRun) countItemAnnotations(d labelingScreen) (n int) {
	d.Helper()
	if err := s.pool.QueryRow(d.Context(), `SELECT count(*) FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id WHERE a.token = $1`, d.token).Scan(&n); err != nil {
		d.Fatal(err)
	}
	return n
}

// submitAnswers submits the form, from a question or from the note.
func (s *labelingRun) submitAnswers(d labelingScreen, a protocol.Answers, isInNote bool) {
	d.Helper()
	d.WaitFor(`[...document.querySelectorAll('.error-list li')].map(li => li.textContent)`, []string{})
	s.Lock()
	s.submitted[d.token] = a
	s.Unlock()
	if isInNote {
		d.Press("n")
		d.PressWith(chromedp.ModifierCtrl, kb.Enter)
		return
	}
	d.Press(kb.Enter)
}

// checkStored compares every stored annotation with what was entered.
func (s *labelingRun) checkStored(annotators int) {
	s.Helper()
	rows, err := s.pool.Query(s.Context(), `
		SELECT token, answers, observations, unsure, note, active_ms
		FROM annotations n JOIN assignments a ON a.id = n.assignment_id`)
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var token string
		var active int64
		var a protocol.Answers
		if err := rows.Scan(&token, &a.Values, &a.Observations, &a.Unsure, &a.Note, &active); err != nil {
			s.Fatal(err)
		}
		if want := s.submitted[token]; !equalAnswers(a, want) || active <= 0 {
			s.Errorf("stored %+v with %d ms, want %+v", a, active, want)
		}
	}
	itemCount, _ := labelsPerBatch()
	if want := annotators * itemCount * len(s.batches); n != want || len(s.submitted) != want {
		s.Errorf("%d annotations of %d submitted items, want %d", n, len(s.submitted), want)
	}
	if n := query[int](s.testEnv, `SELECT count(*) FROM (SELECT FROM annotations GROUP BY item_id
		HAVING count(DISTINCT account_id) = $1 AND count(*) = $1) t`, annotators); n != itemCount*len(s.batches) {
		s.Errorf("%d items have a label of each annotator, want %d", n, itemCount*len(s.batches))
	}
}

// checkRulesTried finds rules that no annotator has broken.
func (s *labelingRun) checkRulesTried(annotators []string) {
	s.Helper()
	for _, p := range protocol.Builtin() {
		for _, r := range p.AllRules() {
			for _, email := range annotators {
				if !s.triedRules[violationKey(p, r, email)] {
					s.Errorf("%s did not break %s of %s", email, r.ID, p.Key)
				}
			}
		}
	}
}
