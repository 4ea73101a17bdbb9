package postgres

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// ProposeLabels draws the items of a project whose labels are expected to add most to what is known
// about a judge, from those that it has answered, no annotator has labeled and no open batch
// has. The same draw gives the same items while the data do not change. Labels of items whose answers
// the account must not see yet do not count. Nothing is stored until a batch with the draw opens.
func (db *DB) ProposeLabels(ctx context.Context, actorID account.ID, p project.Project, d project.JudgeDraw) (report.LabelProposal, error) {
	draw, err := proposeLabels(ctx, db.pool, actorID, p, d)
	if err != nil {
		return report.LabelProposal{}, err
	}
	return draw.LabelProposal, addTitles(ctx, db.pool, draw.Items)
}

// A judgeDraw is a draw of a known judge.
type judgeDraw struct {
	report.LabelProposal
	judgeID account.ID
}

func proposeLabels(ctx context.Context, q querier, actorID account.ID, p project.Project, d project.JudgeDraw) (draw judgeDraw, err error) {
	if err := requireLead(ctx, q, actorID, p.ID); err != nil {
		return draw, err
	}
	if err := d.Check(); err != nil {
		return draw, err
	}
	if draw.judgeID, err = findJudge(ctx, q, p.ID, d.Judge, ""); err != nil {
		return draw, err
	}
	if draw.judgeID == 0 {
		return draw, fault.NotFound.Errorf("This project has no judge “%s”.", d.Judge)
	}
	if d.LastLabelID == 0 {
		if d.LastLabelID, err = lastLabelID(ctx, q, p); err != nil {
			return draw, err
		}
	}
	if d.Seed == 0 {
		d.Seed = rand.Int64N(1<<53-1) + 1 // exact in JSON
	}
	items, err := readJudgedItems(ctx, q, actorID, p, draw.judgeID, d.LastLabelID)
	if err != nil {
		return draw, err
	}
	draw.LabelProposal, err = report.ProposeLabels(p.Protocol, d, items)
	return draw, err
}

func lastLabelID(ctx context.Context, q querier, p project.Project) (id int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT coalesce(max(n.id), 0)
		FROM annotations n
		JOIN batches b ON b.id = n.batch_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2`, p.ProtocolVersionID, p.ID).Scan(&id)
	return id, err
}

// readJudgedItems returns the items that the judge has answered, by id. Those in an open batch or
// with labels are no candidates.
func readJudgedItems(ctx context.Context, q querier, actorID account.ID, p project.Project, judgeID account.ID, lastLabelID int64) ([]report.JudgedItem, error) {
	return collectAll[report.JudgedItem](q.Query(ctx, `
		WITH labels AS (
			SELECT n.item_id, jsonb_agg(n.answers ORDER BY n.id) AS answers
			FROM current_annotations n
			JOIN batches b ON b.id = n.batch_id
			WHERE n.protocol_version_id = $3 AND b.project_id = $2 AND n.kind = 'work' AND n.id <= $4
			  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $5 AND v.project_id = $2 AND v.item_id = n.item_id)
			GROUP BY n.item_id),
		others AS (
			SELECT j.item_id, jsonb_agg(j.answers ORDER BY j.account_id) AS answers
			FROM judgments j
			WHERE j.project_id = $2 AND j.protocol_version_id = $3 AND j.account_id <> $1
			GROUP BY j.item_id)
		SELECT j.item_id, j.answers, coalesce(o.answers, '[]') AS others, coalesce(l.answers, '[]') AS labels,
		       a.item_id IS NOT NULL AND l.item_id IS NULL AS is_candidate
		FROM judgments j
		LEFT JOIN labels l ON l.item_id = j.item_id
		LEFT JOIN others o ON o.item_id = j.item_id
		LEFT JOIN available_items a ON a.project_id = $2 AND a.item_id = j.item_id AND a.label_count = 0
		WHERE j.account_id = $1
		ORDER BY j.item_id`, judgeID, p.ID, p.ProtocolVersionID, lastLabelID, actorID))
}

// addTitles adds the items' own ids and first lines.
func addTitles(ctx context.Context, q querier, items []report.ProposedItem) error {
	places, ids := map[project.ItemID]int{}, make([]project.ItemID, len(items))
	for i, item := range items {
		places[item.ItemID], ids[i] = i, item.ItemID
	}
	rows, err := collectAll[struct {
		ID       project.ItemID
		SourceID string
		Title    string
	}](q.Query(ctx, `SELECT id, source_id, title FROM items WHERE id = ANY ($1) ORDER BY id`, ids))
	for _, row := range rows {
		item := &items[places[row.ID]]
		item.SourceID, item.Title = row.SourceID, row.Title
	}
	return err
}

// drawItems draws the items of a batch. It returns project.ErrDrawChanged if they are not those
// that were shown.
func (b *batchPlan) drawItems(ctx context.Context, q querier, actorID account.ID, p project.Project) error {
	draw, err := proposeLabels(ctx, q, actorID, p, *b.Draw)
	if err != nil {
		b.draw = &judgeDraw{} // without items
		return err
	}
	b.draw, b.Draw = &draw, &draw.JudgeDraw
	return nil
}

// BatchDraw returns how the items of a batch were drawn for a judge; nil if they were not.
func (db *DB) BatchDraw(ctx context.Context, batchID project.BatchID) (*project.BatchDraw, error) {
	d, err := collectOne[project.BatchDraw](db.pool.Query(ctx, `
		SELECT m.pseudonym AS judge, coalesce(d.field, '') AS field, d.item_count AS items, d.candidate_count AS candidates, d.seed
		FROM judge_draws d
		JOIN members m ON m.project_id = d.project_id AND m.account_id = d.judge_id
		WHERE d.batch_id = $1`, batchID))
	if errors.Is(err, fault.NotFound) {
		return nil, nil
	}
	return &d, err
}

// insertDraw stores the draw of a batch with all its candidates.
func (w *rowWriter) insertDraw(ctx context.Context, actorID account.ID, p project.Project, batchID project.BatchID, plan batchPlan) error {
	d := plan.draw
	if d == nil {
		return nil
	}
	if len(plan.items.Items) != len(d.Items) {
		return project.ErrDrawChanged
	}
	var id int64
	err := w.tx.QueryRow(ctx, `
		INSERT INTO judge_draws (project_id, batch_id, judge_id, field, seed, item_count, candidate_count, last_label_id, created_by)
		VALUES ($1, $2, $3, nullif($4, ''), $5, $6, $7, $8, nullif($9, 0))
		RETURNING id`, p.ID, batchID, d.judgeID, d.Field, d.Seed, len(d.Items), len(d.Candidates), d.LastLabelID, actorID).Scan(&id)
	if err != nil {
		return err
	}
	err = w.copyRows(ctx, "judge_draw_items", []string{"draw_id", "item_id", "probability", "is_drawn"}, len(d.Candidates), func(i int, row []any) {
		c := d.Candidates[i]
		row[0], row[1], row[2], row[3] = id, int64(c.ItemID), c.Probability, c.IsDrawn
	})
	if err != nil {
		return err
	}
	return recordAudit(ctx, w.tx, actorID, "judge.draw", batchSubject(p.Key, plan.Name), map[string]any{
		"judge": d.Judge, "field": d.Field, "items": len(d.Items), "candidates": len(d.Candidates), "seed": d.Seed})
}
