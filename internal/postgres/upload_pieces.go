package postgres

import (
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// The limits of uploads that arrive in pieces. They are in the database, so that every server
// can take the next piece, and none needs a disk. The pieces are few and each is one request, so
// that this is less code than a server and a script for the protocol tus, which keep the state of
// an upload in a store of their own.
const (
	MaxUploadSize   = 4 << 30           // bytes of a file
	UploadPieceSize = 2 << 20           // bytes of a piece: whole chunks, but for the last one
	maxAccountBytes = 2 * MaxUploadSize // of all uploads of an account
)

// An UploadFile identifies the file of an interrupted upload.
type UploadFile struct {
	Name  string
	Size  int64
	Start [32]byte // a hash of the first bytes
}

func (f UploadFile) check() error {
	switch {
	case f.Size <= 0:
		return fault.Invalid.Errorf("The file is empty. Use a file with at least one row.")
	case f.Size > MaxUploadSize:
		return fault.TooLarge.Errorf("The file is larger than %d GiB. Import it with the command “labelwright import”, which takes any size, or split it.", MaxUploadSize>>30)
	}
	return nil
}

// StartUpload returns the token of an upload in pieces, and how many of its bytes are received:
// more than none if the same file was interrupted. The upload replaces an unfinished one of the
// account in the project.
func (db *DB) StartUpload(ctx context.Context, actorID account.ID, p project.Project, f UploadFile) (token string,
	received int64, err error) {
	if err := f.check(); err != nil {
		return "", 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('uploads'),
			hashint8($1))`, actorID); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `
			SELECT token, received_bytes FROM uploads
			WHERE project_id = $1 AND account_id = $2 AND file_name = $3 AND size_bytes = $4 AND start_sha256 = $5
			  AND created_at > now() - $6::interval
			ORDER BY received_bytes DESC
			LIMIT 1`, p.ID, actorID, f.Name, f.Size, f.Start[:], UploadTTL).Scan(&token, &received)
		if errors.Is(err, pgx.ErrNoRows) {
			token, err = insertUpload(ctx, tx, actorID, p, f)
		}
		return err
	})
	return token, received, err
}

func insertUpload(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, f UploadFile) (token string,
	err error) {
	_, err = tx.Exec(ctx, `DELETE FROM uploads WHERE project_id = $1 AND account_id = $2 AND sha256 IS NULL
		AND start_sha256 IS NOT NULL`, p.ID, actorID)
	if err != nil {
		return "", err
	}
	var used int64
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(size_bytes), 0)::bigint FROM uploads
		WHERE account_id = $1`, actorID).Scan(&used)
	if err != nil {
		return "", err
	}
	if used+f.Size > maxAccountBytes {
		return "", fault.Limited.Errorf(
			"Your uploads that are not imported yet take %d MiB of %d MiB. Import them, or wait until they are deleted after a day.", used>>20, maxAccountBytes>>20)
	}
	token = account.NewToken()
	_, err = tx.Exec(ctx, `
		INSERT INTO uploads (token, project_id, account_id, file_name, size_bytes, start_sha256)
		VALUES ($1, $2, $3, $4, $5, $6)`, token, p.ID, actorID, f.Name, f.Size, f.Start[:])
	return token, explainArchived(err)
}

// An UnfinishedUpload is an upload in pieces that was interrupted, or continues in another tab.
type UnfinishedUpload struct {
	FileName                 string
	SizeBytes, ReceivedBytes int64
}

// UnfinishedUpload returns the one of an account in a project, or nil.
func (db *DB) UnfinishedUpload(ctx context.Context, actorID account.ID, p project.Project) (*UnfinishedUpload, error) {
	found, err := collectAll[UnfinishedUpload](db.pool.Query(ctx, `
		SELECT file_name, size_bytes, received_bytes FROM uploads
		WHERE project_id = $1 AND account_id = $2 AND sha256 IS NULL AND start_sha256 IS NOT NULL AND received_bytes > 0
		AND created_at > now() - $3::interval
		LIMIT 1`, p.ID, actorID, UploadTTL))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// ErrWrongOffset reports a piece that does not follow the received ones: the upload continues
// elsewhere, or the response to the last piece was lost.
var ErrWrongOffset = fault.Conflict.Errorf("This piece does not follow the received ones.")

// AppendUpload stores the next piece of an upload and returns how many bytes are received, also
// with ErrWrongOffset. After the last piece the upload is complete.
func (db *DB) AppendUpload(ctx context.Context, actorID account.ID, p project.Project, token string, offset int64,
	piece []byte) (received int64, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		a := upload{Token: token}
		var state []byte
		err := tx.QueryRow(ctx, `
			SELECT size_bytes, received_bytes, hash_state FROM uploads
			WHERE token = $1 AND project_id = $2 AND account_id = $3 AND start_sha256 IS NOT NULL
			AND created_at > now() - $4::interval
			FOR UPDATE`, token, p.ID, actorID, UploadTTL).Scan(&a.SizeBytes, &received, &state)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errUploadGone
		case err != nil:
			return err
		case offset != received:
			return ErrWrongOffset
		case len(piece) == 0 || len(piece) > UploadPieceSize || int64(len(piece)) > a.SizeBytes-offset ||
			len(piece)%chunkSize != 0 && int64(len(piece)) < a.SizeBytes-offset:
			return fault.Invalid.Errorf("A piece has up to %d bytes, in whole parts of %d but for the last piece.",
				UploadPieceSize, chunkSize)
		}
		if state, a.Sha256, err = addToHash(state, piece); err != nil {
			return err
		}
		if err := insertPiece(ctx, tx, token, offset, piece); err != nil {
			return err
		}
		if received += int64(len(piece)); received < a.SizeBytes {
			_, err := tx.Exec(ctx, `UPDATE uploads SET received_bytes = $2, hash_state = $3
				WHERE token = $1`, token, received, state)
			return err
		}
		a.ChunkCount = int((a.SizeBytes + chunkSize - 1) / chunkSize)
		return completeUpload(ctx, tx, actorID, p.ID, a)
	})
	return received, err
}

func insertPiece(ctx context.Context, tx pgx.Tx, token string, offset int64, piece []byte) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO upload_chunks (token, chunk_no, content)
		SELECT $1, $2 + c.no::integer - 1, c.content FROM unnest($3::bytea[]) WITH ORDINALITY AS c (content, no)`,
		token, int(offset/chunkSize), slices.Collect(slices.Chunk(piece, chunkSize)))
	return err
}

// addToHash continues a SHA-256 from its state, nil at first. It returns the new state and the
// sum until now.
func addToHash(state, piece []byte) (newState, sum []byte, err error) {
	hash := sha256.New()
	if state != nil {
		if err := hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			return nil, nil, err
		}
	}
	hash.Write(piece)
	newState, err = hash.(encoding.BinaryMarshaler).MarshalBinary()
	return newState, hash.Sum(nil), err
}
