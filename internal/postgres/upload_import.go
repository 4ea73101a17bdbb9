package postgres

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// maxPreviewItems is how many items a preview has.
const maxPreviewItems = 10

// The items that are stored, or compared with those of the project, at once.
const (
	itemBatchCount = 1000
	itemBatchSize  = 4 << 20 // bytes, about
)

// An UploadPreview is what importing an upload would store in one project.
type UploadPreview struct {
	Project         project.Project
	FileName        string
	ItemCount       int
	Items           []project.Item // the first ones
	MetadataColumns []string
	PersonalData    []project.PersonalDataMatch
	LeftOut         map[string]int // records that the preset leaves out, by what they are
	Refusal         error          // why it cannot be imported: ErrAlreadyImported, DuplicateIDsError or nil
}

// PreviewUpload returns the preview of an upload of that account in the project, and then in
// each further project that it fills. It returns importer.FileErrors if the file cannot be read
// the way that ReadUpload stored.
func (db *DB) PreviewUpload(ctx context.Context, actor account.Account, p project.Project, token string) ([]UploadPreview, error) {
	u, err := loadUpload(ctx, db.pool, actor.ID, p.ID, token, "")
	if err != nil {
		return nil, err
	}
	targets, err := db.uploadTargets(ctx, db.pool, actor, p, u)
	if err != nil {
		return nil, err
	}
	if err := acquireScanSlot(ctx); err != nil {
		return nil, err
	}
	defer releaseScanSlot()
	previews := make([]UploadPreview, len(targets))
	for i, t := range targets {
		if previews[i], err = db.previewUpload(ctx, t.project, t.upload); err != nil {
			return nil, err
		}
	}
	return previews, nil
}

func (db *DB) previewUpload(ctx context.Context, p project.Project, u upload) (UploadPreview, error) {
	preview, columns := UploadPreview{Project: p, FileName: u.FileName, ItemCount: u.ItemCount}, map[string]bool{}
	var personalData project.PersonalDataCounter
	duplicates := itemBatcher{handle: func(items []project.Item) error { return checkDuplicateIDs(ctx, db.pool, p.ID, u.FileName, items) }}
	leftOut, err := scanUpload(ctx, db.pool, p, u, func(item project.Item) error {
		if len(preview.Items) < maxPreviewItems {
			preview.Items = append(preview.Items, item)
		}
		for column := range item.Meta {
			columns[column] = true
		}
		personalData.Add(item)
		return duplicates.add(project.Item{SourceID: item.SourceID, Row: item.Row})
	})
	if err == nil {
		err = duplicates.flush()
	}
	if err == nil {
		preview.Refusal, err = duplicates.refusal(checkImported(ctx, db.pool, p.ID, u.file()))
	}
	preview.LeftOut = leftOut
	preview.MetadataColumns, preview.PersonalData = slices.Sorted(maps.Keys(columns)), personalData.Matches()
	return preview, err
}

// ImportUpload stores all items of an upload in all its projects, or none, and deletes the
// upload.
func (db *DB) ImportUpload(ctx context.Context, actor account.Account, p project.Project, token string) error {
	if err := acquireScanSlot(ctx); err != nil { // before a connection
		return err
	}
	defer releaseScanSlot()
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
		for _, t := range targets {
			if err := requireLead(ctx, tx, actor.ID, t.project.ID); err != nil {
				return err
			}
			if err := importUpload(ctx, tx, actor.ID, t.project, t.upload); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `DELETE FROM uploads WHERE token = $1`, u.Token)
		return err
	})
}

var errUploadUnread = fault.Conflict.Errorf("This file has errors, or is being read in another way. Open its preview again.")

func importUpload(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, u upload) error {
	if u.ItemCount == 0 {
		return errUploadUnread
	}
	id, err := insertImport(ctx, tx, actorID, p, u.file(), u.ItemCount)
	if err != nil {
		return err
	}
	writer := newItemWriter(p, id)
	batches := itemBatcher{handle: func(items []project.Item) error {
		if err := checkDuplicateIDs(ctx, tx, p.ID, u.FileName, items); err != nil {
			return err
		}
		return writer.write(ctx, tx, items)
	}}
	if _, err := scanUpload(ctx, tx, p, u, batches.add); err != nil {
		return err
	}
	if err := batches.flush(); err != nil {
		return err
	}
	if refusal, err := batches.refusal(nil); refusal != nil || err != nil {
		return errors.Join(refusal, err)
	}
	if err := writer.dictionary.store(ctx, tx); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE projects SET import_preset = $2, import_mapping = $3 WHERE id = $1 AND (import_preset, import_mapping) <> ($2, $3)`, p.ID, u.Preset, u.Mapping)
	if err != nil {
		return err
	}
	return recordImport(ctx, tx, actorID, p, u.file(), u.ItemCount)
}

// An itemBatcher passes items to handle in batches of limited size. It goes on after
// duplicate ids, to name them all.
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
	err := b.handle(b.items)
	if found, ok := errors.AsType[DuplicateIDsError](err); ok {
		b.duplicates.File = found.File
		for _, item := range found.Items {
			b.duplicates.Items = append(b.duplicates.Items, project.Item{SourceID: item.SourceID, Row: item.Row})
		}
		err = nil
	}
	clear(b.items)
	b.items, b.size = b.items[:0], 0
	return err
}

// refusal distinguishes the reasons why a file cannot be imported from other errors:
// it was imported before, as err says, or has duplicate ids.
func (b *itemBatcher) refusal(err error) (refusal, other error) {
	switch {
	case errors.Is(err, ErrAlreadyImported):
		return err, nil
	case err != nil:
		return nil, err
	case len(b.duplicates.Items) > 0:
		return b.duplicates, nil
	}
	return nil, nil
}
