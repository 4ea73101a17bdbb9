package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// UploadTTL is how long an upload is stored before its import is confirmed.
const UploadTTL = 24 * time.Hour

// chunkSize is the number of bytes of an upload that are in memory at once.
const chunkSize = 256 << 10

// An upload is a stored file of items that a lead has not imported yet.
type upload struct {
	Token      string
	FileName   string
	Sha256     []byte
	ChunkCount int
	SizeBytes  int64
	ItemCount  int // 0: not known, because reading the file found errors
	Reading    importer.Reading
}

func (u upload) file() File { return File{u.FileName, [32]byte(u.Sha256)} }

// StageUpload stores a file while it arrives and validates its rows. It returns the token of
// the upload, or importer.FileErrors. The upload replaces an earlier one of the same
// account in the project.
func (db *DB) StageUpload(ctx context.Context, actorID account.ID, p project.Project, name string,
	content io.Reader) (token string, err error) {
	token, err = db.ReceiveUpload(ctx, actorID, p, name, content)
	if err == nil {
		err = db.readUpload(ctx, actorID, p, token, importer.Options{}, nil, nil)
	}
	if err != nil && token != "" {
		return "", errors.Join(err, db.DeleteUpload(ctx, actorID, token))
	}
	return token, err
}

// ReceiveUpload stores a file while it arrives and returns the token of the upload, which
// replaces an earlier one of the same account in the project. ReadUpload says how to read it.
func (db *DB) ReceiveUpload(ctx context.Context, actorID account.ID, p project.Project, name string,
	content io.Reader) (token string, err error) {
	u := upload{Token: account.NewToken(), FileName: name}
	if _, err := db.pool.Exec(ctx, `INSERT INTO uploads (token, project_id, account_id, file_name)
		VALUES ($1, $2, $3, $4)`,
		u.Token, p.ID, actorID, name); err != nil {
		return "", explainArchived(err)
	}
	if err = db.receive(ctx, &u, content); err == nil {
		err = db.inTx(ctx, func(tx pgx.Tx) error { return completeUpload(ctx, tx, actorID, p.ID, u) })
	}
	if err != nil {
		return "", errors.Join(err, db.DeleteUpload(ctx, actorID, u.Token))
	}
	return u.Token, nil
}

// receive stores content in chunks.
func (db *DB) receive(ctx context.Context, u *upload, content io.Reader) error {
	hash, chunk := sha256.New(), make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(content, chunk)
		isLast := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !isLast {
			return err
		}
		hash.Write(chunk[:n])
		u.SizeBytes += int64(n)
		if _, err := db.pool.Exec(ctx, `INSERT INTO upload_chunks (token, chunk_no, content)
			VALUES ($1, $2, $3)`, u.Token, u.ChunkCount, chunk[:n]); err != nil {
			return err
		}
		if u.ChunkCount++; isLast {
			u.Sha256 = hash.Sum(nil)
			return nil
		}
	}
}

// UploadSize returns the size of an upload of that account, in bytes.
func (db *DB) UploadSize(ctx context.Context, actorID account.ID, p project.Project, token string) (int64, error) {
	u, err := loadUpload(ctx, db.pool, actorID, p.ID, token, "")
	return u.SizeBytes, err
}

// DeleteUpload deletes an upload of that account, also when the client is gone.
func (db *DB) DeleteUpload(ctx context.Context, actorID account.ID, token string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, err := db.pool.Exec(ctx, `DELETE FROM uploads WHERE token = $1 AND account_id = $2`, token, actorID)
	return err
}

// completeUpload makes an upload the only one of its account in the project. The lock
// lets two uploads that end at the same time do so in turn. One that is being imported stays.
func completeUpload(ctx context.Context, tx pgx.Tx, actorID account.ID, projectID project.ID, u upload) error {
	if _, err := tx.Exec(ctx, `SELECT FROM uploads WHERE project_id = $1 AND account_id = $2
		ORDER BY token FOR UPDATE`, projectID, actorID); err != nil {
		return explainImportRuns(err)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM uploads WHERE project_id = $1 AND account_id = $2
		AND sha256 IS NOT NULL`, projectID, actorID); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE uploads SET sha256 = $2, chunk_count = $3, size_bytes = $4, received_bytes = $4
		WHERE token = $1`, u.Token, u.Sha256, u.ChunkCount, u.SizeBytes)
	return err
}

// explainImportRuns says why an upload could not be replaced.
func explainImportRuns(err error) error {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == lockNotAvailable {
		return fault.Conflict.Errorf("The last file that you uploaded here is being imported. Upload this one again when that is done.")
	}
	return err
}

// lockNotAvailable is the code of an error after lock_timeout.
const lockNotAvailable = "55P03"

const selectUpload = `
	SELECT token, file_name, sha256, chunk_count, size_bytes, coalesce(item_count, 0) AS item_count, reading
	FROM uploads
	WHERE token = $1 AND project_id = $2 AND account_id = $3 AND sha256 IS NOT NULL
	AND created_at > now() - $4::interval `

// loadUpload returns the upload with that token, only to the account that uploaded it
// and only in its project.
func loadUpload(ctx context.Context, q querier, actorID account.ID, projectID project.ID, token,
	lock string) (upload, error) {
	u, err := collectOne[upload](q.Query(ctx, selectUpload+lock, token, projectID, actorID, UploadTTL))
	if errors.Is(err, fault.NotFound) {
		err = errUploadGone
	}
	return u, err
}

var errUploadGone = fault.NotFound.Errorf(
	"This upload no longer exists. If its items are not in the project, upload the file again.")
