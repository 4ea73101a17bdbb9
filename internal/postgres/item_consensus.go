package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

// hasMajority is true of an item s if a field on which the answers differ, and are not tied,
// has a majority, or has none, as the last ? says.
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

// addConsensus adds what depends on how the consensus of an item is found. It agrees with
// stats.ConsensusRule, but for the rule for ties: what it decides counts as a tie.
func (q *itemQuery) addConsensus(p project.Project) {
	f := q.filter
	if f.LabeledOnly || f.Consensus != "" {
		q.conditions = append(q.conditions, "s.label_count > 0 AND NOT s.is_calibration")
	}
	method := stats.ConsensusMethod(f.Consensus)
	switch method {
	case "":
		return
	case report.Adjudicated:
		q.conditions = append(q.conditions, "s.decided_at IS NOT NULL")
	default:
		q.conditions = append(q.conditions, "s.decided_at IS NULL")
	}
	isTie := method == stats.Tie || method == stats.LowerOfTie || method == stats.HigherOfTie
	const hasField = "EXISTS (SELECT FROM unnest(s.labels) l WHERE starts_with(l, ? || '='))"
	switch {
	case method == stats.SingleAnswer:
		q.conditions = append(q.conditions, "s.label_count = 1")
	case method == stats.Unanimous && f.Field == "":
		q.where(`s.label_count > 1 AND EXISTS (
			SELECT FROM unnest(s.labels) l WHERE split_part(l, '=', 1) <> ALL ('annotator'::text || s.disagreeing_fields))`)
	case method == stats.Unanimous:
		q.where("s.label_count > 1 AND ? <> ALL (s.disagreeing_fields)", f.Field)
	case isTie && f.Field == "":
		q.conditions = append(q.conditions, "s.tied_fields <> '{}'")
	case isTie:
		q.where("? = ANY (s.tied_fields)", f.Field)
	case method == stats.Majority, method == stats.MedianAnswer:
		q.where(hasMajority, p.ProtocolVersionID, f.Field, f.Field, method == stats.Majority)
	}
	if f.Field != "" {
		q.where(hasField, f.Field)
	}
}

// ItemConsensus returns the consensus by item and field, with the verdicts of the item, of those items whose labels the
// account may see.
func (db *DB) ItemConsensus(ctx context.Context, actorID account.ID, p project.Project, ids []project.ItemID) (map[project.ItemID]map[string]report.ConsensusResult, error) {
	labels, err := db.ItemLabels(ctx, actorID, p, ids)
	if err != nil {
		return nil, err
	}
	decisions, err := db.CurrentDecisions(ctx, actorID, p, ids)
	if err != nil {
		return nil, err
	}
	consensus := make(map[project.ItemID]map[string]report.ConsensusResult, len(labels))
	for id, list := range labels {
		consensus[id] = map[string]report.ConsensusResult{}
		for _, f := range p.Protocol.Fields {
			if result, ok := fieldConsensus(p.Protocol, f, list, decisions[id].Answers); ok {
				result.ItemID = id
				consensus[id][f.Key] = result
			}
		}
	}
	if len(p.Protocol.Verdicts) == 0 {
		return consensus, nil
	}
	return consensus, db.addVerdicts(ctx, p, ids, consensus)
}

// addVerdicts adds the verdicts that follow from the consensus on each item.
func (db *DB) addVerdicts(ctx context.Context, p project.Project, ids []project.ItemID, consensus map[project.ItemID]map[string]report.ConsensusResult) error {
	items, err := collectAll[struct {
		ID    project.ItemID
		Facts protocol.Facts
	}](db.pool.Query(ctx, `SELECT id, facts FROM items WHERE project_id = $1 AND id = ANY ($2)`, p.ID, ids))
	for _, i := range items {
		verdicts := dataset.ConsensusVerdicts(p.Protocol, batchItem{Facts: i.Facts}.toConsensus(p, consensus[i.ID]).Fields)
		for field, result := range consensus[i.ID] {
			result.Verdicts = verdicts
			consensus[i.ID][field] = result
		}
	}
	return err
}

// fieldConsensus returns the consensus on a field that has an answer.
func fieldConsensus(p protocol.Protocol, f protocol.Field, labels []ItemLabel, decision map[string]int) (report.ConsensusResult, bool) {
	var values []int
	for _, l := range labels {
		if value, ok := l.Values[f.Key]; ok {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return report.ConsensusResult{}, false
	}
	c := stats.NewConsensusRule(stats.NewNumericScale(f.Scale.Values()...), stats.TieRule(p.Ties)).Find(values)
	if decided, ok := decision[f.Key]; ok {
		c.Method, c.Value, c.TiedValues = report.Adjudicated, decided, nil
	}
	result := report.ConsensusResult{Field: f.Key, Method: c.Method, TiedValues: c.TiedValues, AnswerCount: c.AnswerCount}
	if c.Method != stats.Tie {
		result.Value = &c.Value
	}
	return result, true
}
