package postgres

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// DrawSpotChecks draws up to count items whose labels are complete, at least two, and agree, at random, and returns how
// many. It leaves out items drawn before, and those that the actor labels in an open batch.
func (db *DB) DrawSpotChecks(ctx context.Context, actorID account.ID, p project.Project, count int) (drawn int,
	err error) {
	if count < 1 || count > labeling.MaxSpotChecks {
		return 0, fault.Invalid.Errorf("Enter 1 to 1,000 items.")
	}
	if err := db.measureLabeled(ctx); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if err := lockProject(ctx, tx, p.ID); err != nil {
			return err
		}
		seed := rand.Int64N(1<<53-1) + 1 // exact in JSON
		tag, err := tx.Exec(ctx, `
			INSERT INTO spot_checks (item_id, project_id, drawn_by)
			SELECT s.item_id, s.project_id, nullif($2, 0)
			FROM item_states s
			WHERE s.project_id = $1 AND s.state = 'complete' AND s.label_count > 1
			  AND NOT EXISTS (SELECT FROM spot_checks c WHERE c.item_id = s.item_id)
			  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $2 AND v.project_id = $1
			      AND v.item_id = s.item_id)
			ORDER BY md5(format('%s %s', $4::bigint, s.item_id))
			LIMIT $3`, p.ID, actorID, count, seed)
		if err != nil {
			return err
		}
		if drawn = int(tag.RowsAffected()); drawn == 0 {
			return fault.Conflict.Errorf("No other item has all its labels, at least two, and no disagreement. Nothing was drawn.")
		}
		return recordAudit(ctx, tx, actorID, "project.draw_spot_checks", projectSubject(p.Key),
			map[string]any{"items": drawn, "seed": seed})
	})
	return drawn, err
}

// SpotChecks returns the results of the spot checks of items that the account may see. A check compares the labels that
// the item had with the decision.
func (db *DB) SpotChecks(ctx context.Context, actorID account.ID, p project.Project) (r labeling.SpotChecks,
	err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM spot_checks WHERE project_id = $1`, p.ID).Scan(&r.Drawn)
	if err != nil {
		return r, err
	}
	rows, err := collectAll[spotCheckRow](db.pool.Query(ctx, `
		SELECT c.item_id, m.pseudonym, n.answers AS own, d.answers AS decided
		FROM spot_checks c
		JOIN current_adjudications d ON d.protocol_version_id = $2 AND d.item_id = c.item_id AND d.created_at > c.drawn_at
		JOIN annotations n ON n.protocol_version_id = $2 AND n.item_id = c.item_id AND n.id = ANY (d.annotation_ids)
		JOIN members m ON m.project_id = c.project_id AND m.account_id = n.account_id
		WHERE c.project_id = $1 AND NOT EXISTS (
		    SELECT FROM blinded_items v WHERE v.account_id = $3 AND v.project_id = $1 AND v.item_id = c.item_id)
		ORDER BY c.item_id, n.id`, p.ID, p.ProtocolVersionID, actorID))
	if err != nil {
		return r, err
	}
	rows, err = revealRows(ctx, db, actorID, rows, func(row spotCheckRow) project.ItemID { return row.ItemID }, nil)
	return countSpotChecks(p, r.Drawn, rows), err
}

type spotCheckRow struct {
	ItemID       project.ItemID
	Pseudonym    string
	Own, Decided map[string]int
}

// countSpotChecks counts wrong answers by field, with one cluster for each item, and by annotator likewise.
func countSpotChecks(p project.Project, drawn int, rows []spotCheckRow) labeling.SpotChecks {
	type key struct {
		name string
		item project.ItemID
	}
	byField, byAnnotator := map[key]stats.ClusterHits{}, map[key]stats.ClusterHits{}
	corrected := map[project.ItemID]int{}
	add := func(counts map[key]stats.ClusterHits, k key, hit int) {
		c := counts[k]
		counts[k] = stats.ClusterHits{Hits: c.Hits + hit, Total: c.Total + 1}
	}
	for _, row := range rows {
		for field, decided := range row.Decided {
			own, isAnswered := row.Own[field]
			if !isAnswered {
				continue
			}
			hit := 0
			if own != decided {
				hit = 1
			}
			add(byField, key{field, row.ItemID}, hit)
			add(byAnnotator, key{row.Pseudonym, row.ItemID}, hit)
			corrected[row.ItemID] = max(corrected[row.ItemID], hit)
		}
	}
	wrong := 0
	for _, hit := range corrected {
		wrong += hit
	}
	rates := func(counts map[key]stats.ClusterHits) (list []labeling.SpotCheckRate) {
		clusters := map[string][]stats.ClusterHits{}
		for k, hits := range counts {
			clusters[k.name] = append(clusters[k.name], hits)
		}
		for name, c := range clusters {
			list = append(list, labeling.SpotCheckRate{Name: name, Wrong: stats.NewClusteredProportion(c)})
		}
		return list
	}
	r := labeling.SpotChecks{Drawn: drawn, Corrected: stats.NewProportion(wrong, len(corrected)),
		Fields: rates(byField), Annotators: rates(byAnnotator)}
	place := func(key string) int {
		return slices.IndexFunc(p.Protocol.Fields, func(f protocol.Field) bool { return f.Key == key })
	}
	slices.SortFunc(r.Fields, func(a, b labeling.SpotCheckRate) int {
		return cmp.Compare(place(a.Name), place(b.Name))
	})
	slices.SortFunc(r.Annotators, func(a, b labeling.SpotCheckRate) int { return cmp.Compare(a.Name, b.Name) })
	return r
}
