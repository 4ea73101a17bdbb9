package postgres

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
)

func TestOpenNext_ManyTabs_OpensOne(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 20, project.BatchSpec{})
	tokens := make([]string, 16)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() { tokens[i] = env.openItem(annotators[0]) })
	}
	wg.Wait()
	for _, token := range tokens {
		if token == "" || token != tokens[0] {
			t.Fatalf("tokens differ: %q", tokens)
		}
	}
}

func TestOpenNext_Closed_ClaimsNothing(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, _, _ := env.newStartedBatch()
	claimed := env.queryInt(`SELECT count(account_id) FROM slots`)
	env.closeBatch(p, b)
	err := env.inTx(t.Context(), func(tx pgx.Tx) error {
		token, err := openWorkItem(t.Context(), tx, annotatorState{BatchID: b.ID, AccountID: annotator.ID})
		if token != "" {
			t.Error("opened an item of a closed batch")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	env.checkCount(claimed, `slots WHERE account_id IS NOT NULL`)
}
