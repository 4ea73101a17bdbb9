package postgres

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/sequence"
)

// The batches of the adversarial annotators. The 2 duplicates of each are spread over the 9
// positions from 7 to 15, and the 2 gold items over the other 13 positions from 1 to 15, so that guessing a
// position from 7 is right in 2/9 + 7/9 · 2/13 = 34% of cases.
const (
	adversaryCohorts = 4 // that label at the same time
	adversaryPlayers = 4 // per batch
	adversaryWork    = 12
	adversaryGold    = 5 // items with reference answers
	adversaryHidden  = 2 // duplicates, and gold items
	firstHidden      = 7 // position where a duplicate can come
	lastHidden       = 15
	adversaryRate    = 0.342
)

// TestHidden_AdversarialAnnotators_GuessNoBetter plays 48 sessions of annotators, and with
// LABELWRIGHT_SLOW=1 208, who take breaks, wait, skip, ask, ask to reopen, abandon items and get sheets at will, and
// record all that they can observe of each item but its text: on the labeling screen, on sheets, in the list of
// recent items, of their questions and after an undo. A guesser learns from half of the sessions, with the
// truth, which observations go with hidden items. It must not find the hidden items of the other
// half more often than by chance. The file observables.md of package sequence lists what
// annotators observe.
func TestHidden_AdversarialAnnotators_GuessNoBetter(t *testing.T) {
	if testing.Short() {
		t.Skip("This test plays many sessions and runs only without -short.")
	}
	batches, least, z := 3, 48, 3.0 // 3 standard errors: a run in 400 fails by chance
	if require.FullSize() {
		batches, least, z = 13, 208, 1.96
	}
	env := newTestEnv(t)
	items := make([][]observedItem, adversaryCohorts)
	var wg sync.WaitGroup
	for cohort := range items {
		wg.Go(func() {
			for n := range batches {
				items[cohort] = append(items[cohort], env.playBatch(cohort*batches+n)...)
			}
		})
	}
	wg.Wait()
	checkGuesses(t, slices.Concat(items...), least, z)
}

// playBatch has annotators play a batch to its end. Batches differ in their overlap, their
// skip policy and the habits of their annotators.
func (env testEnv) playBatch(n int) (items []observedItem) {
	env.t.Helper()
	emails, accounts := make([]string, adversaryPlayers), make([]account.Account, adversaryPlayers)
	for i := range accounts {
		accounts[i] = env.newUser(fmt.Sprintf("batch%d-%d@example.org", n, i), account.Annotator)
		emails[i] = accounts[i].Email
	}
	overlap := []int{1, 2, 4}[n%3]
	p := env.newProject(fmt.Sprintf("batch-%d", n), adversaryWork*adversaryPlayers/overlap)
	env.addReferences(p, adversaryGold)
	skipPolicy := labeling.SkipPolicies[n/3%3]
	env.updateProject(p, fmt.Sprintf(
		`skip_policy = '%s', release_after_minutes = 30, break_after_minutes = 20, allows_undo = true`, skipPolicy))
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: overlap, Seed: int64(n + 1),
		BreakEvery: 4, Assignment: []project.AssignmentMode{project.Planned, project.Pool}[n%2], BreakMinutes: 5,
		DuplicateCount: adversaryHidden, GoldCount: adversaryHidden})
	rng := rand.New(rand.NewPCG(uint64(n), 9))
	players := make([]*adversary, len(accounts))
	for i, a := range accounts {
		players[i] = &adversary{testEnv: env, account: a, project: p, batch: b, rng: rng,
			habit:      adversaryHabits[rng.IntN(len(adversaryHabits))],
			skipPolicy: skipPolicy, seen: map[labeling.AssignmentID]*observedItem{}}
	}
	for active := slices.Clone(players); len(active) > 0; {
		i := rng.IntN(len(active))
		if !active[i].act() {
			active = slices.Delete(active, i, i+1)
		}
	}
	for i, player := range players {
		items = append(items, player.collect(n*adversaryPlayers+i)...)
	}
	return items
}

// A habit is how likely an annotator does something with an item, in percent. Otherwise the
// item is submitted.
type habit struct{ breaks, waits, skips, reopens, abandons, undos, asks, sheets int }

func (h habit) sum() int {
	return h.breaks + h.waits + h.skips + h.reopens + h.abandons + h.undos + h.asks + h.sheets
}

var adversaryHabits = []habit{
	{},
	{breaks: 15, waits: 15, skips: 15, reopens: 15, abandons: 15},
	{breaks: 15, waits: 15, skips: 15, reopens: 15, abandons: 15},
	{breaks: 100},
	{waits: 60, breaks: 20},
	{skips: 50, abandons: 10},
	{abandons: 60, reopens: 20},
	{undos: 70, skips: 10, breaks: 10},
	{asks: 50, skips: 20},
	{sheets: 12, skips: 30, asks: 10},
}

// An observedItem is what an annotator observed of one item, and the truth.
type observedItem struct {
	session      int
	position     int // among the items that the annotator was shown, from 1
	isHidden     bool
	skips        int
	opened       int // how often
	observations []string
}

func (i *observedItem) observe(format string, args ...any) {
	i.observations = append(i.observations, fmt.Sprintf(format, args...))
}

// An adversary is an annotator who records what can be observed of each item.
type adversary struct {
	testEnv
	account    account.Account
	project    project.Project
	batch      project.Batch
	rng        *rand.Rand
	habit      habit
	skipPolicy labeling.SkipPolicy
	seen       map[labeling.AssignmentID]*observedItem
	last       string                 // what the annotator did before the current item
	next       string                 // the token of the next item, if known
	work       labeling.BatchProgress // as Work showed it last
	away       int                    // turns until the annotator returns to the abandoned item
	left       string                 // its token
	leftItem   *observedItem
	idle       int // turns without an item
}

// act plays one turn. It returns false when nothing is left.
func (a *adversary) act() bool {
	if a.away > 0 {
		if a.away--; a.away == 0 {
			a.returnToAbandoned()
		}
		return true
	}
	token := a.next
	if a.next = ""; token == "" {
		token = a.openNext()
	}
	if token == "" {
		a.idle++
		return a.idle < 4
	}
	a.idle = 0
	a.handle(token, a.observeScreen(a.screen(token)))
	return true
}

// observeScreen records how an item looks when it opens.
func (a *adversary) observeScreen(s LabelingScreen) *observedItem {
	before := a.work
	item, known := a.seen[s.ID]
	if !known {
		item = &observedItem{position: len(a.seen) + 1}
		a.seen[s.ID] = item
	}
	opened := "opened"
	item.opened++
	if known {
		opened = "opened again"
	}
	item.observe("%s after %s", opened, a.last)
	item.observe("%s: more %v, limit %q, was open %v", opened, before.HasMore, before.Limit, before.OpenToken != "")
	item.observe("%s: the page shows %+v", opened, difference(s.Progress, before.Progress))
	item.observe("%s: stage %v %v %v, note %q, draft %d, active %d, reading %v, break %v", opened, s.IsCalibration,
		s.IsRetake, s.Reopened,
		s.Draft.Note, s.DraftVersion, s.ActiveMS, s.MustRead, s.OnBreak)
	a.observeElsewhere(s, item, opened)
	return item
}

// observeElsewhere records what the sheets and lists of the annotator show of an open item.
func (a *adversary) observeElsewhere(s LabelingScreen, item *observedItem, opened string) {
	var sheets, rows int
	a.must(a.pool.QueryRow(a.t.Context(), `
		SELECT count(DISTINCT h.id), count(r.item_id) FILTER (WHERE r.item_id = o.item_id)
		FROM sheets h JOIN sheet_rows r ON r.sheet_id = h.id JOIN assignments o ON o.id = $3
		WHERE h.batch_id = $1 AND h.account_id = $2`, a.batch.ID, a.account.ID, s.ID).Scan(&sheets, &rows))
	item.observe("%s: in sheets %v of %v", opened, min(rows, 1), min(sheets, 1))
	list, err := a.SubmittedItems(a.t.Context(), a.account.ID, a.batch.ID, 0, 100)
	a.must(err)
	titles, repeated := map[string]bool{}, 0
	for _, i := range list.Items {
		if i.Title != "" && titles[i.Title] {
			repeated++
		}
		titles[i.Title] = true
	}
	item.observe("%s: recent items %d of %d, one repeated %d times", opened, len(titles), len(list.Items), repeated)
	for _, q := range s.Questions {
		item.observe("%s: own question %s, title %v, answer %v", opened, q.State, q.ItemTitle != "", q.Answer != "")
	}
}

// ask asks about an open item. Half of the time, the lead answers.
func (a *adversary) ask(token string, item *observedItem) {
	a.must(a.AskLead(a.t.Context(), a.account.ID, token, "Which one?"))
	questions, err := a.OpenQuestions(a.t.Context(), a.admin.ID, a.project.ID)
	a.must(err)
	for _, q := range questions {
		if a.rng.IntN(2) == 0 {
			err = a.AnswerQuestion(a.t.Context(), a.admin.ID, a.project, q.ID, "This one.")
			item.observe("ask: answer %v", errors.Is(err, fault.Conflict))
		}
	}
}

// getSheet gets a sheet from the lead, if the batch has sheets.
func (a *adversary) getSheet(item *observedItem) {
	before := a.progress()
	sheet, err := a.CreateSheet(a.t.Context(), a.admin.ID, a.batch.ID, a.account.ID)
	if err != nil {
		item.observe("sheet: %v", err)
		return
	}
	after := a.progress()
	texts := map[string]bool{}
	for _, row := range sheet.Rows {
		texts[fmt.Sprint(row.Content)] = true
	}
	item.observe("sheet: rows equal %v, more than left %v, fewer left %v", len(sheet.Rows)-len(texts),
		len(sheet.Rows) > after.ExpectedItems-after.CompletedItems, after.ExpectedItems < before.ExpectedItems)
}

func difference(p, before labeling.Progress) labeling.Progress {
	return labeling.Progress{CompletedItems: p.CompletedItems - before.CompletedItems,
		ExpectedItems: p.ExpectedItems - before.ExpectedItems,
		ItemsToBreak:  p.ItemsToBreak - before.ItemsToBreak}
}

func (a *adversary) progress() labeling.BatchProgress {
	overview, err := a.WorkOverview(a.t.Context(), a.account.ID)
	a.must(err)
	a.work, _ = overview.Batch(a.batch.ID)
	return a.work
}

func (a *adversary) openNext() (token string) {
	token, err := a.OpenNext(a.t.Context(), a.account.ID, a.batch.ID)
	a.must(err)
	return token
}

func (a *adversary) screen(token string) LabelingScreen {
	screen, err := a.LabelingScreen(a.t.Context(), a.account.ID, token)
	a.must(err)
	return screen
}

// passTime moves the stored times of the annotator in the batch back.
func (a *adversary) passTime(minutes int) {
	for _, statement := range []string{
		`UPDATE slots SET claimed_at = claimed_at - make_interval(mins => $3) WHERE batch_id = $1 AND account_id = $2`,
		`UPDATE hidden_items SET claimed_at = claimed_at - make_interval(mins => $3) WHERE batch_id = $1
			AND account_id = $2`,
		`UPDATE assignments SET opened_at = opened_at - make_interval(mins => $3),
			closed_at = closed_at - make_interval(mins => $3)
		 WHERE batch_id = $1 AND account_id = $2`,
		`UPDATE breaks SET started_at = started_at - make_interval(mins => $3), ended_at = ended_at - make_interval(mins
			=> $3),
			scheduled_end_at = scheduled_end_at - make_interval(mins => $3) WHERE batch_id = $1 AND account_id = $2`,
		`UPDATE members m SET session_started_at = session_started_at - make_interval(mins => $3),
			last_active_at = last_active_at - make_interval(mins => $3)
		 FROM batches b WHERE b.id = $1 AND m.project_id = b.project_id AND m.account_id = $2`,
	} {
		_, err := a.pool.Exec(a.t.Context(), statement, a.batch.ID, a.account.ID, minutes)
		a.must(err)
	}
}

// collect returns the items with the truth.
func (a *adversary) collect(session int) (items []observedItem) {
	rows, err := collectAll[struct {
		ID   labeling.AssignmentID
		Kind sequence.AssignmentKind
	}](a.pool.Query(a.t.Context(), `SELECT id, kind FROM assignments WHERE batch_id = $1 AND account_id = $2
		ORDER BY id`, a.batch.ID, a.account.ID))
	a.must(err)
	for _, row := range rows {
		if item := a.seen[row.ID]; item != nil {
			item.session, item.isHidden = session, row.Kind != sequence.KindWork
			item.observe("%s: skipped %d times, opened %d times", a.skipPolicy, item.skips, item.opened)
			items = append(items, *item)
		}
	}
	return items
}

// must stops the test on an error. Adversaries play in goroutines of their own.
func (a *adversary) must(err error) {
	if err != nil {
		panic(fmt.Sprintf("%s: %v", a.last, err))
	}
}
