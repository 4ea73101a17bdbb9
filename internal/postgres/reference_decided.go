package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// DecidedReference returns the current decision on an item as reference answers, with its
// reason, or fault.NotFound.
func (db *DB) DecidedReference(ctx context.Context, actorID account.ID, p project.Project,
	itemID project.ItemID) (labeling.Reference, error) {
	r, err := decidedReference(ctx, db.pool, actorID, p, itemID)
	return r, errors.Join(err, db.recordItemReveal(ctx, actorID, slices.Values([]project.ItemID{itemID})))
}

func decidedReference(ctx context.Context, q querier, actorID account.ID, p project.Project,
	itemID project.ItemID) (labeling.Reference, error) {
	if err := requireVisible(ctx, q, actorID, p.ID, itemID); err != nil {
		return labeling.Reference{}, err
	}
	d, err := collectOne[struct {
		Values               map[string]int
		Observations, Unsure []string
		Note, Reason         string
	}](q.Query(ctx, `
		SELECT answers AS values, observations, unsure, note, reason
		FROM current_adjudications
		WHERE protocol_version_id = $1 AND project_id = $2 AND item_id = $3`, p.ProtocolVersionID, p.ID, itemID))
	r := labeling.Reference{Answers: protocol.Answers{Values: d.Values, Observations: d.Observations, Unsure: d.Unsure,
		Note: d.Note}}
	if d.Reason != "" {
		r.Reasons = map[string]string{protocol.NoteKey: d.Reason}
	}
	return r, err
}

// CalibrateItems makes adjudicated items calibration items as SetReference does, with the
// decisions and their reasons as reference answers: all items that f selects, or none. It
// returns their number.
func (db *DB) CalibrateItems(ctx context.Context, actorID account.ID, p project.Project,
	f project.ItemFilter) (count int, err error) {
	err = db.changeItems(ctx, actorID, p, f, func(tx pgx.Tx, ids []project.ItemID) error {
		if err := requireDecided(ctx, tx, ids); err != nil {
			return err
		}
		for _, id := range ids {
			reference, err := decidedReference(ctx, tx, actorID, p, id)
			if err == nil {
				err = setReference(ctx, tx, actorID, p, id, reference)
			}
			if err != nil {
				return err
			}
		}
		count = len(ids)
		return nil
	})
	return count, err
}

// requireDecided returns an error that names items without a decision.
func requireDecided(ctx context.Context, q querier, ids []project.ItemID) error {
	missing, err := collectColumn[string](q.Query(ctx, `
		SELECT i.source_id
		FROM item_states s
		JOIN items i ON i.id = s.item_id
		WHERE s.item_id = ANY ($1) AND s.decided_at IS NULL
		ORDER BY i.id`, ids))
	if err != nil || len(missing) == 0 {
		return err
	}
	if len(missing) == 1 {
		return fault.Conflict.Errorf("The item “%s” has no decision. Only adjudicated items become calibration items this way: adjudicate it first, or give reference answers of your own.", missing[0])
	}
	return fault.Conflict.Errorf("%d of the %d items have no decision, such as “%s”. Only adjudicated items become calibration items this way: adjudicate them first, or give reference answers of your own.",
		len(missing), len(ids), missing[0])
}
