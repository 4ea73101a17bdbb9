package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// LastImportReading returns how the last imported file of a project was read.
func (db *DB) LastImportReading(ctx context.Context, p project.Project) (r importer.Reading, err error) {
	err = db.pool.QueryRow(ctx, `SELECT import_reading FROM projects WHERE id = $1`, p.ID).Scan(&r)
	return r, notFound(err)
}

// ReadUpload stores how an upload of the actor is read, and validates its rows that way for
// the project and each further one that the upload fills. With importer.FileErrors it can be
// read in another way, but not be imported. Without targets, the further projects stay.
func (db *DB) ReadUpload(ctx context.Context, actor account.Account, p project.Project, token string,
	o importer.Options, targets []project.Project) error {
	return db.readUploadFor(ctx, actor, p, token, o, targets, nil)
}

func (db *DB) readUploadFor(ctx context.Context, actor account.Account, p project.Project, token string,
	o importer.Options, targets []project.Project, onProgress progressFunc) error {
	if len(targets) == 0 {
		u, err := loadUpload(ctx, db.pool, actor.ID, p.ID, token, "")
		if err != nil {
			return err
		}
		stored, err := db.uploadTargets(ctx, db.pool, actor, p, u)
		if err != nil {
			return err
		}
		for _, t := range stored[1:] {
			targets = append(targets, t.project)
		}
	}
	return db.readUpload(ctx, actor.ID, p, token, o, targets, onProgress)
}

func (db *DB) readUpload(ctx context.Context, actorID account.ID, p project.Project, token string, o importer.Options,
	targets []project.Project, onProgress progressFunc) error {
	if err := checkUploadTargets(targets); err != nil {
		return err
	}
	if err := db.storeReading(ctx, actorID, p, token, o, targets); err != nil {
		return err
	}
	u, err := loadUpload(ctx, db.pool, actorID, p.ID, token, "")
	if err != nil {
		return err
	}
	turn, err := uploadTurns.openTurn(ctx, actorID, u.SizeBytes)
	if err != nil {
		return err
	}
	defer turn.close()
	onRead := onProgress.count(u, len(targets)+1)
	for _, t := range targets {
		preview, err := db.scanPreview(ctx, t, u, turn, onRead)
		if err != nil {
			return db.storeFileErrors(ctx, token, err)
		}
		if _, err := db.pool.Exec(ctx, `UPDATE upload_targets SET item_count = $3, preview = $4 WHERE token = $1
			AND project_id = $2`, token, t.ID, preview.ItemCount, preview); err != nil {
			return err
		}
	}
	preview, err := db.scanPreview(ctx, p, u, turn, onRead)
	if err != nil {
		return db.storeFileErrors(ctx, token, err)
	}
	_, err = db.pool.Exec(ctx, `UPDATE uploads SET item_count = $2, preview = $3
		WHERE token = $1`, token, preview.ItemCount, preview)
	return err
}

// storeFileErrors stores and returns the errors of a file, so that a page can show them.
func (db *DB) storeFileErrors(ctx context.Context, token string, err error) error {
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		_, storeErr := db.pool.Exec(ctx, `UPDATE uploads SET file_errors = $2 WHERE token = $1`, token, fileErrors)
		return errors.Join(err, storeErr)
	}
	return err
}

// A progressFunc takes how many bytes of a file were read, in all of its readings. It may be nil.
type progressFunc func(done, total int64)

// count returns a function that adds up what is read of an upload.
func (f progressFunc) count(u upload, readings int) func(n int) {
	if f == nil {
		return nil
	}
	var done int64
	return func(n int) {
		done += int64(n)
		f(done, u.SizeBytes*int64(readings))
	}
}

// storeReading stores how an upload is read and what it fills. The counts of items are
// unknown from here on.
func (db *DB) storeReading(ctx context.Context, actorID account.ID, p project.Project, token string, o importer.Options,
	targets []project.Project) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := loadUpload(ctx, tx, actorID, p.ID, token, "FOR UPDATE"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE uploads SET reading = $2, item_count = NULL, preview = NULL,
			file_errors = NULL WHERE token = $1`, token, o.Reading()); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM upload_targets WHERE token = $1`, token); err != nil {
			return err
		}
		for _, t := range targets {
			if _, err := tx.Exec(ctx, `INSERT INTO upload_targets (token, project_id) VALUES ($1, $2)
				ON CONFLICT DO NOTHING`, token, t.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// scanUpload passes the items of an upload to yield, read as o says. It holds lock while it uses q;
// nil: q is a pool.
func scanUpload(ctx context.Context, q querier, lock sync.Locker, p project.Project, u upload, o importer.Options,
	turn *readingTurn, onRead func(int), yield func(project.Item) error) error {
	o.MaxItems = maxUploadItems
	r := &uploadSource{ctx: ctx, q: q, lock: lock, upload: u, chunks: map[int][]byte{}, turn: turn, onRead: onRead}
	err := o.ScanItems(ctx, p.Protocol, u.FileName, r, func(item project.Item) error {
		if err := turn.pause(ctx); err != nil {
			return err
		}
		return yield(item)
	})
	if r.err != nil {
		err = r.err
	}
	return err
}

// An UploadReading is how an upload is read, and what can be mapped.
type UploadReading struct {
	importer.Reading
	FileName string
	Targets  []project.Project // that the upload fills, its own first
	importer.Outline
}

// UploadReading returns how an upload of that account is read.
func (db *DB) UploadReading(ctx context.Context, actor account.Account, p project.Project,
	token string) (UploadReading, error) {
	u, err := loadUpload(ctx, db.pool, actor.ID, p.ID, token, "")
	if err != nil {
		return UploadReading{}, err
	}
	stored, err := db.uploadTargets(ctx, db.pool, actor, p, u)
	if err != nil {
		return UploadReading{}, err
	}
	reading := UploadReading{Reading: u.Reading, FileName: u.FileName}
	for _, t := range stored {
		reading.Targets = append(reading.Targets, t.project)
	}
	turn, err := uploadTurns.openTurn(ctx, actor.ID, 0) // only its first record is read
	if err != nil {
		return reading, err
	}
	defer turn.close()
	o, err := u.Reading.Options()
	if err != nil {
		return reading, err
	}
	r := &uploadSource{ctx: ctx, q: db.pool, upload: u, chunks: map[int][]byte{}}
	reading.Outline = o.Outline(ctx, p.Protocol, u.FileName, r)
	return reading, r.err
}
