package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A ProjectImport is what one file has for one project.
type ProjectImport struct {
	Project project.Project
	Items   []project.Item
}

// ImportSeveral stores the items of a file in several projects: all of them, or none. Items of
// one record have the same record id in each.
func (db *DB) ImportSeveral(ctx context.Context, actorID account.ID, file File, imports []ProjectImport) error {
	imports = slices.SortedFunc(slices.Values(imports), func(a, b ProjectImport) int { return cmp.Compare(a.Project.ID, b.Project.ID) })
	return db.inTx(ctx, func(tx pgx.Tx) error {
		for _, i := range imports {
			if err := importItems(ctx, tx, actorID, i.Project, file, i.Items); err != nil {
				return explainProject(err, i.Project, len(imports))
			}
		}
		return nil
	})
}

// explainProject says which of several projects refuses a file.
func explainProject(err error, p project.Project, count int) error {
	switch {
	case count == 1:
		return err
	case errors.Is(err, ErrAlreadyImported):
		return fault.Conflict.Errorf("This file is already imported into the project “%s”. Nothing was imported. Choose only the other projects.", p.Key)
	case errors.Is(err, fault.Conflict):
		return fault.Conflict.Errorf("Project “%s”: %s", p.Key, err)
	}
	return err
}
