package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/round"
)

// An ItemRound has the answers of a round to an item.
type ItemRound struct {
	Batch    string
	Protocol protocol.Protocol // of the round
	Answers  []ItemAnnotation
}

// ItemRounds returns the answers to an item in rounds, in their order. It returns labeling.ErrBlinded if the account
// must not see them yet.
func (db *DB) ItemRounds(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID) (
	rounds []ItemRound, err error) {
	if err := requireVisible(ctx, db.pool, actorID, p.ID, itemID); err != nil {
		return nil, err
	}
	if err := db.recordItemReveal(ctx, actorID, slices.Values([]project.ItemID{itemID})); err != nil {
		return nil, err
	}
	rows, err := collectAll[struct {
		ItemAnnotation
		VersionID protocol.VersionID
	}](db.pool.Query(ctx, `
		SELECT n.id AS annotation_id, m.pseudonym AS annotator, b.name AS batch, n.answers AS values, n.observations,
		       n.unsure, n.note, b.protocol_version_id AS version_id
		FROM batch_items bi
		JOIN batches b ON b.id = bi.batch_id AND b.round_of IS NOT NULL
		JOIN current_annotations n ON n.protocol_version_id = b.protocol_version_id AND n.batch_id = b.id
		     AND n.item_id = bi.item_id AND n.kind = 'round'
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE bi.item_id = $1 AND b.project_id = $2
		ORDER BY b.id, m.pseudonym`, itemID, p.ID))
	for _, row := range rows {
		if len(rounds) == 0 || rounds[len(rounds)-1].Batch != row.Batch {
			inVersion, err := db.WithVersion(ctx, p, row.VersionID)
			if err != nil {
				return nil, err
			}
			rounds = append(rounds, ItemRound{Batch: row.Batch, Protocol: inVersion.Protocol})
		}
		last := &rounds[len(rounds)-1]
		last.Answers = append(last.Answers, row.ItemAnnotation)
	}
	return rounds, err
}

// CompareRound compares the labels of a round with the first labels of its items, without items whose answers the
// account must not see yet. The first ones are those of the protocol version that an item was labeled under before the
// round; fields that it lacks, or has with other points, are not compared.
func (db *DB) CompareRound(ctx context.Context, actorID account.ID, p project.Project, b project.Batch) (
	c round.Comparison, err error) {
	if !b.IsRound() {
		return c, fault.Conflict.Errorf("The batch “%s” is no round. Open a round to label items again.", b.Name)
	}
	p, err = db.WithVersion(ctx, p, b.ProtocolVersionID)
	if err != nil {
		return c, err
	}
	rows, err := collectAll[struct {
		round.Label
		VersionID protocol.VersionID
		IsSecond  bool
	}](db.pool.Query(ctx, `
		SELECT DISTINCT ON (n.kind, n.item_id, n.account_id) n.item_id, i.source_id, i.record_id AS record,
		       m.pseudonym AS annotator, n.answers AS values, n.protocol_version_id AS version_id,
		       n.kind = 'round' AS is_second
		FROM batch_items bi
		CROSS JOIN LATERAL (
			SELECT b.protocol_version_id
			FROM batch_items before
			JOIN batches b ON b.id = before.batch_id AND b.round_of IS NULL AND b.id < bi.batch_id
			WHERE before.item_id = bi.item_id AND NOT before.is_calibration
			ORDER BY b.id DESC
			LIMIT 1) first
		JOIN current_annotations n ON n.item_id = bi.item_id
		     AND (n.kind = 'work' AND n.protocol_version_id = first.protocol_version_id
		          OR n.kind = 'round' AND n.protocol_version_id = $1 AND n.batch_id = bi.batch_id)
		JOIN items i ON i.id = n.item_id
		JOIN members m ON m.project_id = $2 AND m.account_id = n.account_id
		WHERE bi.batch_id = $3 AND NOT bi.is_calibration AND NOT EXISTS (
		      SELECT FROM blinded_items v WHERE v.account_id = $4 AND v.project_id = $2 AND v.item_id = n.item_id)
		ORDER BY n.kind, n.item_id, n.account_id, n.id DESC`, p.ProtocolVersionID, p.ID, b.ID, actorID))
	if err != nil {
		return c, err
	}
	var first, second []round.Label
	fields := p.Protocol.Fields
	firstVersions := map[protocol.VersionID]int{}
	for _, row := range rows {
		if row.IsSecond {
			second = append(second, row.Label)
			continue
		}
		first = append(first, row.Label)
		if _, isKnown := firstVersions[row.VersionID]; !isKnown {
			earlier, err := db.WithVersion(ctx, p, row.VersionID)
			if err != nil {
				return c, err
			}
			firstVersions[row.VersionID] = earlier.Protocol.Version
			fields = slices.DeleteFunc(slices.Clone(fields), func(f protocol.Field) bool {
				return !protocol.SharesField(f, earlier.Protocol)
			})
		}
	}
	if err := db.recordItemReveal(ctx, actorID, func(yield func(project.ItemID) bool) {
		for _, l := range append(first, second...) {
			if !yield(l.ItemID) {
				return
			}
		}
	}); err != nil {
		return c, err
	}
	c, err = round.Compare(fields, first, second, reportSeed)
	c.FirstVersions, c.Version = slices.AppendSeq([]int{}, maps.Values(firstVersions)), p.Protocol.Version
	slices.Sort(c.FirstVersions)
	return c, err
}
