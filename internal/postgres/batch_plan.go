package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A batchPlan is a batch that meets everything that opening it requires.
type batchPlan struct {
	project.BatchSpec
	sequence       sequence.Plan
	items          []int64 // that are in no batch
	referenceItems []int64 // calibration items with reference answers
	annotatorIDs   []account.ID
}

// PreviewBatch returns the batch that OpenBatch would open, with its counts filled in,
// or project.FormProblems that list what to change.
func (db *DB) PreviewBatch(ctx context.Context, actorID account.ID, p project.Project, spec project.BatchSpec) (project.BatchSpec, project.BatchPreview, error) {
	plan, err := planBatch(ctx, db.pool, actorID, p, spec)
	if err != nil {
		return plan.BatchSpec, project.BatchPreview{}, err
	}
	return plan.BatchSpec, report.PreviewBatch(p.Protocol, plan.BatchSpec, len(plan.sampleItems())), nil
}

// planBatch checks everything that opening a batch requires. It returns all problems
// together, as project.FormProblems.
func planBatch(ctx context.Context, q querier, actorID account.ID, p project.Project, spec project.BatchSpec) (plan batchPlan, err error) {
	var problems problemList
	plan.BatchSpec, err = spec.Check()
	problems.add("", err)
	problems.add("", checkStoredTexts(ctx, q, p))
	problems.add("name", checkBatchNameFree(ctx, q, p.ID, plan.Name))
	if plan.items, err = unassignedItems(ctx, q, p.ID); err != nil {
		return plan, err
	}
	problems.add("items", plan.CheckSize(len(plan.items)))
	if plan.referenceItems, err = referenceItems(ctx, q, p.ID); err != nil {
		return plan, err
	}
	plan.annotatorIDs, err = findAnnotators(ctx, q, actorID, p.ID, plan.Annotators)
	problems.add("other_emails", err)
	if err := problems.err(); err != nil {
		return plan, err
	}
	plan.sequence, err = plan.PlanSequence(p.Protocol.Plan, len(plan.sampleItems()), len(plan.referenceItems))
	plan.CalibrationCount, plan.DuplicateCount = plan.sequence.Calibration, plan.sequence.Duplicates
	return plan, err
}

// sampleItems returns the items of the batch: all, or a sample drawn by the seed.
func (b batchPlan) sampleItems() []int64 {
	if b.Items == 0 || b.Items == len(b.items) {
		return b.items
	}
	sampled := sequence.Shuffle(b.Seed, 0, b.items)[:b.Items]
	slices.Sort(sampled)
	return sampled
}

// slots returns the slots of the items. In a planned batch, each annotator gets an equal
// share, in an order of their own; in a pool, the slots have a random order.
func (b batchPlan) slots(items []int64) []plannedSlot {
	slots := make([]plannedSlot, 0, len(items)*b.Overlap)
	for _, itemID := range sequence.Shuffle(b.Seed, 0, items) {
		for slotNo := range b.Overlap {
			slots = append(slots, plannedSlot{ItemID: itemID, SlotNo: int16(slotNo + 1)})
		}
	}
	if b.Assignment == project.Pool {
		for i, position := range sequence.Shuffle(b.Seed, -2, numbersTo(len(slots))) {
			slots[i].QueueNo = position
		}
		return slots
	}
	n := len(b.annotatorIDs)
	for share := range b.annotatorIDs {
		owner := b.annotatorIDs[share]
		positions := sequence.Shuffle(b.Seed, owner, numbersTo((len(slots)-share+n-1)/n))
		for i := range positions {
			slots[share+i*n].OwnerID, slots[share+i*n].QueueNo = &owner, positions[i]
		}
	}
	return slots
}

// numbersTo returns the numbers from 1 to n.
func numbersTo(n int) []int64 {
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(i + 1)
	}
	return numbers
}

// calibrationSet returns the calibration items of the batch, drawn by the seed.
func (b batchPlan) calibrationSet() []int64 {
	return sequence.Shuffle(b.Seed, -1, b.referenceItems)[:b.sequence.Calibration]
}

// A problemList collects problems that a user can fix. Any other error replaces them.
type problemList struct {
	problems project.FormProblems
	failure  error
}

// add collects err. A problem without a field of its own gets field.
func (l *problemList) add(field string, err error) {
	if problems, ok := errors.AsType[project.FormProblems](err); ok {
		l.problems = append(l.problems, problems...)
	} else if fault.KindOf(err) != "" {
		l.problems = append(l.problems, project.FormProblem{Field: field, Err: err})
	} else if err != nil {
		l.failure = err
	}
}

func (l *problemList) err() error {
	if l.failure != nil || len(l.problems) == 0 {
		return l.failure
	}
	return l.problems
}

// checkStoredTexts checks the current texts, which may be newer than p.
func checkStoredTexts(ctx context.Context, q querier, p project.Project) error {
	err := q.QueryRow(ctx, `SELECT content_warning, support_url, instructions FROM projects WHERE id = $1`, p.ID).Scan(&p.ContentWarning, &p.SupportURL, &p.Instructions)
	if err != nil {
		return err
	}
	return p.CheckRequiredTexts()
}

func checkBatchNameFree(ctx context.Context, q querier, projectID project.ID, name string) error {
	var isTaken bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM batches WHERE project_id = $1 AND name = $2)`, projectID, name).Scan(&isTaken)
	if err == nil && isTaken {
		return fault.Conflict.Errorf("This project already has a batch “%s”. Choose another name.", name)
	}
	return err
}

// isUnassigned is true of an item i that is in no batch and may become work.
const isUnassigned = `(NOT i.is_calibration AND NOT EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = i.id))`

// isReference is true of a calibration item i with reference answers.
const isReference = `(i.is_calibration AND EXISTS (SELECT FROM reference_answers r WHERE r.item_id = i.id))`

// unassignedItems returns the items that are in no batch, by id.
func unassignedItems(ctx context.Context, q querier, projectID project.ID) ([]int64, error) {
	return collectColumn[int64](q.Query(ctx, `SELECT i.id FROM items i WHERE i.project_id = $1 AND `+isUnassigned+` ORDER BY i.id`, projectID))
}

// referenceItems returns the calibration items with reference answers, by id.
func referenceItems(ctx context.Context, q querier, projectID project.ID) ([]int64, error) {
	return collectColumn[int64](q.Query(ctx, `SELECT i.id FROM items i WHERE i.project_id = $1 AND `+isReference+` ORDER BY i.id`, projectID))
}

// findAnnotators returns the accounts with these addresses, in their order. Its errors
// name the addresses that cannot label. A lead can choose members only: any other address
// gets the same answer, whether it has an account or not, and only for identified
// members the answer names a disabled account.
func findAnnotators(ctx context.Context, q querier, actorID account.ID, projectID project.ID, addresses []string) ([]account.ID, error) {
	rows, err := collectAll[struct {
		Address        string
		ID             account.ID
		Disabled       bool
		CanChooseOther bool // the actor is an admin or a command
		IsMember       bool
		IsIdentified   bool
	}](q.Query(ctx, `
		SELECT t.address, coalesce(a.id, 0) AS id, coalesce(a.disabled, false) AS disabled,
		       $2 = 0 OR EXISTS (SELECT FROM accounts WHERE id = $2 AND role = 'admin') AS can_choose_other,
		       m.account_id IS NOT NULL AS is_member, coalesce(m.is_identified, false) AS is_identified
		FROM unnest($1::text[]) WITH ORDINALITY AS t (address, address_no)
		LEFT JOIN identity.users u ON lower(u.email) = lower(t.address)
		LEFT JOIN accounts a ON a.id = u.account_id
		LEFT JOIN members m ON m.project_id = $3 AND m.account_id = a.id AND m.removed_at IS NULL
		ORDER BY t.address_no`, addresses, actorID, projectID))
	if err != nil {
		return nil, err
	}
	ids := make([]account.ID, len(rows))
	var problems project.FormProblems
	for i, row := range rows {
		ids[i] = row.ID
		if !row.IsMember && !row.CanChooseOther {
			problems = append(problems, project.FormProblem{Field: "other_emails", Err: fault.NotFound.Errorf("“%s” is not a member of this project. Add the address on the Members page first.", row.Address)})
		} else if row.ID == 0 {
			problems = append(problems, project.FormProblem{Field: "other_emails", Err: errNoAccount(row.Address)})
		} else if row.Disabled && (row.CanChooseOther || row.IsIdentified) {
			problems = append(problems, project.FormProblem{Field: "other_emails", Err: fault.Conflict.Errorf("The account of “%s” is disabled. Enable it, or choose another annotator.", row.Address)})
		}
	}
	if problems != nil {
		return nil, problems
	}
	return ids, nil
}
