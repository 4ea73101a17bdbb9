package postgres

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
)

func TestAnnotations_BadRow_NamesConstraint(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 1, project.BatchSpec{})
	env.openItem(annotators[0])
	insert := func(unsafeContent string) error {
		_, err := env.pool.Exec(t.Context(), `
			INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id,
			answers)
			SELECT a.protocol_version_id, r.revision, a.id, a.batch_id, a.item_id, a.account_id, $1::jsonb
			FROM assignments a JOIN protocol_revisions r USING (protocol_version_id)`,
			fmt.Sprintf(`{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": %s}`, unsafeContent))
		return err
	}
	for value, constraint := range map[string]string{"2": "unsafe_content_scale", `"0"`: "unsafe_content_scale",
		`0, "mood": 1`: "known_answers"} {
		if err := insert(value); !violates(err, constraint) {
			t.Errorf("%s: got %v, want a violation of %s", value, err, constraint)
		}
	}
	if err := insert("0"); err != nil {
		t.Error(err)
	}
}

// No statement gives an annotator two open items in a batch.
func TestAssignments_SecondOpen_Refused(t *testing.T) {
	env := newTestEnv(t)
	_, _, _, submitted, open := env.newStartedBatch()
	for _, statement := range []string{
		`UPDATE assignments SET state = 'open' WHERE token = $1 AND token <> $2`,
		`UPDATE batch_annotators SET open_assignment_id = (SELECT a.id FROM assignments a WHERE a.token = $1)
		 WHERE open_assignment_id = (SELECT a.id FROM assignments a WHERE a.token = $2)`,
		`UPDATE batch_annotators SET open_assignment_id = NULL
		 WHERE $1 <> '' AND open_assignment_id = (SELECT a.id FROM assignments a WHERE a.token = $2)`,
		`WITH opened AS (UPDATE assignments SET state = 'open' WHERE token = $1 RETURNING id)
		 UPDATE batch_annotators SET open_assignment_id = opened.id
		 FROM opened WHERE open_assignment_id = (SELECT a.id FROM assignments a WHERE a.token = $2)`,
	} {
		if _, err := env.pool.Exec(t.Context(), statement, submitted, open); !violates(err, "assignments_one_open") {
			t.Errorf("%s: got %v", statement, err)
		}
	}
	env.execSQL(`
		WITH closed AS (UPDATE assignments SET state = 'submitted' WHERE token = $2 RETURNING id),
		     opened AS (UPDATE assignments SET state = 'open' WHERE token = $1 RETURNING id)
		UPDATE batch_annotators ba SET open_assignment_id = opened.id FROM closed, opened
		WHERE ba.open_assignment_id = closed.id`, submitted, open)
}

func TestAdjudications_BadRow_NamesConstraint(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	type row struct {
		decisionNo                    int
		answers, facts, annotationIDs string
	}
	insert := func(r row) error {
		_, err := env.pool.Exec(t.Context(), `
			INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, decision_no, answers, facts,
			annotation_ids)
			SELECT $1, $2, $3, min(id), $4, $5::jsonb, $6::jsonb, $7::bigint[] FROM items`,
			p.ProtocolVersionID, p.Protocol.Revision, p.ID, r.decisionNo, r.answers, r.facts, r.annotationIDs)
		return err
	}
	const valid = `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}`
	for constraint, r := range map[string]row{
		"helpful_scale": {1,
			`{"proper_action": 1, "response_on_topic": 1, "helpful": 2, "incomplete": 0, "unsafe_content": 0}`,
			`{}`, `{1}`},
		"helpful_given": {1,
			`{"proper_action": 1, "response_on_topic": 1, "incomplete": 0, "unsafe_content": 0}`, `{}`, `{1}`},
		"known_answers": {1,
			`{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0, "mood": 1}`, `{}`, `{1}`},
		"adjudications_annotations_not_empty": {1, valid, `{}`, `{}`},
		"adjudications_revision_has_reason":   {2, valid, `{}`, `{1}`},
		"adjudications_facts_of_item":         {1, valid, `{"other": true}`, `{1}`},
	} {
		err := insert(r)
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.ConstraintName != constraint {
			t.Errorf("got %v, want a violation of %s", err, constraint)
		}
	}
	if err := insert(row{1, valid, `{}`, `{1}`}); err != nil {
		t.Error(err)
	}
}

// Every name that a page or a command prints on one line is one line.
func TestNames_Control_NamesConstraint(t *testing.T) {
	env := newTestEnv(t)
	env.newBatchFor(1, 1, project.BatchSpec{})
	for _, c := range []struct{ table, column, constraint string }{
		{"projects", "title", "projects_title_one_line"}, {"batches", "name", "batches_name_one_line"},
		{"identity.users", "name", "users_name_one_line"}, {"members", "pseudonym", "members_pseudonym_one_line"},
	} {
		for _, r := range "\x01\t\n\r\x1b\x1f\x7f\u0080\u009f\u2028\u2029\u202a\u202e\u2066\u2069" {
			_, err := env.pool.Exec(t.Context(), `UPDATE `+c.table+` SET `+c.column+` = $1`, "a"+string(r)+"b")
			if !violates(err, c.constraint) || !plaintext.IsControl(r) {
				t.Errorf("%s with %U: got %v, want a violation of %s", c.table, r, err, c.constraint)
			}
		}
	}
	for _, r := range " \u00a0ü\u200d\u200e\u2027\u202f\u2065\u206a😀" {
		if n := env.queryInt(`SELECT is_one_line($1)::int`, "a"+string(r)+"b"); n != 1 || plaintext.IsControl(r) {
			t.Errorf("%U is refused", r)
		}
	}
}

func TestAppendOnly_Change_Refused(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	if err := env.adjudicate(env.admin, p, env.firstItem(p), helpfulDecision); err != nil {
		t.Fatal(err)
	}
	env.execSQL(`
		INSERT INTO judgments (project_id, account_id, item_id, protocol_version_id, answers)
		SELECT p.id, m.account_id, i.id, p.protocol_version_id, '{}'
		FROM projects p JOIN members m ON m.project_id = p.id JOIN items i ON i.project_id = p.id LIMIT 1`)
	for table, assignment := range map[string]string{
		"annotations":        `note = 'other'`,
		"adjudications":      `reason = 'other'`,
		"judgments":          `answers = '{"helpful": 1}'`,
		"audit_log":          `action = 'other'`,
		"protocol_revisions": `definition = ''`,
	} {
		if n := env.queryInt(`SELECT count(*) FROM ` + table); n == 0 {
			t.Errorf("%s is empty", table)
		}
		env.checkRejected(`UPDATE ` + table + ` SET ` + assignment)
		env.checkRejected(`DELETE FROM ` + table)
	}
	env.checkRejected(`TRUNCATE audit_log`)
}
