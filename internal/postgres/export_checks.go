package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/dataset"
)

// maxCopyCheck is the number of labels up to which an export compares all annotators with each
// other.
const maxCopyCheck = 200_000

// runChecks looks for defects of the data that no single label shows.
func (s Snapshot) runChecks(ctx context.Context, labels int) ([]dataset.Check, error) {
	checks := []dataset.Check{}
	for _, check := range []func(context.Context, int) (dataset.Check, error){s.checkCopies, s.checkDuplicates,
		s.checkOverlap, s.checkBlindness} {
		c, err := check(ctx, labels)
		if err != nil {
			return nil, err
		}
		checks = append(checks, c)
	}
	return checks, nil
}

// minCopied is the number of shared items from which equal answers on all of them are suspect,
// if the answers vary enough.
const minCopied = 30

// checkCopies looks for two annotators with the same answers on every shared item.
func (s Snapshot) checkCopies(ctx context.Context, labels int) (dataset.Check, error) {
	c := dataset.Check{Name: dataset.CheckCopies, Passed: true,
		Detail: fmt.Sprintf("No two annotators gave the same answers to all of %d or more shared items.", minCopied)}
	if labels > maxCopyCheck || len(s.project.Protocol.Fields) < 2 {
		c.Detail = "Not checked whether two annotators gave the same answers to all shared items: the protocol has one field, or there are too many labels."
		return c, nil
	}
	found, err := collectColumn[string](s.tx.Query(ctx, `
		WITH labels AS MATERIALIZED (
			SELECT n.item_id, m.pseudonym, n.answers
			FROM current_annotations n
			JOIN batches b ON b.id = n.batch_id
			JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
			WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.kind = 'work' AND `+s.scope.ofLabels("n")+`)
		SELECT format('%s and %s (%s items)', x.pseudonym, y.pseudonym, count(*))
		FROM labels x
		JOIN labels y ON y.item_id = x.item_id AND y.pseudonym > x.pseudonym
		GROUP BY x.pseudonym, y.pseudonym
		HAVING count(*) >= $3 AND bool_and(x.answers = y.answers) AND count(DISTINCT x.answers) >= 5
		ORDER BY 1`, s.project.ProtocolVersionID, s.project.ID, minCopied))
	if len(found) > 0 {
		c.Passed, c.Detail = false, "The same answers to all shared items: "+strings.Join(found, ", ")+
			". Check that they worked independently."
	}
	return c, err
}

// checkDuplicates looks for hidden duplicates that were due and not labeled, in closed batches.
func (s Snapshot) checkDuplicates(ctx context.Context, _ int) (dataset.Check, error) {
	c := dataset.Check{Name: dataset.CheckDuplicates, Passed: true,
		Detail: "No hidden duplicate of a closed batch is missing."}
	found, err := collectColumn[string](s.tx.Query(ctx, `
		SELECT format('%s in %s (%s of %s)', m.pseudonym, b.name, count(*) FILTER (WHERE a.state IS DISTINCT
		FROM 'submitted'), count(*))
		FROM hidden_items h
		JOIN batches b ON b.id = h.batch_id AND b.closed_at IS NOT NULL
		JOIN batch_annotators ba ON ba.batch_id = h.batch_id AND ba.account_id = h.account_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = h.account_id
		LEFT JOIN assignments a ON a.id = h.assignment_id
		WHERE b.project_id = $1 AND h.original_no IS NOT NULL AND h.position <= ba.presented_count
		  AND `+s.scope.inBatches("b.id")+`
		GROUP BY m.pseudonym, b.name
		HAVING count(*) FILTER (WHERE a.state IS DISTINCT FROM 'submitted') > 0
		ORDER BY 1`, s.project.ID))
	if len(found) > 0 {
		c.Passed, c.Detail = false, "Hidden duplicates are missing: "+strings.Join(found, ", ")+"."
	}
	return c, err
}

// checkOverlap looks for closed batches whose items have different numbers of labels.
func (s Snapshot) checkOverlap(ctx context.Context, _ int) (dataset.Check, error) {
	c := dataset.Check{Name: dataset.CheckOverlap, Passed: true,
		Detail: "In each closed batch, every item has the same number of labels."}
	found, err := collectColumn[string](s.tx.Query(ctx, `
		SELECT format('%s (%s)', name, string_agg(format('%s × %s', items, labels), ', ' ORDER BY labels))
		FROM (
			SELECT name, labels, count(*) AS items
			FROM (
				SELECT b.id, b.name, i.item_id, count(a.id) AS labels
				FROM batches b
				JOIN batch_items i ON i.batch_id = b.id AND NOT i.is_calibration
				LEFT JOIN assignments a ON a.batch_id = i.batch_id AND a.item_id = i.item_id AND a.kind = 'work'
				AND a.state = 'submitted'
				WHERE b.project_id = $1 AND b.closed_at IS NOT NULL AND `+s.scope.inBatches("b.id")+`
				GROUP BY b.id, b.name, i.item_id) by_item
			GROUP BY id, name, labels) by_count
		GROUP BY name
		HAVING count(*) > 1
		ORDER BY name`, s.project.ID))
	if len(found) > 0 {
		c.Passed, c.Detail = false, "Items of a closed batch have different numbers of labels (items × labels): "+
			strings.Join(found, "; ")+"."
	}
	return c, err
}

// checkBlindness looks for labels that were given after their annotators had seen other answers to the items.
func (s Snapshot) checkBlindness(ctx context.Context, _ int) (dataset.Check, error) {
	c := dataset.Check{Name: dataset.CheckBlindness, Passed: true,
		Detail: "No label was given after its annotator had seen other answers to the item."}
	found, err := collectColumn[string](s.tx.Query(ctx, `
		SELECT format('%s in %s (%s)', m.pseudonym, b.name, count(*))
		FROM annotations n
		JOIN batches b ON b.id = n.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.not_blind AND `+s.scope.ofLabels("n")+`
		GROUP BY m.pseudonym, b.name
		ORDER BY 1`, s.project.ProtocolVersionID, s.project.ID))
	if len(found) > 0 {
		c.Passed, c.Detail = false, "Labels that are not blind, because their annotators had seen other answers to "+
			"the items, are left out of agreement and consensus, in a table of their own: "+
			strings.Join(found, ", ")+"."
	}
	return c, err
}

// listOmissions says what the export does not have.
func (s Snapshot) listOmissions(ctx context.Context, counts exportCounts, card dataset.Card) ([]dataset.Omission,
	error) {
	list := []dataset.Omission{
		{What: "Names and addresses of annotators", Why: "They appear under pseudonyms, which only this project uses."},
		{What: "Skips for personal reasons", Why: "They are private: leads cannot see them either."},
		{What: "Drafts, questions and announcements", Why: "No figure is computed from them."},
	}
	if s.blind != nil {
		list = append(list, dataset.Omission{What: "Metadata, and the ids of items, records and chunks",
			Why: "The export is blinded. Its unblinding key is a separate download."})
	}
	if !s.options.IncludeTexts && s.options.Layout != dataset.LabelStudio {
		list = append(list, dataset.Omission{What: "Texts of items", Why: "The export was made without texts."})
	}
	if !s.options.ExactTimes {
		list = append(list, dataset.Omission{What: "Exact times",
			Why: "Days and 5-second steps cannot identify annotators by their hours."})
	}
	if !s.options.Comments {
		list = append(list, dataset.Omission{What: "Comments on skips, corrections and calibration",
			Why: "The export was made without comments, which may name someone."})
	}
	if !s.options.Layout.HasTables() {
		list = append(list, dataset.Omission{What: "Calibration, hidden duplicates, judgments, skips, corrections and sessions", Why: "This layout has no place for them. The layout plain has."})
	}
	if card.Agreement == nil {
		list = append(list, dataset.Omission{What: "Agreement",
			Why: "Computed only for whole exports of up to 20,000 items and labels. Run labelwright agree on the table of labels."})
	}
	if s.scope.isWhole() {
		return list, nil
	}
	all, err := Snapshot{tx: s.tx, project: s.project}.countForExport(ctx)
	left := all[dataset.Work].Annotations - counts[dataset.Work].Annotations
	return append(list, dataset.Omission{What: "Labels outside of the chosen batches and states", Count: &left,
		Why: "They were not chosen."}), err
}
