package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// UploadTTL is how long an upload is stored before its import is confirmed.
const UploadTTL = 24 * time.Hour

// An Upload is a file of items that a lead has not imported yet.
type Upload struct {
	Token   string
	File    File
	Content []byte
}

// StageUpload stores a file until its import is confirmed, and returns its token. It
// replaces an earlier upload of the same account in the project.
func (db *DB) StageUpload(ctx context.Context, actorID account.ID, projectID project.ID, name string, content []byte) (token string, err error) {
	token = account.NewToken()
	sum := sha256.Sum256(content)
	_, err = db.pool.Exec(ctx, `
		INSERT INTO uploads (token, project_id, account_id, file_name, sha256, content)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (project_id, account_id) DO UPDATE
		SET token = excluded.token, file_name = excluded.file_name, sha256 = excluded.sha256, content = excluded.content, created_at = now()`,
		token, projectID, actorID, name, sum[:], content)
	return token, err
}

// Upload returns the upload with that token, only to the account that uploaded it and
// only in its project.
func (db *DB) Upload(ctx context.Context, actorID account.ID, projectID project.ID, token string) (Upload, error) {
	row, err := collectOne[struct {
		FileName string
		Sha256   []byte
		Content  []byte
	}](db.pool.Query(ctx, `
		SELECT file_name, sha256, content FROM uploads
		WHERE token = $1 AND project_id = $2 AND account_id = $3 AND created_at > now() - $4::interval`, token, projectID, actorID, UploadTTL))
	if errors.Is(err, fault.NotFound) {
		return Upload{}, fault.NotFound.Errorf("This upload no longer exists. If its items are not in the project, upload the file again.")
	}
	if err != nil {
		return Upload{}, err
	}
	return Upload{token, File{row.FileName, [32]byte(row.Sha256)}, row.Content}, nil
}

// DeleteUpload deletes an upload of that account.
func (db *DB) DeleteUpload(ctx context.Context, actorID account.ID, token string) error {
	_, err := db.pool.Exec(ctx, `DELETE FROM uploads WHERE token = $1 AND account_id = $2`, token, actorID)
	return err
}
