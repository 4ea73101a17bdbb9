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

// UploadTTL is how long a file waits for its items to be looked at.
const UploadTTL = 24 * time.Hour

// An Upload is a file of items that waits to be stored.
type Upload struct {
	Token   string
	File    File
	Content []byte
}

// StageUpload keeps a file until its items have been looked at, in place of
// any that the same account left waiting in the project. It returns the token
// under which the file is found again.
func (db *DB) StageUpload(ctx context.Context, actorID account.ID, projectID project.ID, name string, content []byte) (token string, err error) {
	token = account.NewToken()
	sum := sha256.Sum256(content)
	_, err = db.pool.Exec(ctx, `
		INSERT INTO uploads (token, project_id, account_id, file_name, sha256, content)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (project_id, account_id) DO UPDATE
		SET token = excluded.token, file_name = excluded.file_name, sha256 = excluded.sha256, content = excluded.content, at = now()`,
		token, projectID, actorID, name, sum[:], content)
	return token, err
}

// Upload returns the waiting file of that token, which only the account that
// brought it may see, and only in its project.
func (db *DB) Upload(ctx context.Context, actorID account.ID, projectID project.ID, token string) (Upload, error) {
	row, err := collectOne[struct {
		FileName string
		Sha256   []byte
		Content  []byte
	}](db.pool.Query(ctx, `
		SELECT file_name, sha256, content FROM uploads
		WHERE token = $1 AND project_id = $2 AND account_id = $3 AND at > now() - $4::interval`, token, projectID, actorID, UploadTTL))
	if errors.Is(err, fault.NotFound) {
		return Upload{}, fault.NotFound.Errorf("This file is not waiting here any more. Its items may be stored already; if they are not, hand it in again.")
	}
	if err != nil {
		return Upload{}, err
	}
	return Upload{token, File{row.FileName, [32]byte(row.Sha256)}, row.Content}, nil
}

// DeleteUpload forgets a waiting file.
func (db *DB) DeleteUpload(ctx context.Context, actorID account.ID, token string) error {
	_, err := db.pool.Exec(ctx, `DELETE FROM uploads WHERE token = $1 AND account_id = $2`, token, actorID)
	return err
}
