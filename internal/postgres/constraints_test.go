package postgres

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
)

func TestAnnotations_Change_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("kept", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	if _, err := env.Submit(t.Context(), accounts[0].ID, env.openItem(accounts[0]), helpfulSubmission); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE annotations SET note = 'other'`, `DELETE FROM annotations`,
		`UPDATE audit SET action = 'nothing'`, `DELETE FROM audit`, `TRUNCATE audit`,
		`UPDATE protocol_revisions SET definition = ''`,
	} {
		if _, err := env.pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s was let through", statement)
		}
	}
}

func TestInsert_Bad_NamesConstraint(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("psql", 1), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	env.openItem(accounts[0])
	insert := func(answers string) error {
		_, err := env.pool.Exec(t.Context(), `
			INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers)
			SELECT a.protocol_version_id, r.revision, a.id, a.batch_id, a.item_id, a.account_id, $1::jsonb
			FROM assignments a JOIN protocol_revisions r USING (protocol_version_id)`, answers)
		return err
	}
	format := `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": %s}`
	for value, constraint := range map[string]string{"2": "unsafe_content_scale", `"0"`: "unsafe_content_scale", `0, "mood": 1`: "known_answers"} {
		if err := insert(fmt.Sprintf(format, value)); !violates(err, constraint) {
			t.Errorf("%s: %v", value, err)
		}
	}
	if err := insert(fmt.Sprintf(format, "0")); err != nil {
		t.Error(err)
	}
}

func TestAdjudications_BadRow_Refused(t *testing.T) {
	env := newTestEnv(t)
	env.checkSameConstraints("as published")
	p, _ := env.newDisagreement("refused")
	for constraintName, answers := range map[string]string{
		"helpful_scale":                `{"proper_action": 1, "response_on_topic": 1, "helpful": 2, "incomplete": 0, "unsafe_content": 0}`,
		"helpful_given":                `{"proper_action": 1, "response_on_topic": 1, "incomplete": 0, "unsafe_content": 0}`,
		"known_answers":                `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0, "mood": 1}`,
		"over some annotations":        "",
		"anew with a reason":           "",
		"adjudications_item_id_facts_": "",
	} {
		decisionNo, annotationIDs, facts := 1, "{1}", `{}`
		switch constraintName {
		case "over some annotations":
			annotationIDs = "{}"
		case "anew with a reason":
			decisionNo = 2
		case "adjudications_item_id_facts_":
			facts = `{"other": true}`
		}
		if answers == "" {
			answers = `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}`
		}
		_, err := env.pool.Exec(t.Context(), `
			INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, n, answers, facts, settles)
			SELECT $1, $2, $3, min(id), $4, $5::jsonb, $6::jsonb, $7::bigint[] FROM items`,
			p.ProtocolVersionID, p.Protocol.Revision, p.ID, decisionNo, answers, facts, annotationIDs)
		pgErr, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || !(pgErr.ConstraintName == constraintName || constraintName == "adjudications_item_id_facts_" && pgErr.Code == "23503") {
			t.Errorf("%s: %v", constraintName, err)
		}
	}
}

// selectChecks are the CHECKs of a version's partition, without those that every
// partition of its table has.
const selectChecks = `
	SELECT coalesce(string_agg(conname || ' ' || pg_get_constraintdef(oid), chr(10) ORDER BY conname), 'none')
	FROM pg_constraint
	WHERE conrelid = ($1 || $2::text)::regclass AND contype = 'c' AND coninhcount = 0`

// checkSameConstraints requires every version's gold to be kept to what its annotations are.
func (env testEnv) checkSameConstraints(when string) {
	env.t.Helper()
	rows, err := collectAll[struct{ ID int }](env.pool.Query(env.t.Context(), `SELECT id FROM protocol_versions`))
	if err != nil || len(rows) < 5 {
		env.t.Fatalf("%d versions, %v", len(rows), err)
	}
	for _, v := range rows {
		var annotationChecks, adjudicationChecks string
		err := errors.Join(env.pool.QueryRow(env.t.Context(), selectChecks, "annotations_", fmt.Sprint(v.ID)).Scan(&annotationChecks),
			env.pool.QueryRow(env.t.Context(), selectChecks, "adjudications_", fmt.Sprint(v.ID)).Scan(&adjudicationChecks))
		if err != nil || annotationChecks != adjudicationChecks || len(annotationChecks) < 500 {
			env.t.Errorf("%s, version %d is kept to\n%s\nand its gold to\n%s\n%v", when, v.ID, annotationChecks, adjudicationChecks, err)
		}
	}
}

// A database of an earlier version has published protocols already.
func TestMigrateUp_AddsOldChecks(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	env := testEnv{t: t, DB: db}
	for env.queryInt(`SELECT count(*) FROM pg_class WHERE relname = 'adjudications'`) > 0 {
		if err := MigrateDown(url); err != nil {
			t.Fatal(err)
		}
	}
	if err := MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	env.checkSameConstraints("after an upgrade")
}
