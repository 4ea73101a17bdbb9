package postgres

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// An ImportSource is a file of items that is read once for each project.
type ImportSource struct {
	File
	Content    io.ReaderAt
	Size       int64
	OnProgress func(done, total int) // bytes read, of those of all readings; may be nil
}

// A ProjectImport is how a file is read for one project, and what is remarkable about its items.
type ProjectImport struct {
	Project project.Project
	Options importer.Options

	SameTexts  int // items with the texts of an item that the project had, under another id
	Decomposed int // items with letters that are written as several characters
}

// note counts what is remarkable about an item.
func (i *ProjectImport) note(m textMatcher, item project.Item) {
	i.SameTexts += m.count(item)
	if isDecomposed(item) {
		i.Decomposed++
	}
}

// ImportFile stores the items of a file in several projects while it reads them: all of them,
// or none. It returns the number of items of each. Items of one record have the same record id
// in each. It counts in imports what is remarkable. The error is importer.FileErrors if the file has errors.
func (db *DB) ImportFile(ctx context.Context, actorID account.ID, source ImportSource, imports []ProjectImport) (
	counts []int, err error) {
	counts = make([]int, len(imports))
	order := make([]int, len(imports)) // by project, so that imports wait for each other in turn
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(imports[a].Project.ID - imports[b].Project.ID) })
	progress := &readProgress{source: source, total: int(source.Size) * len(imports)}
	matchers := make([]textMatcher, len(imports))
	for i := range imports {
		if matchers[i], err = db.newTextMatcher(ctx, imports[i].Project); err != nil {
			return nil, err
		}
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		for _, i := range order {
			p := imports[i].Project
			imports[i].SameTexts, imports[i].Decomposed = 0, 0
			if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
				return err
			}
			content := io.NewSectionReader(progress, 0, source.Size)
			if counts[i], err = importScanned(ctx, tx, actorID, p, source.File, imports[i].Options,
				func(o importer.Options, _ sync.Locker, yield func(project.Item) error) error {
					return o.ScanItems(ctx, p.Protocol, source.Name, content, func(item project.Item) error {
						imports[i].note(matchers[i], item)
						return yield(item)
					})
				}); err != nil {
				return explainProject(err, p, len(imports))
			}
		}
		return nil
	})
	return counts, err
}

// readProgress reports how much of a source was read.
type readProgress struct {
	source      ImportSource
	done, total int
}

// ReadAt reads from the source.
func (r *readProgress) ReadAt(buffer []byte, offset int64) (int, error) {
	n, err := r.source.Content.ReadAt(buffer, offset)
	if r.done += n; r.source.OnProgress != nil {
		r.source.OnProgress(min(r.done, r.total), r.total)
	}
	return n, err
}

// explainProject says which of several projects refuses a file.
func explainProject(err error, p project.Project, count int) error {
	_, isFileError := errors.AsType[importer.FileErrors](err)
	switch {
	case count == 1 || isFileError:
		return err
	case errors.Is(err, ErrAlreadyImported):
		return fault.Conflict.Errorf("This file is already imported into the project “%s”. Nothing was imported. Choose only the other projects.", p.Key)
	case errors.Is(err, fault.Conflict):
		return fault.Conflict.Errorf("Project “%s”: %s", p.Key, err)
	}
	return err
}
