package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestSkip_Policy_DecidesNext(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	for policy, want := range map[labeling.SkipPolicy]struct{ mine, others bool }{
		labeling.SkipReassign: {false, true}, labeling.SkipReturnLater: {true, false}, labeling.SkipDrop: {false, false},
	} {
		p := env.newProject("aside-"+string(policy), 1)
		env.updateProject(p, `aside_next = '`+string(policy)+`'`)
		b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
		token, err := env.OpenNext(t.Context(), accounts[0].ID, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		next, err := env.Skip(t.Context(), accounts[0].ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
		if err != nil || (next != "") != want.mine {
			t.Errorf("%s: next is %q, %v", policy, next, err)
		}
		if other, err := env.OpenNext(t.Context(), accounts[1].ID, b.ID); err != nil || (other != "") != want.others {
			t.Errorf("%s: somebody else gets %q, %v", policy, other, err)
		}
		if got, err := env.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 0 || got.Slots != 1 {
			t.Errorf("%s: the batch stands at %+v", policy, got)
		}
		if policy != labeling.SkipReturnLater {
			continue
		}
		if _, err := env.Skip(t.Context(), accounts[0].ID, next, labeling.Skip{Reason: labeling.Distressing}); err != nil {
			t.Fatal(err)
		}
		if other, err := env.OpenNext(t.Context(), accounts[1].ID, b.ID); err != nil || other == "" {
			t.Errorf("set aside twice, it goes to nobody: %v", err)
		}
	}
}

func TestSkip_Item_GoesToOther(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(env.newProject("aside", 1), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token := env.openItem(accounts[0])
	if _, err := env.Skip(t.Context(), accounts[0].ID, token, labeling.Skip{Reason: labeling.Unclear}); !errors.Is(err, fault.Invalid) {
		t.Errorf("a reason without a word: %v", err)
	}
	for range 2 { // a second click changes nothing
		next, err := env.Skip(t.Context(), accounts[0].ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "What is meant?"})
		if err != nil || next != "" {
			t.Fatal(next, err)
		}
	}
	if skips, err := env.SkippedItems(t.Context(), 1); err != nil || len(skips) != 1 || skips[0].Comment != "What is meant?" || skips[0].SourceID != "item-1" {
		t.Errorf("the lead is told %+v, %v", skips, err)
	}
	if token := env.openItem(accounts[0]); token != "" {
		t.Error("the same annotator got the item back")
	}
	if token := env.openItem(accounts[1]); token == "" {
		t.Error("nobody else got the item")
	}
	_, err := env.Submit(t.Context(), accounts[0].ID, token, helpfulSubmission)
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("submitting what was set aside: %v", err)
	}
}

// Who sets aside what was opened once more leaves it as it is: nobody else is
// asked for a label that is there already.
func TestSkip_Reopened_KeepsAnswer(t *testing.T) {
	for _, reason := range labeling.SkipReasons {
		t.Run(string(reason), func(t *testing.T) {
			env := newTestEnv(t)
			p, b, annotator, first, token := env.newStartedBatch()
			env.reopenItem(p, b, annotator, first)
			reopened, err := env.submit(t.Context(), annotator.ID, token, helpfulSubmission)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := env.Skip(t.Context(), annotator.ID, reopened, labeling.Skip{Reason: reason, Comment: "on second thoughts"}); err != nil {
				t.Fatal(err)
			}
			for _, email := range []string{"a1@example.org", "a2@example.org", "a3@example.org"} {
				member, err := env.AccountByEmail(t.Context(), email)
				if err != nil {
					t.Fatal(err)
				}
				env.submitAll(member)
			}
			if n := env.queryInt(`SELECT count(*) FROM (SELECT FROM annotations WHERE attempt = 1 GROUP BY item_id HAVING count(*) <> 2) wrong`); n != 0 {
				t.Errorf("%d items have another number of labels than asked for", n)
			}
			if got, err := env.Batch(t.Context(), p.ID, b.Name); err != nil || got.Submitted != 8 {
				t.Errorf("the batch stands at %+v, %v", got, err)
			}
		})
	}
}

func TestSkip_Duplicate_KeepsSlot(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("aside2", 20)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, DuplicateCount: 2})
	annotator := accounts[0]
	for token := env.openItem(annotator); token != ""; token = env.openItem(annotator) {
		var err error
		if env.queryInt(`SELECT count(*) FROM assignments WHERE token = $1 AND kind = 'duplicate'`, token) == 1 {
			_, err = env.Skip(t.Context(), annotator.ID, token, labeling.Skip{Reason: labeling.Distressing})
		} else {
			_, err = env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM slots WHERE batch_id = $1 AND account_id = $2`, b.ID, annotator.ID); n != 20 {
		t.Errorf("%d slots are still held, want 20", n)
	}
	got, err := env.Batch(t.Context(), p.ID, "one")
	if err != nil || got.Submitted != 20 || env.queryInt(`SELECT count(*) FROM assignments WHERE state = 'set_aside' AND kind = 'work'`) != 0 {
		t.Errorf("the batch stands at %+v, %v", got, err)
	}
}
