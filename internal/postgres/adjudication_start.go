package postgres

import (
	"context"
	"fmt"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// SharedProposals is a model of the annotators' errors that the accounts with one view share.
type SharedProposals struct {
	model report.ProposalModel
	view  ReportView // that it was fitted for
}

// maxProposalLabels is the number of labels that a model is fitted to: more would not change a
// proposal visibly, and take longer than a page may.
const maxProposalLabels = 10_000

// FitProposals fits the model to the latest labels that the accounts with a view may see. Hidden
// duplicates and calibration items are no part of it.
func (db *DB) FitProposals(ctx context.Context, view ReportView, p project.Project, source report.ProposalSource) (*SharedProposals, error) {
	hidden := view.hiddenItems
	if hidden == nil {
		hidden = []project.ItemID{}
	}
	labels, err := collectAll[proposalLabel](db.pool.Query(ctx, `
		SELECT n.id, n.item_id, m.pseudonym AS annotator, n.answers AS values
		FROM current_annotations n
		JOIN batches b ON b.id = n.batch_id
		JOIN items i ON i.id = n.item_id AND NOT i.is_calibration
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.kind = 'work' AND n.item_id <> ALL ($3::bigint[])
		ORDER BY n.id DESC
		LIMIT $4`, p.ProtocolVersionID, p.ID, hidden, maxProposalLabels))
	if err != nil {
		return nil, err
	}
	d, known := report.Data{Project: p.Key, Protocol: p.Protocol}, map[project.ItemID]bool{}
	for _, l := range labels {
		if !known[l.ItemID] {
			known[l.ItemID] = true
			d.Items = append(d.Items, report.ItemData{ID: l.ItemID, SourceID: fmt.Sprint(l.ItemID)})
		}
		d.Labels = append(d.Labels, report.Label{ID: l.ID, ItemID: l.ItemID, Annotator: l.Annotator, Kind: report.Work, Values: l.Values})
	}
	model, err := report.FitProposals(d, source)
	return &SharedProposals{model, view}, err
}

type proposalLabel struct {
	ID        int64
	ItemID    project.ItemID
	Annotator string
	Values    map[string]int
}

// A ProposedStart is the answers that the form of a decision starts from.
type ProposedStart struct {
	Answers      map[string]report.Proposal
	Labels       int      // that the model is fitted to; 0 without one
	WithoutModel []string // keys of fields whose labels identify no model: the majority or median is proposed
}

// ProposeStart returns the answers that an account's form for item starts from. It returns
// labeling.ErrBlinded if the model was fitted to labels that the account must not see.
func (db *DB) ProposeStart(ctx context.Context, actorID account.ID, p project.Project, item AdjudicationItem, shared *SharedProposals) (ProposedStart, error) {
	start := ProposedStart{Answers: map[string]report.Proposal{}}
	for key, value := range item.Consensus(item.Protocol) {
		start.Answers[key] = report.Proposal{Value: value}
	}
	if shared == nil {
		return start, nil
	}
	view, err := db.ReportView(ctx, actorID, p.ID)
	if err != nil {
		return start, err
	}
	if !shared.view.covers(view) {
		return start, labeling.ErrBlinded
	}
	start.Labels = shared.model.Labels
	answers := item.answers()
	for _, f := range item.Protocol.ApplicableFields(item.Item.Facts) {
		if !shared.model.HasModel(f.Key) {
			start.WithoutModel = append(start.WithoutModel, f.Key)
			continue
		}
		delete(start.Answers, f.Key)
		if proposal, ok := shared.model.Propose(f.Key, answers); ok {
			start.Answers[f.Key] = proposal
		}
	}
	return start, nil
}

// answers returns the answers by pseudonym and field.
func (i AdjudicationItem) answers() map[string]map[string]int {
	answers := map[string]map[string]int{}
	for _, n := range i.Annotations {
		answers[n.Annotator] = n.Values
	}
	return answers
}
