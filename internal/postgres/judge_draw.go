package postgres

import (
	"context"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/judging"
)

// ProposeLabels draws items from those that a judge has answered, no annotator has labeled and no open batch has. The
// same draw gives the
// same items while the data do not change. Nothing is stored until a batch with the draw opens.
func (db *DB) ProposeLabels(ctx context.Context, actorID account.ID, p project.Project,
	d project.JudgeDraw) (judging.Proposal, error) {
	proposal, err := proposeLabels(ctx, db.pool, actorID, p, d)
	if err != nil {
		return proposal, err
	}
	return proposal, addTitles(ctx, db.pool, proposal.Items)
}

func proposeLabels(ctx context.Context, q querier, actorID account.ID, p project.Project,
	d project.JudgeDraw) (proposal judging.Proposal, err error) {
	if err := requireLead(ctx, q, actorID, p.ID); err != nil {
		return proposal, err
	}
	if err := d.Check(); err != nil {
		return proposal, err
	}
	judgeID, err := findJudge(ctx, q, p.ID, d.Judge, "")
	if err != nil {
		return proposal, err
	}
	if judgeID == 0 {
		return proposal, fault.NotFound.Errorf("This project has no judge “%s”.", d.Judge)
	}
	if d.Seed == 0 {
		d.Seed = rand.Int64N(1<<53-1) + 1 // exact in JSON
	}
	items, err := collectAll[struct {
		ItemID  project.ItemID
		Answers []map[string]int
	}](q.Query(ctx, `
		SELECT j.item_id, jsonb_build_array(j.answers) || coalesce((
		           SELECT jsonb_agg(o.answers ORDER BY o.account_id)
		           FROM judgments o
		           WHERE o.item_id = j.item_id AND o.account_id <> j.account_id AND o.protocol_version_id = $3),
		           '[]') AS answers
		FROM judgments j
		JOIN available_items a ON a.project_id = $2 AND a.item_id = j.item_id AND a.label_count = 0
		WHERE j.account_id = $1
		ORDER BY j.item_id`, judgeID, p.ID, p.ProtocolVersionID))
	if err != nil {
		return proposal, err
	}
	candidates := make([]judging.ProposedItem, len(items))
	for i, item := range items {
		candidates[i] = judging.ProposedItem{ItemID: item.ItemID, Answers: item.Answers}
	}
	return judging.Propose(p.Protocol, d, candidates)
}

// addTitles adds the items' own ids and first lines.
func addTitles(ctx context.Context, q querier, items []judging.ProposedItem) error {
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
	proposal, err := proposeLabels(ctx, q, actorID, p, *b.Draw)
	b.draw, b.Draw = &proposal, &proposal.JudgeDraw
	return err
}

// IsDrawnByDisagreement reports whether the items of a batch are those on which judges differed most.
func (db *DB) IsDrawnByDisagreement(ctx context.Context, batchID project.BatchID) (isDrawn bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT drawn_by_disagreement FROM batches WHERE id = $1`, batchID).Scan(&isDrawn)
	return isDrawn, err
}

// recordDraw records how the items of a batch were drawn.
func (w *rowWriter) recordDraw(ctx context.Context, actorID account.ID, p project.Project, plan batchPlan) error {
	d := plan.draw
	if d == nil {
		return nil
	}
	if len(plan.items.Items) != len(d.Items) {
		return project.ErrDrawChanged
	}
	return recordAudit(ctx, w.tx, actorID, "judge.draw", batchSubject(p.Key, plan.Name), map[string]any{
		"judge": d.Judge, "order": d.By, "items": len(d.Items), "candidates": d.Candidates, "seed": d.Seed})
}
