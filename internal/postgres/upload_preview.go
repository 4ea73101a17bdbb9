package postgres

import (
	"context"
	"encoding/json"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// maxPreviewItems is how many items a preview has.
const maxPreviewItems = 10

// An UploadPreview is what importing an upload would store in one project.
type UploadPreview struct {
	Project      project.Project `json:"-"`
	FileName     string          `json:"-"`
	ItemCount    int
	Items        []project.Item // the first ones
	Ledger       importer.Ledger
	InvalidRows  importer.FileErrors // errors of the first rows that are left out
	SameTexts    int                 // items with the texts of an item that the project has, under another id
	Decomposed   int                 // items with letters that are written as several characters
	PersonalData []project.PersonalDataMatch
	Duplicates   DuplicateIDsError // when the file was read; Count 0: none
	Refusal      error             `json:"-"` // why it cannot be imported: ErrAlreadyImported, DuplicateIDsError or nil
}

func (db *DB) scanPreview(ctx context.Context, p project.Project, u upload, turn *readingTurn,
	onRead func(int)) (preview UploadPreview, err error) {
	hasItems, err := hasItems(ctx, db.pool, p.ID)
	if err != nil {
		return preview, err
	}
	o, err := u.Reading.Options()
	if err != nil {
		return preview, err
	}
	preview.Ledger = *importer.NewLedger()
	o.Ledger = &preview.Ledger
	o.OnInvalid = func(row importer.InvalidRow) {
		if len(preview.InvalidRows) < importer.ErrorLimit {
			preview.InvalidRows = append(preview.InvalidRows, row.Errors...)
		}
	}
	sameTexts, err := db.newTextMatcher(ctx, p)
	if err != nil {
		return preview, err
	}
	var personalData project.PersonalDataCounter
	duplicates := itemBatcher{handle: func(items []project.Item) error {
		return checkDuplicateIDs(ctx, db.pool, p.ID, u.FileName, items)
	}}
	err = scanUpload(ctx, db.pool, nil, p, u, o, turn, onRead, func(item project.Item) error {
		if preview.ItemCount++; len(preview.Items) < maxPreviewItems {
			preview.Items = append(preview.Items, item)
		}
		if personalData.Add(item); isDecomposed(item) {
			preview.Decomposed++
		}
		if !hasItems {
			return nil
		}
		preview.SameTexts += sameTexts.count(item)
		return duplicates.add(project.Item{SourceID: item.SourceID, Row: item.Row})
	})
	if err == nil && hasItems {
		err = duplicates.flush()
	}
	preview.PersonalData, preview.Duplicates = personalData.Matches(), duplicates.duplicates
	return preview, err
}

// PreviewUpload returns the preview of an upload of that account in the project, and then in
// each further project that it fills, as ReadUpload read it. It returns importer.FileErrors if
// the file cannot be read that way.
func (db *DB) PreviewUpload(ctx context.Context, actor account.Account, p project.Project,
	token string) ([]UploadPreview, error) {
	u, err := loadUpload(ctx, db.pool, actor.ID, p.ID, token, "")
	if err != nil {
		return nil, err
	}
	targets, err := db.uploadTargets(ctx, db.pool, actor, p, u)
	if err != nil {
		return nil, err
	}
	if err := db.checkRead(ctx, token); err != nil {
		return nil, err
	}
	previews := make([]UploadPreview, len(targets))
	for i, t := range targets {
		if previews[i], err = db.storedPreview(ctx, t.project, u); err != nil {
			return nil, err
		}
	}
	return previews, nil
}

// checkRead returns the errors of the last reading, or errUploadUnread if it did not end.
func (db *DB) checkRead(ctx context.Context, token string) error {
	var fileErrors json.RawMessage
	var isRead bool
	err := db.pool.QueryRow(ctx, `SELECT file_errors, preview IS NOT NULL FROM uploads
		WHERE token = $1`, token).Scan(&fileErrors, &isRead)
	switch {
	case err != nil:
		return notFound(err)
	case fileErrors != nil:
		var found importer.FileErrors
		if err := json.Unmarshal(fileErrors, &found); err != nil {
			return err
		}
		return found
	case !isRead:
		return ErrUploadUnread
	}
	return nil
}

func (db *DB) storedPreview(ctx context.Context, p project.Project, u upload) (preview UploadPreview, err error) {
	var stored json.RawMessage
	err = db.pool.QueryRow(ctx, `
		SELECT coalesce((SELECT t.preview FROM upload_targets t WHERE t.token = $1
		AND t.project_id = $2), (SELECT u.preview FROM uploads u WHERE u.token = $1))`,
		u.Token, p.ID).Scan(&stored)
	if err == nil {
		err = json.Unmarshal(stored, &preview)
	}
	if err != nil {
		return preview, notFound(err)
	}
	preview.Project, preview.FileName = p, u.FileName
	if preview.Duplicates.Count > 0 {
		preview.Refusal = preview.Duplicates
	}
	if isImported, err := isImported(ctx, db.pool, p.ID, u.file()); err != nil {
		return preview, err
	} else if isImported {
		preview.Refusal = ErrAlreadyImported
	}
	return preview, nil
}
