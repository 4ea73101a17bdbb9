package postgres

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
)

func TestOpenNext_ManyTabs_OpensOne(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("tabs", 20), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	var wg sync.WaitGroup
	tokens := make([]string, 16)
	for i := range tokens {
		wg.Go(func() { tokens[i] = env.openItem(accounts[0]) })
	}
	wg.Wait()
	for _, token := range tokens {
		if token == "" || token != tokens[0] {
			t.Fatalf("tokens differ: %q", tokens)
		}
	}
}

func TestClaim_Closed_KeepsSlots(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, _, _ := env.newStartedBatch()
	before := env.queryInt(`SELECT count(account_id) FROM slots`)
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, b.Name); err != nil {
		t.Fatal(err)
	}
	err := env.inTx(t.Context(), func(tx pgx.Tx) error {
		token, err := openWorkItem(t.Context(), tx, annotatorState{BatchID: b.ID, AccountID: annotator.ID})
		if token != "" {
			t.Error("an item of a closed batch is given out")
		}
		return err
	})
	if after := env.queryInt(`SELECT count(account_id) FROM slots`); err != nil || after != before {
		t.Errorf("%d slots are held, want %d: %v", after, before, err)
	}
}
