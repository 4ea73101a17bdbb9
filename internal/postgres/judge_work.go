package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Judge is a model whose judgments a project has.
type Judge struct {
	Name      string
	CreatedAt time.Time
}

// Judges returns the judges of a project, by name.
func (db *DB) Judges(ctx context.Context, actorID account.ID, p project.Project) ([]Judge, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	return collectAll[Judge](db.pool.Query(ctx, `
		SELECT m.pseudonym AS name, m.joined_at AS created_at
		FROM members m
		JOIN accounts a ON a.id = m.account_id
		WHERE m.project_id = $1 AND a.kind = 'model'
		ORDER BY m.pseudonym COLLATE "C"`, p.ID))
}

// findJudge returns the account of a judge, or 0.
func findJudge(ctx context.Context, q querier, projectID project.ID, name, lock string) (id account.ID, err error) {
	var kind string
	err = q.QueryRow(ctx, `
		SELECT m.account_id, a.kind FROM members m JOIN accounts a ON a.id = m.account_id
		WHERE m.project_id = $1 AND m.pseudonym = $2 `+lock, projectID, name).Scan(&id, &kind)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, nil
	case err == nil && kind != "model":
		return 0, fault.Conflict.Errorf("“%s” is the pseudonym of an annotator. Choose another name for the judge.",
			name)
	}
	return id, err
}

// ItemsToJudge returns up to limit items after an id that a judge has not judged, in the order
// of import: of one batch, or of the whole project without calibration items and archived ones.
// Like annotators, a judge gets no metadata.
func (db *DB) ItemsToJudge(ctx context.Context, actorID account.ID, p project.Project, judge, batch string,
	after project.ItemID, limit int) (items []project.Item, err error) {
	if err := checkJudgeName(judge); err != nil {
		return nil, err
	}
	err = db.inListTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		judgeID, err := findJudge(ctx, tx, p.ID, judge, "")
		if err != nil {
			return err
		}
		source, args := `item_states s WHERE s.project_id = $1`, []any{p.ID, after, judgeID, limit, p.ProtocolVersionID}
		if batch != "" {
			b, err := collectOne[project.Batch](tx.Query(ctx, selectBatch+`WHERE b.project_id = $1 AND b.name = $2`,
				p.ID, batch))
			if errors.Is(err, fault.NotFound) {
				return fault.NotFound.Errorf("This project has no batch “%s”.", batch)
			}
			if err != nil {
				return err
			}
			source = `batch_items bi JOIN item_states s ON s.item_id = bi.item_id WHERE s.project_id = $1 AND bi.batch_id = $6 AND NOT bi.is_calibration`
			args = append(args, b.ID)
		}
		rows, err := collectAll[itemRow](tx.Query(ctx, `
			WITH page AS MATERIALIZED (
				SELECT s.item_id AS page_item_id
				FROM `+source+` AND s.item_id > $2 AND s.state NOT IN ('calibration', 'archived')
				  AND NOT EXISTS (SELECT FROM judgments j WHERE j.account_id = $3 AND j.item_id = s.item_id
				                  AND j.protocol_version_id = $5)
				ORDER BY s.item_id
				LIMIT $4)
			SELECT i.id, i.source_id, i.record_id, i.content, i.facts, NULL AS meta
			FROM page
			JOIN items i ON i.id = page.page_item_id
			ORDER BY i.id`, args...))
		for _, row := range rows {
			items = append(items, row.toItem())
		}
		return err
	})
	return items, err
}

// JudgedItems returns the items with these ids of their own; nil: all items of the project.
func (db *DB) JudgedItems(ctx context.Context, actorID account.ID, p project.Project,
	sourceIDs []string) (map[string]importer.ItemRef, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	if sourceIDs == nil {
		return db.ItemsBySourceID(ctx, p.ID)
	}
	rows, err := collectAll[struct {
		ID       project.ItemID
		SourceID string
		Facts    protocol.Facts

		IsCalibration bool
	}](db.pool.Query(ctx, `SELECT id, source_id, facts, is_calibration FROM items WHERE project_id = $1
		AND source_id = ANY ($2)`, p.ID, sourceIDs))
	items := make(map[string]importer.ItemRef, len(rows))
	for _, r := range rows {
		items[r.SourceID] = importer.ItemRef{ID: r.ID, Facts: r.Facts, IsCalibration: r.IsCalibration}
	}
	return items, err
}

// A JudgmentCount is what SubmitJudgments stored.
type JudgmentCount struct{ Added, Unchanged int }

// SubmitJudgments adds the judgments of a judge, all of them or none. The first ones add the
// judge to the project. A judgment that is stored already is left as it is; a different one
// for the same item is fault.Conflict, because judgments never change.
func (db *DB) SubmitJudgments(ctx context.Context, actorID account.ID, p project.Project, judge string,
	judgments []importer.ItemAnswers) (count JudgmentCount, err error) {
	if err := checkJudgeName(judge); err != nil {
		return count, err
	}
	submit := func(tx pgx.Tx) error {
		count, err = submitJudgments(ctx, tx, actorID, p, judge, judgments)
		return err
	}
	if err = db.inTx(ctx, submit); errors.Is(err, errJudgeExists) { // it was added at the same time
		err = db.inTx(ctx, submit)
	}
	return count, err
}

func submitJudgments(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, judge string,
	judgments []importer.ItemAnswers) (count JudgmentCount, err error) {
	if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
		return count, err
	}
	id, err := findJudge(ctx, tx, p.ID, judge, "FOR UPDATE OF m")
	if err != nil {
		return count, err
	}
	if id == 0 {
		if id, err = insertJudge(ctx, tx, p, judge); err != nil {
			return count, err
		}
	}
	added, err := withoutStored(ctx, tx, p, id, judgments)
	if err != nil || len(added) == 0 {
		return JudgmentCount{Unchanged: len(judgments)}, err
	}
	if err := insertJudgments(ctx, tx, p, id, added); err != nil {
		return count, err
	}
	return JudgmentCount{len(added), len(judgments) - len(added)},
		recordAudit(ctx, tx, actorID, "judge.add", projectSubject(p.Key), map[string]any{"judge": judge,
			"items": len(added)})
}

// maxListedConflicts is the number of items that an error names.
const maxListedConflicts = 20

// withoutStored returns the judgments that are not stored yet, or the items with another one.
func withoutStored(ctx context.Context, tx pgx.Tx, p project.Project, judgeID account.ID,
	judgments []importer.ItemAnswers) (added []importer.ItemAnswers, err error) {
	ids := make([]project.ItemID, len(judgments))
	for i, j := range judgments {
		ids[i] = j.ItemID
	}
	rows, err := collectAll[struct {
		ItemID   project.ItemID
		SourceID string
		Answers  map[string]int

		Rationale string
	}](tx.Query(ctx, `
		SELECT j.item_id, i.source_id, j.answers, j.rationale
		FROM judgments j
		JOIN items i ON i.id = j.item_id
		WHERE j.account_id = $1 AND j.item_id = ANY ($2) AND j.protocol_version_id = $3
		ORDER BY j.item_id`, judgeID, ids, p.ProtocolVersionID))
	if err != nil {
		return nil, err
	}
	stored := map[project.ItemID]int{}
	for i, row := range rows {
		stored[row.ItemID] = i
	}
	var conflicts []string
	for _, j := range judgments {
		if i, ok := stored[j.ItemID]; !ok {
			added = append(added, j)
		} else if !maps.Equal(rows[i].Answers, j.Values) || rows[i].Rationale != j.Rationale {
			conflicts = append(conflicts, rows[i].SourceID)
		}
	}
	if len(conflicts) > 0 {
		slices.Sort(conflicts)
		return nil, fault.Conflict.Errorf(
			"This judge has other answers to these items, and judgments never change: %s. Nothing was stored. Use another name for another version of the judge.",
			strings.Join(conflicts[:min(len(conflicts), maxListedConflicts)], ", "))
	}
	return added, nil
}

// A Judgment is the answers of a judge to an item.
type Judgment struct {
	ItemID    project.ItemID
	SourceID  string
	Answers   map[string]int
	Rationale string
	CreatedAt time.Time
}

// Judgments returns up to limit judgments of a judge after an item, without those on items
// whose answers the account must not see yet.
func (db *DB) Judgments(ctx context.Context, actorID account.ID, p project.Project, judge string, after project.ItemID,
	limit int) ([]Judgment, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	judgeID, err := findJudge(ctx, db.pool, p.ID, judge, "")
	if err == nil && judgeID == 0 {
		err = fault.NotFound.Errorf("This project has no judge “%s”.", judge)
	}
	if err != nil {
		return nil, err
	}
	judgments, err := collectAll[Judgment](db.pool.Query(ctx, `
		SELECT j.item_id, i.source_id, j.answers, j.rationale, j.created_at
		FROM judgments j
		JOIN items i ON i.id = j.item_id
		WHERE j.account_id = $1 AND j.item_id > $2 AND j.protocol_version_id = $6
		  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $4 AND v.project_id = $5
		  AND v.item_id = j.item_id)
		ORDER BY j.item_id
		LIMIT $3`, judgeID, after, limit, actorID, p.ID, p.ProtocolVersionID))
	return revealRows(ctx, db, actorID, judgments, func(j Judgment) project.ItemID { return j.ItemID }, err)
}
