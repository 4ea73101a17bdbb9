package postgres

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

var wideJSONL = ExportOptions{Shape: dataset.Wide, Format: dataset.JSONL, Contents: dataset.BothLabels,
	IncludeTexts: true}

// storeExport exports a project for the lead, and returns its id.
func (env testEnv) storeExport(lead account.Account, p project.Project) ExportID {
	env.t.Helper()
	id, err := env.StartExport(env.t.Context(), lead.ID, p, wideJSONL, "en")
	if err == nil {
		err = env.writeStoredExport(env.t.Context(), id, 1, func(int64, int64) {})
	}
	if err != nil {
		env.t.Fatal(err)
	}
	return id
}

// A stored export has the files of a direct one, and can be read from any place.
func TestStoredExport_SameAsDirect(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	id := env.storeExport(env.admin, p)
	file, err := env.OpenExport(t.Context(), env.admin.ID, p, id)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil || int64(len(content)) != file.SizeBytes || sha256.Sum256(content) != [32]byte(file.Sha256) {
		t.Fatalf("%d bytes of %d, %v", len(content), file.SizeBytes, err)
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	want := env.exportFiles(p, wideJSONL)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != want[f.Name] {
			t.Errorf("%s differs: %v", f.Name, err)
		}
	}
	if len(z.File) != len(want) {
		t.Errorf("%d files, want %d", len(z.File), len(want))
	}
	if _, err := file.Seek(-10, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	if end, err := io.ReadAll(file); err != nil || !bytes.Equal(end, content[len(content)-10:]) {
		t.Errorf("the last bytes are %x, %v", end, err)
	}
}

// Rights are those at the download, no matter who asked for the export.
func TestStoredExport_Rights_CheckedAtDownload(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	lead, stranger := env.newUser("second@example.org", account.Lead), env.newUser("stranger@example.org", account.Lead)
	env.addLead(p, lead)
	id := env.storeExport(lead, p)
	other := env.newProject("other", 1)
	open := func(actorID account.ID, p project.Project) error {
		_, err := env.OpenExport(t.Context(), actorID, p, id)
		return err
	}
	if err := open(env.admin.ID, p); err != nil {
		t.Error(err)
	}
	checkErrorIs(t, "lead of other projects", open(stranger.ID, p), fault.NotFound)
	checkErrorIs(t, "other project", open(env.admin.ID, other), fault.NotFound)
	checkErrorIs(t, "cancel by a stranger", env.CancelExport(t.Context(), stranger.ID, p, id), fault.NotFound)
	checkErrorIs(t, "delete in the other project", env.DeleteExport(t.Context(), env.admin.ID, other, id),
		fault.NotFound)
	if _, err := env.RemoveMember(t.Context(), env.admin.ID, p, lead.Email); err != nil {
		t.Fatal(err)
	}
	checkErrorIs(t, "former lead", open(lead.ID, p), fault.NotFound)
}

// An export that is cancelled while it waits or runs ends, and leaves nothing.
func TestStoredExport_Cancelled_Ends(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	id, err := env.StartExport(t.Context(), env.admin.ID, p, wideJSONL, "en")
	if err != nil {
		t.Fatal(err)
	}
	if err := env.CancelExport(t.Context(), env.admin.ID, p, id); err != nil {
		t.Fatal(err)
	}
	env.startJobs()
	env.waitUntil("the job ends", func() bool {
		return query[bool](env, `SELECT state = 'completed' FROM river.river_job WHERE kind = 'write_export'`)
	})
	x, err := env.StoredExport(t.Context(), env.admin.ID, p, id)
	if err != nil || x.State != ExportCancelled || x.SizeBytes != 0 {
		t.Errorf("%+v, %v", x, err)
	}
	chunks := &exportChunks{ctx: t.Context(), db: env.DB, id: id, hash: sha256.New(), chunk: []byte("late")}
	checkErrorIs(t, "a chunk after the end", chunks.flush(), errTaskEnded)
	env.checkCount(0, `export_chunks`)
}

// A project has a number of running exports and a size of all of them. What is too old is deleted.
func TestStoredExport_Limits(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	id := env.storeExport(env.admin, p)
	start := func() error {
		_, err := env.StartExport(t.Context(), env.admin.ID, p, wideJSONL, "en")
		return err
	}
	for range maxRunningExports {
		if err := start(); err != nil {
			t.Fatal(err)
		}
	}
	checkErrorIs(t, "too many", start(), fault.Limited)
	env.execSQL(`DELETE FROM river.river_job`) // as after the last attempt
	env.execSQL(`UPDATE exports SET size_bytes = 1 WHERE sha256 IS NULL`)
	env.execSQL(`INSERT INTO export_chunks SELECT id, 0, 'x' FROM exports WHERE sha256 IS NULL`)
	env.execSQL(`UPDATE exports SET size_bytes = $2 WHERE id = $1`, id, int64(maxExportBytes))
	checkErrorIs(t, "too large", start(), fault.Limited)
	for _, c := range []struct{ days, want int }{{6, 1}, {8, 0}} {
		env.execSQL(`UPDATE exports SET created_at = now() - make_interval(days => $1)`, c.days)
		_, err := env.OpenExport(context.Background(), env.admin.ID, p, id)
		if isOpen := err == nil; isOpen != (c.want == 1) {
			t.Errorf("after %d days: %v", c.days, err)
		}
		if err := env.DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.checkCount(c.want, `export_chunks WHERE export_id IN (SELECT id FROM exports)`)
		env.checkCount(c.want*(maxRunningExports+1), `exports`)
	}
}
