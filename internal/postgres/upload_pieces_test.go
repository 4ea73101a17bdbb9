package postgres

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
)

// An upload continues where it was interrupted, and has the same bytes as if it had not been.
func TestUploadPieces_Interrupted_Continues(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	p, lead, other := env.newProject("one", 0), env.admin, env.newUser("lead@example.org", account.Lead)
	content := []byte("query,answer\n" + strings.Repeat("Q?,"+strings.Repeat("a", 1000)+"\n", 4500))
	f := UploadFile{Name: "a.csv", Size: int64(len(content)), Start: sha256.Sum256(content[:100])}
	token, received, err := env.StartUpload(ctx, lead.ID, p, f)
	if err != nil || received != 0 {
		t.Fatal(received, err)
	}
	piece := func(offset int) []byte { return content[offset:min(offset+UploadPieceSize, len(content))] }
	if received, err = env.AppendUpload(ctx, lead.ID, p, token, 0, piece(0)); err != nil ||
		received != UploadPieceSize {
		t.Fatal(received, err)
	}
	received, err = env.AppendUpload(ctx, lead.ID, p, token, 0, piece(0)) // the response was lost
	if !errors.Is(err, ErrWrongOffset) || received != UploadPieceSize {
		t.Errorf("the same piece again: %d, %v", received, err)
	}
	_, err = env.AppendUpload(ctx, other.ID, p, token, received, piece(UploadPieceSize))
	checkErrorIs(t, "of another account", err, fault.NotFound)
	_, err = env.AppendUpload(ctx, lead.ID, p, token, received, piece(0)[:100])
	checkErrorIs(t, "a part of a chunk", err, fault.Invalid)
	checkErrorIs(t, "incomplete", env.ReadUpload(ctx, lead, p, token, importer.Options{}, nil), fault.NotFound)
	if u, err := env.UnfinishedUpload(ctx, lead.ID, p); err != nil || u == nil || u.FileName != "a.csv" ||
		u.ReceivedBytes != UploadPieceSize {
		t.Errorf("unfinished upload = %+v, %v", u, err)
	}

	again, received, err := env.StartUpload(ctx, lead.ID, p, f)
	if err != nil || again != token || received != UploadPieceSize {
		t.Fatalf("starts again with %d: %v", received, err)
	}
	for received < f.Size {
		if received, err = env.AppendUpload(ctx, lead.ID, p, token, received, piece(int(received))); err != nil {
			t.Fatal(err)
		}
	}
	if _, received, err = env.StartUpload(ctx, lead.ID, p, f); err != nil || received != f.Size {
		t.Errorf("a complete file starts with %d of %d: %v", received, f.Size, err)
	}
	if u, err := loadUpload(ctx, env.pool, lead.ID, p.ID, token, ""); err != nil ||
		u.file().SHA256 != sha256.Sum256(content) {
		t.Errorf("stored as %+v, %v", u, err)
	}
	if err := env.ReadUpload(ctx, lead, p, token, importer.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := env.ImportUpload(ctx, lead, p, token); err != nil {
		t.Fatal(err)
	}
	env.checkCount(4500, `items WHERE length(content -> 'answer' ->> 'text') = 1000`)
	env.checkCount(0, `upload_chunks`)
}

func TestUploadPieces_Limits(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	lead := env.admin
	_, _, err := env.StartUpload(ctx, lead.ID, p, UploadFile{Name: "a", Size: MaxUploadSize + 1})
	checkErrorIs(t, "too large", err, fault.TooLarge)
	_, _, err = env.StartUpload(ctx, lead.ID, p, UploadFile{Name: "a"})
	checkErrorIs(t, "empty", err, fault.Invalid)
	_, _, err = env.StartUpload(ctx, env.newUser("ann@example.org", account.Annotator).ID, p,
		UploadFile{Name: "a", Size: 1})
	checkErrorIs(t, "not a lead", err, fault.NotFound)
	for _, name := range []string{"a", "b"} { // the second replaces the first
		if _, _, err := env.StartUpload(ctx, lead.ID, p, UploadFile{Name: name, Size: MaxUploadSize}); err != nil {
			t.Fatal(err)
		}
	}
	env.checkCount(1, `uploads`)
	if _, _, err := env.StartUpload(ctx, lead.ID, other, UploadFile{Name: "c", Size: MaxUploadSize}); err != nil {
		t.Fatal(err)
	}
	_, _, err = env.StartUpload(ctx, lead.ID, env.newProject("three", 0), UploadFile{Name: "d", Size: 1})
	checkErrorIs(t, "more than an account may have", err, fault.Limited)
}

// A task that is running is not added again. One whose last attempt was lost is, and an imported upload is gone.
func TestStartImport_Lost_CanStartAgain(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	p := env.newProject("one", 0)
	token := env.stageUpload(env.admin, p, "a.csv", "query,answer\nQ?,A.\n")
	for range 2 {
		if err := env.StartImport(ctx, env.admin.ID, p, token, "en"); err != nil {
			t.Fatal(err)
		}
	}
	env.checkCount(1, `import_tasks`)
	env.execSQL(`UPDATE river.river_job SET state = 'discarded', finalized_at = now()`)
	if task, err := env.LastImportTask(ctx, env.admin.ID, p, token); err != nil || !task.IsLost || task.IsRunning() {
		t.Errorf("task = %+v, %v", task, err)
	}
	if err := env.StartImport(ctx, env.admin.ID, p, token, "en"); err != nil {
		t.Fatal(err)
	}
	env.startJobs()
	env.waitUntil("the import ends", func() bool {
		task, err := env.LastImportTask(ctx, env.admin.ID, p, token)
		return err == nil && task.IsFinished && task.Problem == ""
	})
	env.checkCount(1, `items`)
	checkErrorIs(t, "an imported upload", env.StartImport(ctx, env.admin.ID, p, token, "en"), fault.NotFound)
}
