package postgres

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/sheet"
)

// itemsAtOnce is how many items' answers are settled at a time.
const itemsAtOnce = 2000

// Consensus streams what people settled on of every item that was handed out,
// by item. Hidden duplicates, calibration and models have no part in it.
func (s Snapshot) Consensus(ctx context.Context) iter.Seq2[sheet.Consensus, error] {
	return func(yield func(sheet.Consensus, error) bool) {
		for last, more := int64(0), true; more; {
			items, settled, err := s.settledAfter(ctx, last)
			if err != nil {
				yield(sheet.Consensus{}, err)
				return
			}
			for _, i := range items {
				if !yield(i.consensus(s.project, settled[i.ID]), nil) {
					return
				}
				last = i.ID
			}
			more = len(items) == itemsAtOnce
		}
	}
}

// settledAfter returns the next items of batches, behind that of an id, and what
// was settled of them, by item and field.
func (s Snapshot) settledAfter(ctx context.Context, last int64) ([]handedOut, map[int64]map[string]report.Settled, error) {
	items, err := s.handedOut(ctx, last)
	if err != nil {
		return nil, nil, err
	}
	d := report.Data{Project: s.project.Key, Protocol: s.project.Protocol}
	ids := make([]int64, len(items))
	for i, item := range items {
		ids[i] = item.ID
		d.Items = append(d.Items, report.Item{ID: item.ID, Source: item.SourceID, Facts: item.Facts})
	}
	if d.Labels, d.Gold, err = s.answersTo(ctx, ids); err != nil {
		return nil, nil, err
	}
	all, err := report.Settle(d)
	settled := map[int64]map[string]report.Settled{}
	for _, one := range all {
		if settled[one.ItemID] == nil {
			settled[one.ItemID] = map[string]report.Settled{}
		}
		settled[one.ItemID][one.Field] = one
	}
	return items, settled, err
}

// answersTo returns the labels of items, and what leads settled them on.
func (s Snapshot) answersTo(ctx context.Context, items []int64) ([]report.Label, map[int64]map[string]int, error) {
	labels, err := many[report.Label](s.tx.Query(ctx, `
		SELECT n.id, n.item_id, m.pseudonym AS annotator, a.kind, n.answers AS values, n.observations AS observed,
		       n.since_break, n.active_ms, n.submitted_at AS submitted
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND n.item_id = ANY ($2) AND n.attempt = a.attempt AND a.kind = 'work'
		ORDER BY n.id`, s.project.ProtocolVersionID, items))
	if err != nil {
		return nil, nil, err
	}
	decided, err := many[settledValues](s.tx.Query(ctx, `
		SELECT DISTINCT ON (item_id) item_id, answers AS values
		FROM adjudications
		WHERE protocol_version_id = $1 AND item_id = ANY ($2)
		ORDER BY item_id, n DESC`, s.project.ProtocolVersionID, items))
	gold := make(map[int64]map[string]int, len(decided))
	for _, g := range decided {
		gold[g.ItemID] = g.Values
	}
	return labels, gold, err
}

type handedOut struct {
	ID       int64
	SourceID string
	RecordID string
	Content  project.Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage
}

// handedOut returns the next items of batches, behind that of an id.
func (s Snapshot) handedOut(ctx context.Context, last int64) ([]handedOut, error) {
	return many[handedOut](s.tx.Query(ctx, `
		SELECT i.id, i.source_id, i.record_id, i.content, i.facts, i.meta
		FROM items i
		WHERE i.project_id = $1 AND i.id > $2 AND NOT i.calibration AND EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = i.id)
		ORDER BY i.id
		LIMIT $3`, s.project.ID, last, itemsAtOnce))
}

// consensus returns the row of an item. What was asked and not answered is not
// resolved.
func (i handedOut) consensus(p project.Project, settled map[string]report.Settled) sheet.Consensus {
	c := sheet.Consensus{Settled: map[string]sheet.Settled{}, Annotation: sheet.Annotation{Project: p.Key, Version: p.Protocol.Version,
		Item: i.SourceID, Record: i.RecordID, Content: i.Content, Facts: i.Facts, Meta: i.Meta}}
	for _, f := range p.Protocol.Fields {
		if !f.Applies(i.Facts) {
			continue
		}
		c.Settled[f.Key] = sheet.Settled{Source: sheet.Unresolved}
		if one, ok := settled[f.Key]; ok {
			c.Settled[f.Key] = sheet.Settled{Source: string(one.How), Value: one.Value, Answers: one.Answers}
		}
	}
	return c
}
