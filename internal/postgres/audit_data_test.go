package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// newLabeledBatches creates a closed batch with labels, a correction and a skipped item, and an
// open one with calibration items.
func (env testEnv) newLabeledBatches() {
	env.t.Helper()
	p, b, annotators := env.newBatchFor(2, 4, project.BatchSpec{})
	skip := labeling.Skip{Reason: labeling.Unclear, Comment: "Unclear."}
	env.skipItem(annotators[0], env.openItem(annotators[0]), skip)
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	closing := project.BatchClosing{Reason: "Done."}
	if err := env.CloseBatch(env.t.Context(), env.admin.ID, p, b.Name, closing); err != nil {
		env.t.Fatal(err)
	}
	env.addItems(p, 10, 4)
	env.addReferences(p, 4)
	emails := []string{annotators[0].Email, annotators[1].Email}
	env.newBatch(p, project.BatchSpec{Name: "two", Annotators: emails, Overlap: 2, CalibrationCount: 4})
	env.submitAll(annotators[0], helpfulSubmission)
}

// What a person with all rights changes by hand, with triggers and foreign keys off, is named.
func TestVerifyAuditLog_ChangedData_IsNamed(t *testing.T) {
	for name, c := range map[string]struct{ statements, want string }{
		"all labels":      {`TRUNCATE annotations`, "A label was deleted"},
		"labels by owner": {`DELETE FROM annotations WHERE id = (SELECT max(id) FROM annotations)`, "“two” in the project test"},
		"answers":         {`UPDATE annotations SET note = 'x' WHERE id = (SELECT min(id) FROM annotations)`, "batch “one” of the project test were changed"},
		"label of a closed batch": {`DELETE FROM annotations WHERE id = (SELECT min(id) FROM annotations);
			DELETE FROM assignments a WHERE state = 'submitted' AND NOT EXISTS (SELECT FROM annotations n WHERE n.assignment_id = a.id)`,
			"got were deleted from the batch “one”"},
		"item text": {`UPDATE items SET content = '{"query": {"text": "Other?"}, "answer": {"text": "Yes."}}'
			WHERE source_id = 'item-2'`, "The item “item-2” of the project test was changed"},
		"item metadata": {`UPDATE items SET meta = '{"a": 1}' WHERE source_id = 'item-14'`, "The item “item-14”"},
		"item":          {`DELETE FROM items WHERE source_id = 'item-3'`, "of the project test was changed or deleted"},
		"item and its seal": {`UPDATE items SET record_id = 'x' WHERE source_id = 'item-1';
			UPDATE seals s SET fingerprint = (SELECT string_agg(item_fingerprint(i), '' ORDER BY i.id) FROM items i
			WHERE i.import_id = s.owner_id AND i.id BETWEEN s.first_id AND s.last_id) WHERE kind = 'items'`, "Seal "},
		"added item": {`INSERT INTO items (project_id, import_id, source_id, content, facts, word_count)
			SELECT project_id, import_id, 'other', content, facts, word_count FROM items WHERE source_id = 'item-1'`,
			"Items were added to the project test"},
		"pseudonym": {`UPDATE members SET pseudonym = 'z-other' WHERE account_id = (SELECT max(account_id) FROM members)`, "it is now “z-other”"},
		"member":    {`DELETE FROM members WHERE account_id = (SELECT max(account_id) FROM members)`, "A pseudonym of the project test was changed or deleted"},
		"reference": {`UPDATE reference_answers SET reasons = '{}' WHERE item_id = (SELECT id FROM items
			WHERE source_id = 'c2')`, "The reference answers of the item “c2” of the project test were changed"},
		"removed reference": {`DELETE FROM reference_answers WHERE item_id = (SELECT id FROM items
			WHERE source_id = 'c3')`, "The reference answers of the item “c3”"},
		"seals": {`TRUNCATE seals CASCADE`, "of the audit log"},
		"seal":  {`DELETE FROM seals WHERE kind = 'labels'`, "Seal "},
	} {
		t.Run(name, func(t *testing.T) {
			env := newTestEnv(t)
			env.requireRoles()
			env.newLabeledBatches()
			env.mustVerifyAuditLog()
			env.tamper(strings.Split(c.statements, ";")...)
			_, err := env.VerifyAuditLog(t.Context(), AuditLink{})
			if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A reference answer that is changed by hand with all triggers on is sealed, but no action made it.
func TestVerifyAuditLog_ReferenceChangedBySQL_IsNamed(t *testing.T) {
	env := newTestEnv(t)
	env.newLabeledBatches()
	env.execSQL(`UPDATE reference_answers SET reasons = '{}' WHERE item_id = (SELECT id FROM items WHERE source_id = 'c2')`)
	_, err := env.VerifyAuditLog(t.Context(), AuditLink{})
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "reference answers of the item “c2”") {
		t.Errorf("got %v", err)
	}
}

// A change that the product makes is no problem: it is sealed.
func TestVerifyAuditLog_OrdinaryChanges_AreIntact(t *testing.T) {
	env := newTestEnv(t)
	env.newLabeledBatches()
	p, err := env.Project(t.Context(), env.admin, "test")
	if err != nil {
		t.Fatal(err)
	}
	item := query[project.ItemID](env, `SELECT id FROM items WHERE source_id = 'item-12'`)
	r := labeling.Reference{Answers: helpfulSubmission.Answers,
		Reasons: map[string]string{protocol.NoteKey: "It fits."}}
	if err := env.SetReference(t.Context(), env.admin.ID, p, item, r); err == nil {
		t.Fatal("an item of a batch became a calibration item")
	}
	env.addItems(p, 40, 2)
	item = query[project.ItemID](env, `SELECT id FROM items WHERE source_id = 'item-41'`)
	other := r
	other.Reasons = map[string]string{protocol.NoteKey: "It fits well."}
	err = errors.Join(env.SetReference(t.Context(), env.admin.ID, p, item, r),
		env.SetReference(t.Context(), env.admin.ID, p, item, other),
		env.RemoveReference(t.Context(), env.admin.ID, p, item),
		env.ReopenBatch(t.Context(), env.admin.ID, p, "one", "More."),
		env.CloseBatch(t.Context(), env.admin.ID, p, "one", project.BatchClosing{Reason: "Done."}))
	if err != nil {
		t.Fatal(err)
	}
	env.mustVerifyAuditLog()
}

// No table whose rows must stay can be emptied by its owner, nor any partition of it, also those
// of a version that is published later.
func TestTruncate_KeptTables_Refused(t *testing.T) {
	env := newTestEnv(t)
	env.requireRoles()
	if err := env.Publish(t.Context(), 0, readCopy(t, "0")); err != nil {
		t.Fatal(err)
	}
	conn := env.connectAsLogin()
	tables, err := collectColumn[string](conn.Query(t.Context(), `
		SELECT DISTINCT g.tgrelid::regclass::text FROM pg_trigger g WHERE g.tgname IN ('append_only', 'keep_rows')`))
	if err != nil || len(tables) < 25 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		_, err := conn.Exec(t.Context(), `TRUNCATE `+table+` CASCADE`)
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "23000" {
			t.Errorf("TRUNCATE %s: %v", table, err)
		}
	}
}

// What never changes does not change with all triggers on either, whoever tries.
func TestKeptColumns_OrdinaryUpdate_Refused(t *testing.T) {
	env := newTestEnv(t)
	env.requireRoles()
	env.newLabeledBatches()
	login := env.connectAsLogin()
	for _, statement := range []string{
		`UPDATE items SET content = '{}'`, `UPDATE items SET source_id = 'x' WHERE source_id = 'item-1'`, `UPDATE items SET meta = '{"a": 1}'`,
		`UPDATE members SET pseudonym = 'x' WHERE account_id = (SELECT max(account_id) FROM members)`,
		`UPDATE assignments SET account_id = account_id + 1`, `UPDATE assignments SET item_id = item_id + 1`,
		`DELETE FROM assignments`, `DELETE FROM members`, `DELETE FROM items`, `DELETE FROM imports`,
	} {
		env.checkRejected(statement)
		if _, err := login.Exec(t.Context(), statement); err == nil {
			t.Errorf("accepted from the owner: %s", statement)
		}
	}
}

// The application's role adds to the tables that keep everything, under the time of the database.
func TestAppRole_TimesOfEntries_AreThoseOfTheDatabase(t *testing.T) {
	conn := newDatabaseAs(t, AppRole)
	mustExec(t, conn, `INSERT INTO audit_log (action) VALUES ('account.update')`)
	for _, statement := range []string{
		`INSERT INTO audit_log (action, created_at) VALUES ('account.update', '2020-01-01')`,
		`INSERT INTO audit_log (id, action) OVERRIDING SYSTEM VALUE VALUES (1, 'account.update')`,
		`INSERT INTO annotations (submitted_at) VALUES ('2020-01-01')`, `INSERT INTO annotations (id) VALUES (1)`,
		`INSERT INTO adjudications (created_at) VALUES ('2020-01-01')`, `INSERT INTO judgments (created_at) VALUES ('2020-01-01')`,
		`INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint) VALUES ('items', 1, 1, 1, 1, '')`,
		`SELECT seal_labels(1)`, `UPDATE seals SET fingerprint = ''`, `DELETE FROM audit_chain`,
	} {
		checkDenied(t, conn, statement)
	}
}
