package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// An ExportFile reads the zip file of a stored export, from any place. It uses a connection only
// while it reads a chunk, so that slow readers hold none.
type ExportFile struct {
	StoredExport

	ctx     context.Context
	db      *DB
	offset  int64
	chunk   []byte
	chunkNo int64 // of chunk; -1: none
}

// OpenExport returns the file of a stored export, and records the download in the audit log. It
// returns labeling.ErrBlinded to an account that must not see some answers now, no matter who asked for
// the export.
func (db *DB) OpenExport(ctx context.Context, actorID account.ID, p project.Project, id ExportID) (*ExportFile, error) {
	if err := requireExportRights(ctx, db.pool, actorID, p); err != nil {
		return nil, err
	}
	x, err := db.StoredExport(ctx, actorID, p, id)
	switch {
	case errors.Is(err, fault.NotFound):
		return nil, errExportGone
	case err != nil:
		return nil, err
	case x.State != ExportReady:
		return nil, fault.Conflict.Errorf("This export has no file: it is %s.", x.State)
	}
	detail := map[string]any{"export": id, "sha256": fmt.Sprintf("%x", x.Sha256)}
	if err := recordAudit(ctx, db.pool, actorID, "project.download_export", projectSubject(p.Key), detail); err != nil {
		return nil, err
	}
	if err := db.recordReveal(ctx, actorID, p.ID, ""); err != nil {
		return nil, err
	}
	return &ExportFile{StoredExport: x, ctx: ctx, db: db, chunkNo: -1}, nil
}

// Read reads from where the last one ended.
func (f *ExportFile) Read(buffer []byte) (int, error) {
	if f.offset >= f.SizeBytes {
		return 0, io.EOF
	}
	if no := f.offset / exportChunkSize; no != f.chunkNo {
		chunk, err := collectValue[[]byte](f.db.pool.Query(f.ctx, `SELECT content FROM export_chunks WHERE export_id = $1
			AND chunk_no = $2`, f.ID, no))
		if errors.Is(err, fault.NotFound) { // deleted since
			err = errExportGone
		}
		if err != nil {
			return 0, err
		}
		f.chunk, f.chunkNo = chunk, no
	}
	n := copy(buffer, f.chunk[f.offset%exportChunkSize:])
	f.offset += int64(n)
	return n, nil
}

// Seek sets where the next Read starts.
func (f *ExportFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.SizeBytes
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of the file")
	}
	f.offset = offset
	return offset, nil
}
