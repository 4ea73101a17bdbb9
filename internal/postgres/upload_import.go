package postgres

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// The items that are stored, or compared with those of the project, at once.
const (
	itemBatchCount = 1000
	itemBatchSize  = 4 << 20 // bytes, about
)

// ImportUpload stores all items of an upload in all its projects, or none, and deletes the
// upload.
func (db *DB) ImportUpload(ctx context.Context, actor account.Account, p project.Project, token string) error {
	return db.importUpload(ctx, actor, p, token, nil)
}

func (db *DB) importUpload(ctx context.Context, actor account.Account, p project.Project, token string,
	onProgress progressFunc) error {
	u, err := loadUpload(ctx, db.pool, actor.ID, p.ID, token, "")
	if err != nil {
		return err
	}
	turn, err := uploadTurns.openTurn(ctx, actor.ID, u.SizeBytes) // before a connection
	if err != nil {
		return err
	}
	defer turn.close()
	return db.inTx(ctx, func(tx pgx.Tx) error {
		u, err := loadUpload(ctx, tx, actor.ID, p.ID, token, "FOR UPDATE")
		if err != nil {
			return err
		}
		targets, err := db.uploadTargets(ctx, tx, actor, p, u)
		if err != nil {
			return err
		}
		slices.SortFunc(targets, func(a, b uploadTarget) int { return cmp.Compare(a.project.ID, b.project.ID) })
		onRead := onProgress.count(u, len(targets))
		for _, t := range targets {
			if err := requireLead(ctx, tx, actor.ID, t.project.ID); err != nil {
				return err
			}
			if err := importTarget(ctx, tx, actor.ID, t.project, t.upload, turn, onRead); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `
			WITH finished AS (UPDATE import_tasks SET finished_at = now() WHERE upload_token = $1 AND kind = 'import'
			AND finished_at IS NULL)
			DELETE FROM uploads WHERE token = $1`, u.Token)
		return err
	})
}

// ErrUploadUnread reports an upload whose rows were not read to the end.
var ErrUploadUnread = fault.Conflict.Errorf("This file has errors, or was not read to its end. Open its preview again.")

func importTarget(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, u upload, turn *readingTurn,
	onRead func(int)) error {
	if u.ItemCount == 0 {
		return ErrUploadUnread
	}
	o, err := u.Reading.Options()
	if err != nil {
		return err
	}
	_, err = importScanned(ctx, tx, actorID, p, u.file(), o, func(o importer.Options, connection sync.Locker,
		yield func(project.Item) error) error {
		return scanUpload(ctx, tx, connection, p, u, o, turn, onRead, yield)
	})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE projects SET import_reading = $2 WHERE id = $1
		AND import_reading <> $2`, p.ID, u.Reading)
	return err
}

// An itemBatcher passes items to handle in batches of limited size. It continues after
// duplicate ids, to count them all.
type itemBatcher struct {
	handle     func([]project.Item) error
	items      []project.Item
	size       int
	duplicates DuplicateIDsError
}

func (b *itemBatcher) add(item project.Item) error {
	b.items = append(b.items, item)
	b.size += item.Size()
	if len(b.items) < itemBatchCount && b.size < itemBatchSize {
		return nil
	}
	return b.flush()
}

// flush handles the items that were added since the last batch.
func (b *itemBatcher) flush() error {
	err := b.duplicates.collect(b.handle(b.items))
	clear(b.items)
	b.items, b.size = b.items[:0], 0
	return err
}
