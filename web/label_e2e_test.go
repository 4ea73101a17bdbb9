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
	"github.com/labelwright/labelwright/web/browsertest"
)

// shiftItems is how many items of every protocol each annotator labels.
const shiftItems = 20

// A shift is a project of every protocol, and two annotators who label all of
// it in a browser.
type shift struct {
	world
	pool    *pgxpool.Pool
	batches []project.Batch
	titles  []string

	sync.Mutex
	typed map[string]protocol.Answers // by token
	met   map[string]int              // breaches, by protocol, rule and annotator
}

func newShift(t *testing.T, annotators ...string) *shift {
	t.Helper()
	s := &shift{world: newWorld(t), typed: map[string]protocol.Answers{}, met: map[string]int{}}
	var err error
	if s.pool, err = pgxpool.New(t.Context(), s.base); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.pool.Close)
	lead := s.person("lead@example.org", account.Lead)
	for _, email := range annotators {
		s.person(email, account.Annotator)
	}
	for _, p := range protocol.Builtin() {
		draft := project.Draft{Key: p.Key, Title: "Shift of " + p.Key, Protocol: p.Key, SupportURL: "https://support.example/"}
		made, err := s.db.CreateProject(t.Context(), lead, draft)
		if err != nil {
			t.Fatal(err)
		}
		items := make([]project.Item, shiftItems)
		for i := range items {
			content := contentOf(p, i)
			items[i] = project.Item{SourceID: fmt.Sprint(i), Content: content, Facts: project.FactsOf(p, content)}
		}
		if err := s.db.Import(t.Context(), lead.ID, made, postgres.File{Name: "items.jsonl", SHA256: sha256.Sum256([]byte(p.Key))}, items); err != nil {
			t.Fatal(err)
		}
		s.batches = append(s.batches, s.open(lead, made, "shift", len(annotators), annotators...))
		s.titles = append(s.titles, draft.Title)
	}
	return s
}

// Two people sign in, label every protocol, break every rule and are told, and
// what they typed is what is stored.
func TestTwoAnnotatorsLabelEveryProtocolByKeysAlone(t *testing.T) {
	t.Parallel()
	start, annotators := time.Now(), []string{"ann@example.org", "ben@example.org"}
	s := newShift(t, annotators...)
	t.Run("shift", func(t *testing.T) {
		for _, email := range annotators {
			t.Run(email, func(t *testing.T) {
				t.Parallel()
				s.work(t, email)
			})
		}
	})
	if t.Failed() || len(s.typed) == 0 {
		return
	}
	s.checkStored()
	s.checkMet(annotators)
	t.Logf("%d items, %d rules met, in %v", len(s.typed), len(s.met), time.Since(start).Round(time.Second))
}

// work signs somebody in, and has them label each batch in a tab of its own.
func (s *shift) work(t *testing.T, email string) {
	b := browsertest.Open(t, s.url, "/sign-in")
	first := strings.HasPrefix(email, "ann")
	if first {
		look(b, "sign-in")
	}
	b.Press(email, kb.Tab, password, kb.Enter)
	b.Becomes(`location.pathname`, "/work")
	if first {
		look(b, "work")
	}
	for i, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			t.Parallel()
			tab := b.Another(t, "/work")
			s.begin(tab, i, first)
			s.label(tab, email, p, first)
		})
	}
}

// begin opens the first item of the i-th batch, past its content warning.
func (s *shift) begin(b browsertest.Tab, i int, first bool) {
	b.Helper()
	marked := browsertest.Read[bool](b, fmt.Sprintf(`[...document.querySelectorAll('.queue')].some(q => q.querySelector('h2').textContent === %q && (q.id = 'here'))`, s.titles[i]))
	if !marked {
		b.Fatalf("%s is not among the work", s.titles[i])
	}
	tabTo(b, "#here button")
	b.Press(kb.Enter)
	b.Becomes(`location.pathname.length > 20 && document.readyState`, "complete")
	if browsertest.Read[bool](b, `document.getElementById('answers') !== null`) {
		return
	}
	if text := browsertest.Read[string](b, `document.body.innerText`); slices.ContainsFunc(texts, func(item string) bool { return strings.Contains(text, item) }) {
		b.Error("an item is shown before its warning is read")
	}
	if first {
		look(b, "warning-"+s.batches[i].Name)
	}
	tabTo(b, "[action$=warning] button")
	b.Press(kb.Enter)
}

// label labels every item of a batch. Each item meets a rule while there are
// any left that it can meet.
func (s *shift) label(b browsertest.Tab, email string, p protocol.Protocol, first bool) {
	chance := rand.New(rand.NewPCG(uint64(len(p.Key)), uint64(email[0])))
	last := ""
	for n := range shiftItems {
		d := s.next(b, p, last)
		last = d.token
		looked := ""
		if first && n == 0 {
			looked = p.Key
		}
		s.readsRight(d)
		if n < 2 {
			s.opensPanels(d, looked)
			s.isToldWhatIsMissing(d)
		}
		answers := right(chance, p, d.facts)
		if breach, ok := s.unmet(d, email); ok {
			s.breaks(d, breach, looked)
			answers = breach.mended
		}
		d.give(answers)
		s.submits(d, answers, n%3 == 0)
	}
	b.Becomes(`location.pathname === '/work' && document.readyState`, "complete")
}

// next waits for the item after the one of token last.
func (s *shift) next(b browsertest.Tab, p protocol.Protocol, last string) desk {
	b.Helper()
	b.Becomes(`location.pathname.startsWith('/work/') && document.getElementById('answers') !== null && location.pathname !== '/work/`+last+`'`, true)
	d := desk{Tab: b, protocol: p, token: strings.TrimPrefix(browsertest.Read[string](b, `location.pathname`), "/work/")}
	d.ready()
	if err := s.pool.QueryRow(b.Context(), `SELECT facts FROM items i JOIN assignments a ON a.item_id = i.id WHERE token = $1`, d.token).Scan(&d.facts); err != nil {
		b.Fatal(err)
	}
	return d
}

// readsRight compares what is shown with what was imported, byte for byte.
func (s *shift) readsRight(d desk) {
	d.Helper()
	var content project.Content
	if err := s.pool.QueryRow(d.Context(), `SELECT content FROM items i JOIN assignments a ON a.item_id = i.id WHERE token = $1`, d.token).Scan(&content); err != nil {
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
			for _, passage := range piece.Passages {
				want = append(want, passage.Text)
			}
		}
	}
	if got := browsertest.Read[[]string](d.Tab, itemNow); !slices.Equal(got, want) {
		d.Errorf("the item is shown as %.300q, want %.300q", got, want)
	}
}

func (s *shift) opensPanels(d desk, looked string) {
	d.Helper()
	for key, id := range map[string]string{"g": "guide", "?": "keys", "e": "edges"} {
		if id == "edges" && len(d.protocol.Observations) == 0 {
			continue
		}
		d.Press(key)
		d.Becomes(panels, id)
		if looked != "" {
			look(d.Tab, "label-"+looked+"-"+id)
		}
		d.Press(kb.Escape)
		d.Becomes(panels, "")
	}
}

func (s *shift) isToldWhatIsMissing(d desk) {
	d.Helper()
	asked := d.protocol.Asked(d.facts)
	d.Press(fmt.Sprint(asked[0].Scale[0].Value), kb.Enter)
	d.Becomes(active, asked[1].Key)
	d.Becomes(said+`.includes('Still open: ')`, true)
	d.Becomes(d.sentences(asked[1].Key), []string{"Please choose an answer."})
	d.Becomes(`location.pathname`, "/work/"+d.token)
}

// unmet returns a breach that this annotator has not tried yet; those that only
// some items can have, first.
func (s *shift) unmet(d desk, email string) (breach, bool) {
	list := slices.Clone(breaches(d.protocol, d.facts))
	other := protocol.Facts{}
	for _, f := range d.protocol.Facts {
		other[f.Key] = !d.facts[f.Key]
	}
	elsewhere := breaches(d.protocol, other)
	rare := func(b breach) int {
		if slices.ContainsFunc(elsewhere, func(e breach) bool { return e.rule.ID == b.rule.ID }) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b breach) int { return rare(a) - rare(b) })
	s.Lock()
	defer s.Unlock()
	for _, b := range list {
		if key := d.protocol.Key + " " + b.rule.ID + " " + email; s.met[key] == 0 {
			s.met[key]++
			return b, true
		}
	}
	return breach{}, false
}

// breaks gives answers that break one rule: its sentence stands at its field at
// once, neither the page nor the server takes the form, and nothing is stored.
func (s *shift) breaks(d desk, b breach, looked string) {
	d.Helper()
	d.give(b.answers)
	for _, key := range b.at {
		says := b.rule.Says
		if o, ok := d.protocol.Observation(key); ok {
			says = o.Title + ": " + says
		}
		d.Becomes(fmt.Sprintf(`%s.includes(%q)`, d.sentences(key), says), true)
	}
	if looked != "" {
		look(d.Tab, "label-"+looked+"-rule")
	}
	d.Press(kb.Enter)
	d.Becomes(fmt.Sprintf(`fetch(location.pathname, { method: 'POST', body: new URLSearchParams(new FormData(document.getElementById('answers'))), redirect: 'manual' }).then(async r => r.status + ' ' + (await r.text()).includes(%q))`, templated(b.rule.Says)), "422 true")
	d.Becomes(`location.pathname`, "/work/"+d.token)
	if n := s.stored(d); n != 0 {
		d.Errorf("%s was broken, and %d annotations are stored", b.rule.ID, n)
	}
}

// templated is text as it stands in the source of a page.
func templated(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(text)
}

func (s *shift) stored(d desk) (n int) {
	d.Helper()
	if err := s.pool.QueryRow(d.Context(), `SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.token = $1`, d.token).Scan(&n); err != nil {
		d.Fatal(err)
	}
	return n
}

// submits sends the form, from the questions or while writing.
func (s *shift) submits(d desk, a protocol.Answers, writing bool) {
	d.Helper()
	d.Becomes(`[...document.querySelectorAll('.problem li')].map(li => li.textContent)`, []string{})
	s.Lock()
	s.typed[d.token] = a
	s.Unlock()
	if writing {
		d.Press("n")
		d.PressWith(chromedp.ModifierCtrl, kb.Enter)
		return
	}
	d.Press(kb.Enter)
}

// checkStored compares every stored annotation with what was typed.
func (s *shift) checkStored() {
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
		if want := s.typed[token]; !same(a, want) || active <= 0 {
			s.Errorf("stored %+v in %d ms, typed %+v", a, active, want)
		}
	}
	if want := 2 * shiftItems * len(s.batches); n != want || len(s.typed) != want {
		s.Errorf("%d annotations and %d typed, want %d", n, len(s.typed), want)
	}
	if n := query[int](s.world, `SELECT count(*) FROM (SELECT FROM annotations GROUP BY item_id HAVING count(DISTINCT account_id) = 2 AND count(*) = 2) t`); n != shiftItems*len(s.batches) {
		s.Errorf("%d items have a label of each annotator, want %d", n, shiftItems*len(s.batches))
	}
}

// checkMet finds rules that somebody has not run into.
func (s *shift) checkMet(annotators []string) {
	s.Helper()
	for _, p := range protocol.Builtin() {
		for _, r := range p.AllRules() {
			for _, email := range annotators {
				if s.met[p.Key+" "+r.ID+" "+email] == 0 {
					s.Errorf("%s did not meet %s of %s", email, r.ID, p.Key)
				}
			}
		}
	}
}
