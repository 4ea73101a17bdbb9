package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

// exportChunkSize is the number of bytes of a stored export that are in memory at once.
const exportChunkSize = 512 << 10

// newExportSlots bounds how many stored exports a process writes at once, so that annotators
// never wait for one. Each holds a connection for its snapshot and takes a second one for each
// chunk.
func newExportSlots(connections int32) chan struct{} {
	return make(chan struct{}, max(1, min(2, connections/4)))
}

var errExportEnded = fault.Conflict.Errorf("This export was cancelled.")

// RunExport writes the zip file of a stored export, and stores its progress every second. It
// stops when the export is cancelled or deleted.
func (db *DB) RunExport(ctx context.Context, id ExportID, actorID account.ID, p project.Project) error {
	var progress taskProgress
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	const update = `UPDATE exports SET done_count = $2, total_count = $3, active_at = now() WHERE id = $1
		AND finished_at IS NULL`
	go progress.store(ctx, db, update, int64(id), func() { stop(errExportEnded) })
	err := db.storeExport(ctx, id, actorID, p, progress.setter())
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

func (db *DB) storeExport(ctx context.Context, id ExportID, actorID account.ID, p project.Project,
	onProgress progressFunc) error {
	select {
	case db.exportSlots <- struct{}{}:
		defer func() { <-db.exportSlots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := requireExportRights(ctx, db.pool, actorID, p); err != nil { // it may have waited
		return err
	}
	var options ExportOptions
	if err := db.pool.QueryRow(ctx, `SELECT options FROM exports WHERE id = $1`, id).Scan(&options); err != nil {
		return notFound(err)
	}
	options.OnProgress = func(done, total int) { onProgress(int64(done), int64(total)) }
	chunks := &exportChunks{ctx: ctx, db: db, id: id, hash: sha256.New(), chunk: make([]byte, 0, exportChunkSize)}
	file := dataset.NewZipWriter(chunks)
	m, err := db.writeExport(ctx, p, options, file.AddFile)
	if err == nil {
		err = errors.Join(file.Close(), chunks.flush())
	}
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE exports SET sha256 = $2, failed_checks = $3, finished_at = now()
			WHERE id = $1 AND finished_at IS NULL`, id, chunks.hash.Sum(nil), describeFailedChecks(m))
		if err == nil && tag.RowsAffected() == 0 {
			err = errExportEnded
		}
		if err != nil {
			return err
		}
		return queueExportReady(ctx, tx, p, options, len(m.Files), id)
	})
}

func describeFailedChecks(m dataset.Manifest) []string {
	texts := []string{}
	for _, check := range m.FailedChecks() {
		texts = append(texts, check.Detail)
	}
	return texts
}

// FailExport stores why an export has no file.
func (db *DB) FailExport(ctx context.Context, id ExportID, problem string) error {
	_, err := db.pool.Exec(ctx, `
		WITH failed AS (UPDATE exports SET problem = $2, finished_at = now(), size_bytes = 0 WHERE id = $1
		AND finished_at IS NULL RETURNING id)
		DELETE FROM export_chunks WHERE export_id IN (SELECT id FROM failed)`, id, problem)
	return err
}

// exportChunks is an io.Writer that stores a file in chunks of one size. It uses a connection
// only while it stores one.
type exportChunks struct {
	ctx     context.Context
	db      *DB
	id      ExportID
	hash    hash.Hash
	chunk   []byte // not stored yet
	chunkNo int
}

// Write stores the chunks that b completes.
func (c *exportChunks) Write(b []byte) (n int, err error) {
	for rest := b; len(rest) > 0; {
		part := rest[:min(len(rest), exportChunkSize-len(c.chunk))]
		c.chunk, rest = append(c.chunk, part...), rest[len(part):]
		if len(c.chunk) == exportChunkSize {
			if err := c.flush(); err != nil {
				return n, err
			}
		}
		n += len(part)
	}
	return n, nil
}

// flush stores the current chunk. It returns an error if the export was cancelled or deleted, or
// if the exports of the project take too much space.
func (c *exportChunks) flush() error {
	if len(c.chunk) == 0 {
		return nil
	}
	c.hash.Write(c.chunk)
	var stored int64
	err := c.db.pool.QueryRow(c.ctx, `
		WITH grown AS (UPDATE exports SET size_bytes = size_bytes + octet_length($3::bytea) WHERE id = $1
		AND finished_at IS NULL RETURNING project_id),
		     stored AS (INSERT INTO export_chunks (export_id, chunk_no, content) SELECT $1, $2, $3 FROM grown)
		SELECT sum(x.size_bytes)::bigint FROM exports x WHERE x.project_id = (SELECT project_id FROM grown)
		HAVING count(*) > 0`,
		c.id, c.chunkNo, c.chunk).Scan(&stored)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errExportEnded
	case err != nil:
		return err
	case stored > maxExportBytes:
		return errExportsFull
	}
	c.chunkNo, c.chunk = c.chunkNo+1, c.chunk[:0]
	return nil
}

// queueExportReady adds the event that an export was completed. id is 0 for one that is not
// stored.
func queueExportReady(ctx context.Context, tx pgx.Tx, p project.Project, options ExportOptions, fileCount int,
	id ExportID) error {
	payload := map[string]any{"project": p.Key, "layout": options.Layout, "format": options.Format, "files": fileCount}
	if id != 0 {
		payload["export"] = id
	}
	return queueEvents(ctx, tx, event{p.ID, webhook.ExportReady, fmt.Sprintf("project %d", p.ID), payload})
}
