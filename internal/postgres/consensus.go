package postgres

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/consensus"
)

// consensusPageSize is the number of items that Consensus reads at a time.
const consensusPageSize = 2000

// Consensus streams the consensus of every item of a batch, by item. It ignores
// calibration, hidden duplicates and judges.
func (s Snapshot) Consensus(ctx context.Context) iter.Seq2[dataset.ConsensusRow, error] {
	return func(yield func(dataset.ConsensusRow, error) bool) {
		for lastID, hasMore := project.ItemID(0), true; hasMore; {
			items, consensus, err := s.consensusAfter(ctx, lastID)
			if err != nil {
				yield(dataset.ConsensusRow{}, err)
				return
			}
			for _, i := range items {
				if !yield(i.toConsensus(s.project, consensus[i.ID]), nil) {
					return
				}
				lastID = i.ID
			}
			hasMore = len(items) == consensusPageSize
		}
	}
}

// consensusAfter returns the next page of items and their consensus, by item and
// field.
func (s Snapshot) consensusAfter(ctx context.Context, lastID project.ItemID) ([]batchItem,
	map[project.ItemID]map[string]consensus.Result, error) {
	items, err := s.batchItemsAfter(ctx, lastID)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]project.ItemID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	labels, decisions, err := s.loadAnswers(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	byItem := map[project.ItemID][]map[string]int{}
	for _, l := range labels {
		byItem[l.ItemID] = append(byItem[l.ItemID], l.Values)
	}
	results := map[project.ItemID]map[string]consensus.Result{}
	for _, item := range items {
		results[item.ID] = findConsensus(s.project, item.ID, item.Facts, byItem[item.ID], decisions[item.ID], s.model)
	}
	return items, results, nil
}

// findConsensus returns the consensus on each field that applies to an item, by a model unless it is nil.
func findConsensus(p project.Project, id project.ItemID, facts protocol.Facts, labels []map[string]int,
	decision map[string]int, model *consensus.Model) map[string]consensus.Result {
	results := map[string]consensus.Result{}
	for _, f := range p.Protocol.ApplicableFields(facts) {
		var values []int
		for _, l := range labels {
			if value, ok := l[f.Key]; ok {
				values = append(values, value)
			}
		}
		c := consensus.Result{ItemConsensus: project.FindConsensus(f, p.TieRule, values, decision)}
		if model != nil {
			c = model.Apply(id, f.Key, c.ItemConsensus)
		}
		results[f.Key] = c
	}
	return results
}

// An answeredLabel is the answers of an annotator to an item.
type answeredLabel struct {
	ItemID    project.ItemID
	Annotator string
	Values    map[string]int
}

// loadAnswers returns the labels of items and the current decisions on them.
func (s Snapshot) loadAnswers(ctx context.Context, itemIDs []project.ItemID) ([]answeredLabel,
	map[project.ItemID]map[string]int, error) {
	labels, err := collectAll[answeredLabel](s.tx.Query(ctx, `
		SELECT n.item_id, m.pseudonym AS annotator, n.answers AS values
		FROM current_annotations n
		JOIN batches b ON b.id = n.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND n.item_id = ANY ($2) AND n.kind = 'work'
		AND `+s.scope.inBatches("n.batch_id")+`
		ORDER BY n.id`, s.project.ProtocolVersionID, itemIDs))
	if err != nil {
		return nil, nil, err
	}
	decisions, err := collectAll[itemValues](s.tx.Query(ctx, `
		SELECT item_id, answers AS values
		FROM current_adjudications
		WHERE protocol_version_id = $1 AND item_id = ANY ($2)`, s.project.ProtocolVersionID, itemIDs))
	return labels, valuesByItem(decisions), err
}

type batchItem struct {
	ID       project.ItemID
	SourceID string
	RecordID string
	Content  project.Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage
}

// batchItemsAfter returns the next page of items that are in a batch.
func (s Snapshot) batchItemsAfter(ctx context.Context, lastID project.ItemID) ([]batchItem, error) {
	content, meta := `'{}'::jsonb`, `'{}'::jsonb`
	if s.options.IncludeTexts || s.options.Layout == dataset.LabelStudio {
		content = "i.content"
	}
	if s.blind == nil {
		meta = "i.meta"
	}
	items, err := collectAll[batchItem](s.tx.Query(ctx, `
		SELECT i.id, i.source_id, i.record_id, `+content+` AS content, i.facts, `+meta+` AS meta
		FROM items i
		WHERE i.project_id = $1 AND i.id > $2 AND NOT i.is_calibration AND EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = i.id)
		  AND `+s.scope.inItems("i.id")+`
		ORDER BY i.id
		LIMIT $3`, s.project.ID, lastID, consensusPageSize))
	for i, item := range items {
		items[i].SourceID, items[i].RecordID, items[i].Content = s.blind.item(item.SourceID),
			s.blind.record(item.RecordID), s.blind.content(item.Content)
	}
	return items, err
}

// toConsensus returns the export row of an item.
func (i batchItem) toConsensus(p project.Project, results map[string]consensus.Result) dataset.ConsensusRow {
	row := dataset.ConsensusRow{Fields: map[string]dataset.FieldConsensus{},
		Annotation: dataset.Annotation{Project: p.CurrentKey(), Version: p.Protocol.Version,
			SourceID: i.SourceID, RecordID: i.RecordID, Content: i.Content, Facts: i.Facts, Meta: i.Meta}}
	for _, f := range p.Protocol.ApplicableFields(i.Facts) {
		row.Fields[f.Key] = dataset.FieldConsensus(results[f.Key])
	}
	return row
}
