package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A task whose server is killed in the middle is resumed by another one, and done once. The killed one, if it was only
// slow, writes nothing more.
func TestTask_ServerKilled_AnotherResumes(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	exported, _ := env.newDisagreement()
	exportID, err := env.StartExport(ctx, env.admin.ID, exported, wideJSONL, "en")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := env.takeExport(ctx, exportID, 1); err != nil {
		t.Fatal(err)
	}
	slow := &exportChunks{ctx: ctx, db: env.DB, id: exportID, attemptNo: 1, hash: sha256.New(), chunk: []byte("half")}
	if err := slow.flush(); err != nil {
		t.Fatal(err)
	}

	imported := env.newProject("imported", 0)
	token := env.stageUpload(env.admin, imported, "a.csv", "query,answer\n"+strings.Repeat("Q?,"+
		strings.Repeat("a", 500)+"\n", 5000))
	if err := env.StartImport(ctx, env.admin.ID, imported, token, "en"); err != nil {
		t.Fatal(err)
	}
	cut, kill := context.WithCancel(ctx)
	if err := env.importUpload(cut, env.admin, imported, token, func(done, total int64) {
		if done > total/2 {
			kill()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the import was cut: %v", err)
	}

	opened := env.newProject("opened", 40)
	annotator := env.newUser("late@example.org", account.Annotator)
	env.addMember(env.admin, opened, annotator.Email, account.Annotator)
	spec := project.BatchSpec{Name: "large", Overlap: 1, Annotators: []string{annotator.Email}, Seed: 1,
		FewerCalibration: "A test."}
	openingID, err := env.StartBatchOpening(ctx, env.admin.ID, opened, spec, "en")
	if err != nil {
		t.Fatal(err)
	}
	cut, kill = context.WithCancel(ctx)
	if err := env.inTx(cut, func(tx pgx.Tx) error {
		_, err := openBatch(cut, tx, env.admin.ID, opened, spec, func(int, int) { kill() })
		return err
	}); err == nil {
		t.Fatal("the opening was not cut")
	}
	env.checkCount(0, `items WHERE project_id = (SELECT id FROM projects WHERE key = 'imported')`)
	env.checkCount(0, `batches WHERE name = 'large'`)

	if err := env.RequestReport(ctx, env.reportStatusOf(env.admin, exported, defaultReport), "en"); err != nil {
		t.Fatal(err)
	}
	kinds := []string{exportArgs{}.Kind(), importTaskArgs{}.Kind(), openingArgs{}.Kind(), reportArgs{}.Kind()}
	for _, kind := range kinds {
		env.loseJob(kind)
	}
	env.startJobs()
	env.startJobs()
	env.waitUntil("each task is done", func() bool {
		return query[int](env, `SELECT count(*) FROM river.river_job WHERE kind = ANY ($1)
			AND attempt = 2 AND state = 'completed'`, kinds) == len(kinds)
	})
	file, err := env.OpenExport(ctx, env.admin.ID, exported, exportID)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil || sha256.Sum256(content) != [32]byte(file.Sha256) || int64(len(content)) != file.SizeBytes ||
		strings.HasPrefix(string(content), "half") {
		t.Errorf("%d bytes of %d, %v", len(content), file.SizeBytes, err)
	}
	slow.chunk = []byte("the other half")
	checkErrorIs(t, "a chunk of the killed server", slow.flush(), errTaskEnded)
	env.checkCount(5000, `items WHERE project_id = (SELECT id FROM projects WHERE key = 'imported')`)
	env.checkCount(1, `imports WHERE item_count = 5000`)
	o, err := env.BatchOpening(ctx, env.admin.ID, opened, openingID)
	if err != nil || !o.IsFinished || o.Problem != "" {
		t.Errorf("%+v, %v", o, err)
	}
	env.checkCount(1, `batches WHERE name = 'large' AND item_count = 40 AND slot_count = 40`)
	env.checkCount(1, `reports WHERE content IS NOT NULL AND job_id IS NULL`)
	if status := env.reportStatusOf(env.admin, exported, defaultReport); !status.IsCurrent {
		t.Errorf("%+v", status)
	}
}
