package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/consensus"
	"github.com/labelwright/labelwright/internal/stats"
)

// hasMajority is true of an item s if a field on which the answers differ has a majority, or has none, as the last ?
// says.
const hasMajority = `s.label_count > 1 AND EXISTS (
	SELECT FROM (
		SELECT e.key AS field, count(*) AS answer_count, sum(count(*)) OVER (PARTITION BY e.key) AS field_count
		FROM (
			SELECT DISTINCT ON (n.account_id) n.answers
			FROM current_annotations n
			WHERE n.protocol_version_id = ? AND n.item_id = s.item_id AND n.kind = 'work'
			ORDER BY n.account_id, n.id DESC) l
		CROSS JOIN jsonb_each_text(l.answers) e
		WHERE e.key = ANY (s.disagreeing_fields) AND e.key <> ALL (s.tied_fields)
		GROUP BY e.key, e.value) g
	WHERE ?::text = '' OR g.field = ?
	GROUP BY g.field, g.field_count
	HAVING (2 * max(g.answer_count) > g.field_count) = ?)`

// unresolvedFields is the fields of an item s without a consensus under a tie rule: labels two or more points apart
// always have none.
func unresolvedFields(rule stats.TieRule) string {
	if rule == stats.LowerValue || rule == stats.HigherValue {
		return "s.far_tied_fields"
	}
	return "s.tied_fields"
}

// addConsensus adds what depends on how the consensus of an item is found. It agrees with stats.ConsensusRule.
func (q *itemQuery) addConsensus(p project.Project) {
	f := q.filter
	if f.LabeledOnly || f.Consensus != "" {
		q.conditions = append(q.conditions, "s.label_count > 0 AND NOT s.is_calibration")
	}
	method := stats.ConsensusMethod(f.Consensus)
	switch method {
	case "":
		return
	case stats.Adjudicated:
		q.conditions = append(q.conditions, "s.decided_at IS NOT NULL")
	default:
		q.conditions = append(q.conditions, "s.decided_at IS NULL")
	}
	if f.Field != "" {
		q.where("EXISTS (SELECT FROM unnest(s.labels) l WHERE starts_with(l, ? || '='))", f.Field)
	}
	switch method {
	case stats.Majority:
		q.where(`(EXISTS (
			SELECT FROM unnest(s.labels) l
			WHERE split_part(l, '=', 1) <> ALL ('annotator'::text || s.disagreeing_fields) AND (?::text = '' OR split_part(l, '=', 1) = ?)) OR `+hasMajority+`)`,
			f.Field, f.Field, p.ProtocolVersionID, f.Field, f.Field, true)
	case stats.MedianAnswer:
		q.where(hasMajority, p.ProtocolVersionID, f.Field, f.Field, false)
	case stats.TieRuled:
		q.where("EXISTS (SELECT FROM unnest(s.tied_fields) t WHERE t <> ALL ("+q.tied+") AND (?::text = '' OR t = ?))",
			f.Field, f.Field)
	case stats.Tie:
		q.where("EXISTS (SELECT FROM unnest("+q.tied+") t WHERE ?::text = '' OR t = ?)", f.Field, f.Field)
	}
}

// ItemConsensus returns the consensus by item and field, with the verdicts of the item, of those items whose labels the
// account may see.
func (db *DB) ItemConsensus(ctx context.Context, actorID account.ID, p project.Project,
	ids []project.ItemID) (map[project.ItemID]consensus.Item, error) {
	labels, err := db.ItemLabels(ctx, actorID, p, ids)
	if err != nil {
		return nil, err
	}
	decisions, err := db.CurrentDecisions(ctx, actorID, p, ids)
	if err != nil {
		return nil, err
	}
	items, err := collectAll[struct {
		ID    project.ItemID
		Facts protocol.Facts
	}](db.pool.Query(ctx, `SELECT id, facts FROM items WHERE project_id = $1 AND id = ANY ($2)`, p.ID, ids))
	found := make(map[project.ItemID]consensus.Item, len(labels))
	for _, item := range items {
		if _, isVisible := labels[item.ID]; !isVisible {
			continue
		}
		var values []map[string]int
		for _, l := range labels[item.ID] {
			values = append(values, l.Values)
		}
		fields := findConsensus(p, item.ID, item.Facts, values, decisions[item.ID].Answers, nil)
		found[item.ID] = consensus.Item{Fields: fields, Verdicts: dataset.ConsensusVerdicts(p.Protocol,
			batchItem{Facts: item.Facts}.toConsensus(p, fields).Fields)}
	}
	return found, err
}
