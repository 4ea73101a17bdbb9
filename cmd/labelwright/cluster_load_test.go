package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

// A faultKind is what happens to the cluster under load.
type faultKind string

// The faults. Only the kills may be seen by clients.
const (
	stopNode     faultKind = "graceful stop of a node"
	killNode     faultKind = "kill -9 of a node"
	killDatabase faultKind = "kill -9 of PostgreSQL"
)

// A faultWindow is the time from a fault until all is well again.
type faultWindow struct {
	kind     faultKind
	from, to time.Time
}

// A failedRequest is one that a client sent in vain.
type failedRequest struct {
	from, to  time.Time
	text      string
	isOffered bool // a 503 of Labelwright: with Retry-After, and the form kept
}

// A load is ten annotators who label, and what they see.
type load struct {
	*cluster
	db       *postgres.DB // for the lead, not through HAProxy
	lead     account.Account
	project  project.Project
	emails   []string
	requests atomic.Int64
	labels   atomic.Int64 // acknowledged
	isFull   atomic.Bool  // no batch opens anymore
	isEnding atomic.Bool  // annotators stop when nothing is left

	mu           sync.Mutex
	acknowledged map[string]bool // tokens of submitted items
	failed       []failedRequest
	problems     []string
}

const (
	loadPassword   = "a quiet morning tram"
	loadAnnotators = 10
	loadOverlap    = 2
	itemsPerBatch  = 100
)

func newLoad(c *cluster, batches int) *load {
	c.Helper()
	db, err := postgres.Open(c.Context(), c.database.URL())
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(db.Close)
	l := &load{cluster: c, db: db, acknowledged: map[string]bool{}}
	hash, err := account.HashPassword(c.Context(), "", loadPassword, account.Owner{})
	if err != nil {
		c.Fatal(err)
	}
	l.lead = l.newUser("lead@example.org", account.Lead, hash)
	for i := range loadAnnotators {
		l.emails = append(l.emails, l.newUser(fmt.Sprintf("ann%d@example.org", i), account.Annotator, hash).Email)
	}
	if l.project, err = db.CreateProject(c.Context(), l.lead, project.Spec{Key: "load", Title: "Load",
		Protocol: "rag-generation", Instructions: "Cite as [1]."}); err != nil {
		c.Fatal(err)
	}
	for _, email := range l.emails {
		if _, err := db.AddMember(c.Context(), l.lead.ID, l.project, account.NewAccount{Email: email, Name: "Name",
			Role: account.Annotator}); err != nil {
			c.Fatal(err)
		}
	}
	items := make([]project.Item, batches*itemsPerBatch)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("i%d", i), Facts: protocol.Facts{}, Content: project.Content{
			"query": {Text: fmt.Sprintf("Question %d?", i)}, "answer": {Text: "An answer."},
		}}
	}
	if err := db.Import(c.Context(), l.lead.ID, l.project, postgres.File{Name: "items.jsonl",
		SHA256: sha256.Sum256(nil)}, items); err != nil {
		c.Fatal(err)
	}
	return l
}

func (l *load) newUser(email string, role account.Role, hash string) account.Account {
	l.Helper()
	id, err := l.db.CreateAccount(l.Context(), 0, account.NewAccount{Email: email, Name: "Name", Role: role}, hash)
	if err != nil {
		l.Fatal(err)
	}
	a, err := l.db.Account(l.Context(), id)
	if err != nil {
		l.Fatal(err)
	}
	return a
}

// openFirstBatch opens a batch and acknowledges the required reading for all annotators, which holds for later batches.
func (l *load) openFirstBatch() {
	l.Helper()
	if _, err := l.db.OpenBatch(l.Context(), l.lead.ID, l.project, l.batchSpec(0)); err != nil {
		l.Fatal(err)
	}
	if _, err := l.count(acknowledgeReading); err != nil {
		l.Fatal(err)
	}
}

func (l *load) batchSpec(n int) project.BatchSpec {
	return project.BatchSpec{Name: fmt.Sprintf("batch %d", n), Annotators: l.emails, Overlap: loadOverlap,
		Sample: project.Sample{Count: itemsPerBatch}, DuplicateCount: 2, FewerCalibration: "Load."}
}

// openBatches opens the next batch before the annotators run out of items, until the load
// is full. Faults make it try again.
func (l *load) openBatches() {
	for n := 1; !l.isFull.Load(); n++ {
		if waiting, err := l.count(`SELECT coalesce(sum(waiting_count), 0)
			FROM batch_annotators`); err == nil && waiting < itemsPerBatch {
			// the next count shows whether it is open
			_, _ = l.db.OpenBatch(l.Context(), l.lead.ID, l.project, l.batchSpec(n))
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// count returns the result of a query with one number.
func (l *load) count(query string) (n int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, l.database.URL())
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	return n, conn.QueryRow(ctx, query).Scan(&n)
}

// Ten annotators label behind HAProxy while nodes are restarted, and nodes and PostgreSQL
// are killed. Each acknowledged label is stored once, each item has its overlap, and only
// kills are seen by clients. LABELWRIGHT_SLOW=1 is the full size.
func TestCluster_StopsAndKills_NothingLost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test starts a cluster and runs only without -short.")
	}
	counts, batches := map[faultKind]int{stopNode: 2, killNode: 1, killDatabase: 1}, 15
	if require.FullSize() {
		counts, batches = map[faultKind]int{stopNode: 50, killNode: 20, killDatabase: 20}, 200
	}
	c := newCluster(t, "--drain-delay", "2s", "--log", "error")
	l := newLoad(c, batches)
	var lead, annotators sync.WaitGroup
	startedAt := time.Now()
	l.openFirstBatch()
	lead.Go(l.openBatches)
	for _, email := range l.emails {
		annotators.Go(l.newAnnotator(email).label)
	}
	windows := c.inject(counts)
	l.isFull.Store(true)
	lead.Wait()
	l.isEnding.Store(true)
	annotators.Wait()
	t.Logf("%d labels and %d requests in %s", l.labels.Load(), l.requests.Load(),
		time.Since(startedAt).Round(time.Second))
	l.checkFailures(windows)
	l.checkStored()
}

// inject brings faults about in random order, each after the cluster is well again.
func (c *cluster) inject(counts map[faultKind]int) (windows []faultWindow) {
	c.Helper()
	var kinds []faultKind
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, slices.Repeat([]faultKind{kind}, counts[kind])...)
	}
	random := rand.New(rand.NewPCG(9, 14))
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for i, kind := range kinds {
		time.Sleep(500 * time.Millisecond)
		w := faultWindow{kind: kind, from: time.Now()}
		switch n := c.nodes[i%len(c.nodes)]; kind {
		case stopNode:
			c.restart(n)
		case killNode:
			c.kill(n)
		case killDatabase:
			c.killDatabase()
		}
		w.to = time.Now()
		windows = append(windows, w)
	}
	time.Sleep(500 * time.Millisecond)
	return windows
}

// checkFailures checks that failed requests belong to a kill: the last one while they ran.
// Those of a killed PostgreSQL must have got the page that keeps the form.
func (l *load) checkFailures(windows []faultWindow) {
	l.Helper()
	seen, faults := map[faultKind]int{}, map[faultKind]int{}
	for _, w := range windows {
		faults[w.kind]++
	}
	slices.Reverse(windows)
	for _, f := range l.failed {
		i := slices.IndexFunc(windows, func(w faultWindow) bool {
			return w.kind != stopNode && f.from.Before(w.to) &&
				f.to.After(w.from)
		})
		if i < 0 {
			l.Errorf("without a kill, a client saw: %s", f.text)
			continue
		}
		w := windows[i]
		seen[w.kind]++
		if w.kind == killDatabase && !f.isOffered {
			l.Errorf("while PostgreSQL was down, a client saw, %s to %s after the kill: %s", f.from.Sub(w.from),
				f.to.Sub(w.from), f.text)
		}
	}
	for _, kind := range []faultKind{stopNode, killNode, killDatabase} {
		l.Logf("%s: %d times, %d failed requests", kind, faults[kind], seen[kind])
	}
	for _, text := range l.problems {
		l.Error(text)
	}
}

// checkStored compares what was acknowledged with the database.
func (l *load) checkStored() {
	l.Helper()
	conn, err := pgx.Connect(l.Context(), l.database.URL())
	if err != nil {
		l.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(l.Context()))
	rows, _ := conn.Query(l.Context(), `SELECT s.token FROM annotations a JOIN assignments s ON s.id = a.assignment_id`)
	stored, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		l.Fatal(err)
	}
	slices.Sort(stored)
	if acknowledged := slices.Sorted(maps.Keys(l.acknowledged)); !slices.Equal(acknowledged, stored) {
		l.Errorf("%d labels acknowledged, %d stored", len(acknowledged), len(stored))
	}
	var items, wrongOverlap, doubled int64
	err = conn.QueryRow(l.Context(), `
		WITH labels AS (
			SELECT s.batch_id, s.item_id, count(*) AS n, count(DISTINCT s.account_id) AS annotators
			FROM annotations a JOIN assignments s ON s.id = a.assignment_id
			WHERE s.kind = 'work'
			GROUP BY 1, 2)
		SELECT count(*), count(*) FILTER (WHERE coalesce(n, 0) <> $1), count(*) FILTER (WHERE n <> annotators)
		FROM batch_items LEFT JOIN labels USING (batch_id, item_id)
		WHERE NOT is_calibration`, loadOverlap).Scan(&items, &wrongOverlap, &doubled)
	if err != nil {
		l.Fatal(err)
	}
	l.Logf("%d labels stored, %d items, %d without their overlap, %d labeled twice by one annotator", len(stored),
		items, wrongOverlap, doubled)
	if len(stored) == 0 || wrongOverlap > 0 || doubled > 0 {
		l.Error("labels are missing or doubled")
	}
}
