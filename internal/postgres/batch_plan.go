package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A batchPlan is a batch that meets everything that opening it requires.
type batchPlan struct {
	project.BatchSpec
	items          project.BatchPlan
	available      availableItems
	referenceItems []int64 // calibration items with reference answers
	annotatorIDs   []account.ID
	draw           *judging.Proposal // of the items; nil: none
	digest         string            // of everything that the plan follows from
}

// PreviewBatch returns the batch that OpenBatch would open, with its seed, counts and digest
// filled in, or project.FormProblems that list what to change.
func (db *DB) PreviewBatch(ctx context.Context, actorID account.ID, p project.Project, spec project.BatchSpec) (
	project.BatchSpec, project.BatchPreview, error) {
	if err := db.measureForRound(ctx, spec); err != nil {
		return spec, project.BatchPreview{}, err
	}
	plan, err := planBatch(ctx, db.pool, actorID, p, spec, false)
	if err != nil {
		return plan.BatchSpec, project.BatchPreview{}, err
	}
	plan.PlanDigest = plan.digest
	preview := report.PreviewBatch(p.Protocol, plan.BatchSpec, plan.items)
	if plan.ItemIDs != nil {
		preview.UnavailableItems = len(plan.ItemIDs) - plan.available.Count
	}
	return plan.BatchSpec, preview, nil
}

// planBatch checks everything that opening a batch requires, and plans it. It returns all
// problems together, as project.FormProblems.
func planBatch(ctx context.Context, q querier, actorID account.ID, p project.Project, spec project.BatchSpec,
	withIDs bool) (plan batchPlan, err error) {
	var problems problemList
	plan.BatchSpec, err = spec.Check()
	if plan.Seed == 0 {
		plan.Seed = rand.Int64N(1<<53-1) + 1 // exact in JSON and spreadsheets
	}
	problems.add("", err)
	problems.add("", requireCurrentVersion(p))
	problems.add("", checkStoredTexts(ctx, q, p))
	problems.add("name", checkBatchNameFree(ctx, q, p.ID, plan.Name))
	plan.annotatorIDs, err = findAnnotators(ctx, q, actorID, p.ID, plan.Annotators)
	problems.add("other_emails", err)
	if problems.failure != nil {
		return plan, problems.failure
	}
	source := plan.BatchSpec
	if plan.Draw != nil {
		problems.add("sample", plan.drawItems(ctx, q, actorID, p))
		source.ItemIDs = plan.draw.ItemIDs()
	}
	if problems.failure != nil {
		return plan, problems.failure
	}
	if plan.available, err = loadAvailable(ctx, q, p.ID, source, plan.annotatorIDs, withIDs); err != nil {
		return plan, err
	}
	if plan.available.Count == 0 && plan.Draw == nil {
		problems.add("sample", errNoItems(plan.Round))
	}
	if plan.referenceItems, err = referenceItems(ctx, q, p.ID); err != nil {
		return plan, err
	}
	if err := problems.err(); err != nil {
		return plan, err
	}
	return plan, plan.assign(p)
}

// ErrPlanChanged is returned if a batch would not open as it was previewed.
var ErrPlanChanged = fault.Conflict.Errorf(
	"The plan changed since the preview. Check the new preview, then open the batch.")

// errNoItems says why there is nothing to draw.
func errNoItems(round project.RoundItems) error {
	if round != "" {
		return fault.Conflict.Errorf("No item can be labeled again: it needs labels, and to be in no open batch.")
	}
	return fault.Conflict.Errorf("There are no unassigned items. Import items or close a batch.")
}

// assign draws the items, gives them owners, and plans the sequences of the annotators.
func (b *batchPlan) assign(p project.Project) (err error) {
	if b.items, err = b.PlanItems(b.available.BatchItems, b.planAnnotators()); err != nil {
		return err
	}
	sequencePlan, err := b.PlanSequence(p.Protocol.Plan, slices.Min(b.items.Assignment.Loads), len(b.referenceItems))
	if err != nil {
		return err
	}
	b.CalibrationCount, b.DuplicateCount = sequencePlan.Calibration, sequencePlan.Duplicates
	b.digest, err = b.computeDigest()
	return err
}

func (b *batchPlan) planAnnotators() (annotators []project.PlanAnnotator) {
	for i, id := range b.annotatorIDs {
		annotators = append(annotators, project.PlanAnnotator{ID: id, Share: b.Share(b.Annotators[i])})
	}
	return annotators
}

// computeDigest hashes what the plan follows from, except the name.
func (b *batchPlan) computeDigest() (string, error) {
	spec := b.BatchSpec
	spec.Name, spec.PlanDigest, spec.FewerCalibration = "", "", ""
	source, err := json.Marshal([]any{spec, b.annotatorIDs, b.available.mark, b.referenceItems})
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:16]), err
}

// itemIDs returns the ids of the drawn items.
func (b *batchPlan) itemIDs() []int64 {
	ids := make([]int64, len(b.items.Items))
	for i, item := range b.items.Items {
		ids[i] = b.available.ids[item]
	}
	return ids
}

// calibrationSet returns the calibration items of the batch, drawn by the seed.
func (b *batchPlan) calibrationSet() []int64 {
	return sequence.Shuffle(b.Seed, -1, b.referenceItems)[:b.CalibrationCount]
}

// A problemList collects problems that a user can fix. Any other error replaces them.
type problemList struct {
	problems project.FormProblems
	failure  error
}

// add collects err. A problem without a field of its own gets field.
func (l *problemList) add(field string, err error) {
	problems, isList := errors.AsType[project.FormProblems](err)
	switch {
	case err == nil:
	case isList:
		l.problems = append(l.problems, problems...)
	case fault.KindOf(err) != fault.Internal:
		l.problems = append(l.problems, project.FormProblem{Field: field, Err: err})
	case l.failure == nil: // later ones follow from it
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
	err := q.QueryRow(ctx, `SELECT content_warning, support_url, instructions FROM projects
		WHERE id = $1`, p.ID).Scan(&p.ContentWarning, &p.SupportURL, &p.Instructions)
	if err != nil {
		return err
	}
	return p.CheckRequiredTexts()
}

func checkBatchNameFree(ctx context.Context, q querier, projectID project.ID, name string) error {
	var isTaken bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM batches WHERE project_id = $1
		AND name = $2)`, projectID, name).Scan(&isTaken)
	if err == nil && isTaken {
		return fault.Conflict.Errorf("This project already has a batch “%s”. Choose another name.", name)
	}
	return err
}

// isReference is true of a calibration item i with reference answers.
const isReference = `(i.is_calibration AND EXISTS (SELECT FROM reference_answers r WHERE r.item_id = i.id))`

// referenceItems returns the calibration items with reference answers, by id.
func referenceItems(ctx context.Context, q querier, projectID project.ID) ([]int64, error) {
	return collectColumn[int64](q.Query(ctx, `SELECT i.id FROM items i WHERE i.project_id = $1
		AND `+isReference+` ORDER BY i.id`, projectID))
}

// findAnnotators returns the accounts with these addresses, in their order. Its errors
// name the addresses that cannot label. A lead can choose members only: any other address
// gets the same answer, whether it has an account or not, and only for identified
// members the answer names a disabled account.
func findAnnotators(ctx context.Context, q querier, actorID account.ID, projectID project.ID,
	addresses []string) ([]account.ID, error) {
	rows, err := collectAll[struct {
		Address        string
		ID             account.ID
		Disabled       bool
		CanChooseOther bool // the actor is an admin or a command
		IsMember       bool
		IsIdentified   bool
	}](q.Query(ctx, `
		SELECT t.address, coalesce(a.id, 0) AS id, coalesce(a.disabled, false) AS disabled,
		       $2::bigint = 0 OR EXISTS (SELECT FROM accounts WHERE id = $2 AND role = 'admin') AS can_choose_other,
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
			problems = append(problems, project.FormProblem{Field: "other_emails",
				Err: fault.NotFound.Errorf("“%s” is not a member of this project. Add the address on the Members page first.", row.Address)})
		} else if row.ID == 0 {
			problems = append(problems, project.FormProblem{Field: "other_emails", Err: errNoAccount(row.Address)})
		} else if row.Disabled && (row.CanChooseOther || row.IsIdentified) {
			problems = append(problems, project.FormProblem{Field: "other_emails",
				Err: fault.Conflict.Errorf("The account of “%s” is disabled. Enable it, or choose another annotator.",
					row.Address)})
		}
	}
	if problems != nil {
		return nil, problems
	}
	return ids, nil
}
