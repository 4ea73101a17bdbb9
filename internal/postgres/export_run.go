package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/webhook"
)

// exportChunkSize is the number of bytes of a stored export that are in memory at once.
const exportChunkSize = 512 << 10

// exportArgs are those of the job that writes a stored export.
type exportArgs struct {
	ExportID ExportID `json:"export_id"`
	Language string   `json:"language"` // of the reason if it fails
}

// Kind names the kind of job.
func (exportArgs) Kind() string { return "write_export" }

// InsertOpts has the job run again if its server stops.
func (exportArgs) InsertOpts() river.InsertOpts { return taskOptions(exportQueue) }

// runExport writes the zip file of a stored export, from its start. It stops when the export is cancelled or deleted.
func (w Work) runExport(ctx context.Context, db *DB, job *river.Job[exportArgs]) error {
	t := task{id: int64(job.Args.ExportID), language: job.Args.Language,
		progress: `UPDATE exports SET done_count = $2, total_count = $3 WHERE id = $1 AND finished_at IS NULL`,
		fail: `
			WITH failed AS (UPDATE exports SET problem = $2, finished_at = now(), size_bytes = 0 WHERE id = $1
			AND finished_at IS NULL RETURNING id)
			DELETE FROM export_chunks WHERE export_id IN (SELECT id FROM failed)`}
	return w.runTask(ctx, db, job.JobRow, t, func(ctx context.Context, onProgress progressFunc) error {
		return db.writeStoredExport(ctx, job.Args.ExportID, job.Attempt, onProgress)
	})
}

// takeExport deletes what an earlier attempt wrote of an export. From here on, only this attempt can write it. It
// returns errTaskEnded if there is nothing to write.
func (db *DB) takeExport(ctx context.Context, id ExportID, attemptNo int) (actorID account.ID, p project.Project,
	options ExportOptions, err error) {
	var projectID project.ID
	var versionID protocol.VersionID
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			UPDATE exports SET attempt_no = $2, size_bytes = 0
			WHERE id = $1 AND finished_at IS NULL AND attempt_no < $2
			RETURNING project_id, account_id, options, protocol_version_id`, id, attemptNo).Scan(&projectID, &actorID,
			&options, &versionID)
		if errors.Is(err, pgx.ErrNoRows) {
			return errTaskEnded
		}
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM export_chunks WHERE export_id = $1`, id)
		}
		return err
	})
	if err == nil {
		p, err = db.projectInVersion(ctx, projectID, versionID)
	}
	return actorID, p, options, err
}

func (db *DB) writeStoredExport(ctx context.Context, id ExportID, attemptNo int, onProgress progressFunc) error {
	actorID, p, options, err := db.takeExport(ctx, id, attemptNo)
	if err != nil {
		return err
	}
	if err := requireExportRights(ctx, db.pool, actorID, p); err != nil { // it may have waited
		return err
	}
	options.OnProgress = func(done, total int) { onProgress(int64(done), int64(total)) }
	chunks := &exportChunks{ctx: ctx, db: db, id: id, attemptNo: attemptNo, hash: sha256.New(),
		chunk: make([]byte, 0, exportChunkSize)}
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
			WHERE id = $1 AND finished_at IS NULL AND attempt_no = $4`, id, chunks.hash.Sum(nil),
			describeFailedChecks(m), attemptNo)
		if err == nil && tag.RowsAffected() == 0 {
			err = errTaskEnded
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

// exportChunks is an io.Writer that stores a file in chunks of one size. It uses a connection
// only while it stores one.
type exportChunks struct {
	ctx       context.Context
	db        *DB
	id        ExportID
	attemptNo int
	hash      hash.Hash
	chunk     []byte // not stored yet
	chunkNo   int
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

// flush stores the current chunk. It returns an error if the export was cancelled, deleted or taken over, or
// if the exports of the project take too much space.
func (c *exportChunks) flush() error {
	if len(c.chunk) == 0 {
		return nil
	}
	c.hash.Write(c.chunk)
	var stored int64
	err := c.db.pool.QueryRow(c.ctx, `
		WITH grown AS (UPDATE exports SET size_bytes = size_bytes + octet_length($3::bytea) WHERE id = $1
		AND finished_at IS NULL AND attempt_no = $4 RETURNING project_id),
		     stored AS (INSERT INTO export_chunks (export_id, chunk_no, content) SELECT $1, $2, $3 FROM grown)
		SELECT sum(x.size_bytes)::bigint FROM exports x WHERE x.project_id = (SELECT project_id FROM grown)
		HAVING count(*) > 0`,
		c.id, c.chunkNo, c.chunk, c.attemptNo).Scan(&stored)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errTaskEnded
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
	payload := map[string]any{"project": p.CurrentKey(), "layout": options.Layout,
		"format": options.Format, "files": fileCount}
	if id != 0 {
		payload["export"] = id
	}
	return queueEvents(ctx, tx, event{p.ID, webhook.ExportReady, fmt.Sprintf("project %d", p.ID), payload})
}
