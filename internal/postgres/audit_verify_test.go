package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// tamper runs statements as a superuser with all triggers and foreign keys off.
func (env testEnv) tamper(statements ...string) {
	env.t.Helper()
	conn := env.connectAsLogin()
	mustExec(env.t, conn, `SET session_replication_role = replica`)
	for _, statement := range statements {
		mustExec(env.t, conn, statement)
	}
	if err := conn.Close(context.Background()); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) mustVerifyAuditLog() AuditLink {
	env.t.Helper()
	last, err := env.VerifyAuditLog(env.t.Context(), AuditLink{})
	if err != nil {
		env.t.Fatal(err)
	}
	return last
}

func TestVerifyAuditLog_Tampered_NamesEntry(t *testing.T) {
	for name, c := range map[string]struct{ statements, want string }{
		"changed detail": {`UPDATE audit_log SET detail = detail || '{"x": 1}'
			WHERE id = 3`, "Entry 3 of the audit log was changed"},
		"changed time": {`UPDATE audit_log SET created_at = created_at + interval '1 microsecond'
			WHERE id = 3`, "Entry 3 of the audit log was changed"},
		"changed account": {`UPDATE audit_log SET account_id = NULL
			WHERE id = 3`, "Entry 3 of the audit log was changed"},
		"several changed": {`UPDATE audit_log SET subject = 'other'
			WHERE id >= 3`, "Entry 3 of the audit log was changed"},
		"new hash": {`UPDATE audit_log SET subject = 'other' WHERE id = 3;
			UPDATE audit_chain k SET hash = audit_hash((SELECT hash FROM audit_chain WHERE sequence_no = 2), 3, l)
			FROM audit_log l WHERE l.id = 3 AND k.sequence_no = 3`,
			"Entry 4 of the audit log was changed"},
		"deleted": {`DELETE FROM audit_log WHERE id = 3`, "Entry 3 of the audit log was deleted"},
		"deleted with link": {`DELETE FROM audit_log WHERE id = 3; DELETE FROM audit_chain
			WHERE sequence_no = 3`, "before entry 4 was deleted"},
		"first deleted": {`DELETE FROM audit_log WHERE id = 1; DELETE FROM audit_chain
			WHERE sequence_no = 1`, "before entry 2 was deleted"},
		"last deleted": {`DELETE FROM audit_log WHERE id = 6; DELETE FROM audit_chain
			WHERE sequence_no = 6`, "after entry 5, was deleted"},
		"end deleted": {`DELETE FROM audit_log WHERE id > 3; DELETE FROM audit_chain
			WHERE sequence_no > 3`, "after entry 3, was deleted"},
		"all deleted": {`DELETE FROM audit_log; DELETE
			FROM audit_chain`, "after entry 0, was deleted or replaced. The log had 6 entries"},
		"reordered": {`ALTER TABLE audit_log ALTER id DROP IDENTITY; UPDATE audit_log SET id = -1
			WHERE id = 3; UPDATE audit_log SET id = 3 WHERE id = 4; UPDATE audit_log SET id = 4 WHERE id = -1`,
			"Entry 3 of the audit log was changed"},
		"reordered links": {`UPDATE audit_chain SET entry_id = -1 WHERE entry_id = 4; UPDATE audit_chain
			SET entry_id = 4 WHERE entry_id = 3; UPDATE audit_chain SET entry_id = 3 WHERE entry_id = -1`,
			"Entry 4 of the audit log was changed"},
		"added": {`INSERT INTO audit_log (action) VALUES ('account.update')`, "was added without a link"},
		"end reset": {`UPDATE audit_chain_end SET sequence_no = 0,
			hash = ''`, "after entry 6, was deleted or replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			env := newTestEnv(t)
			env.requireRoles()
			env.tamper(`TRUNCATE audit_log, audit_chain RESTART IDENTITY; UPDATE audit_chain_end SET sequence_no = 0, hash = ''`)
			env.newAnnotators(6)
			if last := env.mustVerifyAuditLog(); last.SequenceNo != 6 || env.queryInt(`SELECT max(id)
				FROM audit_log`) != 6 {
				t.Fatalf("%d links, want 6", last.SequenceNo)
			}
			env.tamper(strings.Split(c.statements, ";")...)
			_, err := env.VerifyAuditLog(t.Context(), AuditLink{})
			if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A superuser can compute the whole chain again. Only a link that was kept elsewhere shows it.
func TestVerifyAuditLog_ChainComputedAgain_DiffersFromEarlierLink(t *testing.T) {
	env := newTestEnv(t)
	env.requireRoles()
	env.newAnnotators(3)
	earlier := env.mustVerifyAuditLog()
	if parsed, err := ParseAuditLink(earlier.String()); err != nil || parsed.String() != earlier.String() {
		t.Fatalf("%v is parsed as %v, %v", earlier, parsed, err)
	}
	env.newUser("later@example.org", account.Annotator)
	if _, err := env.VerifyAuditLog(t.Context(), earlier); err != nil {
		t.Fatal(err)
	}
	env.tamper(`UPDATE audit_log SET subject = 'other' WHERE id = (SELECT entry_id FROM audit_chain
		WHERE sequence_no = 2)`, `
		DO $$
		DECLARE
			k audit_chain;
			previous bytea := '';
		BEGIN
			FOR k IN SELECT * FROM audit_chain ORDER BY sequence_no LOOP
				previous := audit_hash(previous, k.sequence_no, l) FROM audit_log l WHERE l.id = k.entry_id;
				UPDATE audit_chain SET hash = previous WHERE sequence_no = k.sequence_no;
			END LOOP;
			UPDATE audit_chain_end SET hash = previous;
		END $$`)
	env.mustVerifyAuditLog()
	if _, err := env.VerifyAuditLog(t.Context(), earlier); fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %v, want a conflict", err)
	}
}

// Concurrent transactions form one chain. A transaction that has recorded an entry and is
// still open makes no other one wait.
func TestAuditChain_ConcurrentWriters_OneChain(t *testing.T) {
	env := newTestEnv(t)
	before := env.mustVerifyAuditLog().SequenceNo
	open, err := env.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := recordAudit(t.Context(), open, env.admin.ID, "account.update", "account 1", nil); err != nil {
		t.Fatal(err)
	}
	const writers, entries = 8, 25
	var wg sync.WaitGroup
	for writer := range writers {
		wg.Go(func() {
			for range entries {
				if err := recordAudit(t.Context(), env.pool, env.admin.ID, "account.update", fmt.Sprint("account ",
					writer), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := open.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if last := env.mustVerifyAuditLog(); last.SequenceNo != before+writers*entries+1 {
		t.Errorf("%d links", last.SequenceNo)
	}
}

// Labeling writes no audit entry. It continues while another transaction has locked the chain.
func TestLabeling_LockedAuditChain_DoesNotWait(t *testing.T) {
	env := newTestEnv(t)
	env.requireRoles()
	_, _, annotators := env.newBatchFor(2, 8, project.BatchSpec{BreakEvery: 3, BreakMinutes: 5})
	before := env.mustVerifyAuditLog()
	lock, err := env.connectAsLogin().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), `SELECT FROM audit_chain_end FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	token := env.openItem(annotators[0])
	env.mustSaveDraft(annotators[0], token, 1, helpfulSubmission)
	env.skipItem(annotators[0], token, labeling.Skip{Reason: labeling.Distressing})
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, env.mustVerifyAuditLog(), before)
}

// Each column of an entry is part of its hash. Generated ones follow from the others.
func TestAuditHash_CoversEveryColumn(t *testing.T) {
	env := newTestEnv(t)
	env.requireRoles()
	columns, err := collectColumn[string](env.pool.Query(t.Context(), `
		SELECT attname::text FROM pg_attribute WHERE attrelid = 'audit_log'::regclass AND attnum > 0
		AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`))
	if err != nil {
		t.Fatal(err)
	}
	other := map[string]string{
		"id": "99", "created_at": "now() + interval '1 microsecond'", "account_id": "coalesce(account_id, 0) + 1",
		"action": "action || 'x'", "subject": "subject || 'x'", "detail": `'{"x": 1}'`,
	}
	for _, column := range columns {
		isCovered := query[bool](env, fmt.Sprintf(`
			SELECT audit_hash('', 1, l) <> audit_hash('', 1, jsonb_populate_record(l, jsonb_build_object('%s', %s)))
			FROM audit_log l ORDER BY id LIMIT 1`, column, other[column]))
		if !isCovered {
			t.Errorf("a change of %s does not change the hash", column)
		}
	}
}
