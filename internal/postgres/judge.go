package postgres

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// ItemsBySourceID returns the items of a project.
func (db *DB) ItemsBySourceID(ctx context.Context, projectID project.ID) (map[string]importer.ItemRef, error) {
	type row struct {
		ID       project.ItemID
		SourceID string
		Facts    protocol.Facts

		IsCalibration bool
	}
	rows, err := collectAll[row](db.pool.Query(ctx, `SELECT id, source_id, facts, is_calibration FROM items
		WHERE project_id = $1`, projectID))
	items := make(map[string]importer.ItemRef, len(rows))
	for _, r := range rows {
		items[r.SourceID] = importer.ItemRef{ID: r.ID, Facts: r.Facts, IsCalibration: r.IsCalibration}
	}
	return items, err
}

// AddJudge adds a judge to a project and stores its judgments. The judge gets an account
// that cannot sign in, and its name as its pseudonym.
func (db *DB) AddJudge(ctx context.Context, actorID account.ID, p project.Project, name string,
	judgments []importer.ItemAnswers) error {
	if err := checkJudgeName(name); err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		id, err := insertJudge(ctx, tx, p, name)
		if err != nil {
			return err
		}
		if err := insertJudgments(ctx, tx, p, id, judgments); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "judge.add", projectSubject(p.Key), map[string]any{"judge": name,
			"items": len(judgments)})
	})
}

func checkJudgeName(name string) error {
	problem := fault.Invalid.Errorf("Enter a name of 1 to 100 characters for the judge, such as “judge-4 prompt 2”.")
	text, err := plaintext.ReadLine(name, 1, 100, problem)
	if text != name {
		return problem
	}
	return err
}

var errJudgeExists = errors.New("the judge exists")

func insertJudge(ctx context.Context, tx pgx.Tx, p project.Project, name string) (id account.ID, err error) {
	if err := tx.QueryRow(ctx, `INSERT INTO accounts (role, kind) VALUES ('annotator', 'model')
		RETURNING id`).Scan(&id); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO members (project_id, account_id, role, pseudonym)
		VALUES ($1, $2, 'annotator', $3)`, p.ID, id, name)
	if violates(err, "members_pseudonym_unique") {
		return 0, errors.Join(errJudgeExists, fault.Conflict.Errorf(
			"This project already has judgments by “%s”, and they cannot change. Choose another name.", name))
	}
	return id, err
}

func insertJudgments(ctx context.Context, tx pgx.Tx, p project.Project, accountID account.ID,
	judgments []importer.ItemAnswers) error {
	ids, answers, rationales := make([]project.ItemID, len(judgments)), make([]string, len(judgments)),
		make([]string, len(judgments))
	for i, j := range judgments {
		text, err := json.Marshal(j.Values)
		if err != nil {
			return err
		}
		ids[i], answers[i], rationales[i] = j.ItemID, string(text), j.Rationale
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO judgments (project_id, account_id, protocol_version_id, item_id, answers, rationale)
		SELECT $1, $2, $3, t.item_id, t.answers::jsonb, t.rationale
		FROM unnest($4::bigint[], $5::text[], $6::text[]) t (item_id, answers,
		rationale)`, p.ID, accountID, p.ProtocolVersionID, ids, answers, rationales)
	return err
}
