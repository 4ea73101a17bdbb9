package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
)

// A dataProblem is a row of the view data_problems. What the problem is not about is empty.
type dataProblem struct {
	Problem   string
	Project   string
	Batch     string
	Item      string
	Pseudonym string
	Count     int // of all problems
}

// checkData returns a conflict that names the first label, item, pseudonym or reference answer
// that is missing or was changed, if there is one.
func checkData(ctx context.Context, tx pgx.Tx) error {
	problem, err := collectOne[dataProblem](tx.Query(ctx, `
		SELECT d.problem, coalesce(p.key, '') AS project, coalesce(d.batch, '') AS batch, coalesce(d.item, '') AS item,
		       coalesce(d.pseudonym, '') AS pseudonym, (count(*) OVER ())::integer AS count
		FROM data_problems d
		LEFT JOIN projects p ON p.id = d.project_id
		ORDER BY p.key COLLATE "C", d.problem COLLATE "C", d.batch COLLATE "C", d.item COLLATE "C", d.pseudonym COLLATE "C"
		LIMIT 1`))
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return problem.toError()
}

func (p dataProblem) toError() error {
	switch p.Problem {
	case "label_missing":
		return fault.Conflict.Errorf("A label was deleted: annotator %s submitted the item “%s” of the batch “%s” in the project %s. Problems found: %d.",
			p.Pseudonym, p.Item, p.Batch, p.Project, p.Count)
	case "assignment_missing":
		return fault.Conflict.Errorf("Items that annotator %s got were deleted from the batch “%s” of the project %s. Problems found: %d.",
			p.Pseudonym, p.Batch, p.Project, p.Count)
	case "labels_changed":
		return fault.Conflict.Errorf("Labels of the batch “%s” of the project %s were changed or deleted since it was closed. Problems found: %d.",
			p.Batch, p.Project, p.Count)
	case "item_changed":
		return fault.Conflict.Errorf("The item “%s” of the project %s was changed or deleted since it was imported. Problems found: %d.",
			p.Item, p.Project, p.Count)
	case "item_added":
		return fault.Conflict.Errorf("Items were added to the project %s without an import. Problems found: %d.", p.Project, p.Count)
	case "erasure_changed":
		return fault.Conflict.Errorf("What is left of an erasure was changed or deleted: %s. Problems found: %d.", p.Item,
			p.Count)
	case "pseudonym_changed":
		return fault.Conflict.Errorf("A pseudonym of the project %s was changed or deleted; it is now “%s”. Problems found: %d.",
			p.Project, p.Pseudonym, p.Count)
	}
	return fault.Conflict.Errorf("The reference answers of the item “%s” of the project %s were changed. Problems found: %d.",
		p.Item, p.Project, p.Count)
}
