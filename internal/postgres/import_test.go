package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// Files of several batches: an error at the end of the file, or ids of items that the project
// has, leave nothing behind, and all of them are counted.
func TestImportFile_ManyBatches_AllOrNone(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("one", 0)
	rows := func(from, to int) string {
		var text strings.Builder
		for n := from; n < to; n++ {
			fmt.Fprintf(&text, "i%d,Q?,Answer %d.\n", n, n)
		}
		return text.String()
	}
	load := func(name, content string) error {
		source := ImportSource{File: File{Name: name, SHA256: [32]byte([]byte(fmt.Sprintf("%32s", name)))},
			Content: strings.NewReader(content), Size: int64(len(content))}
		_, err := env.ImportFile(t.Context(), env.admin.ID, source, []ProjectImport{{Project: p}})
		return err
	}
	const header, items = "id,query,answer\n", 3*itemBatchCount + 1
	err := load("bad.csv", header+rows(0, items)+"i,Q?\n")
	found, _ := errors.AsType[importer.FileErrors](err)
	if len(found) != 1 || found[0].Row != items+2 {
		t.Errorf("a short last row: %v", err)
	}
	env.checkCount(0, `items`)
	if err := load("good.csv", header+rows(0, items)); err != nil {
		t.Fatal(err)
	}
	env.checkCount(items, `items`)
	err = load("again.csv", header+rows(0, 30)+rows(items, 2*items)+rows(items-5, items))
	duplicates, _ := errors.AsType[DuplicateIDsError](err)
	if duplicates.Count != 35 || len(duplicates.Items) != MaxListedIDs || duplicates.Items[0].Row != 2 {
		t.Errorf("ids that the project has: %+v", err)
	}
	env.checkCount(items, `items`)
}

// An upload is read by the connection that stores its items.
func TestImportUpload_ManyChunks_Stored(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p, err := env.CreateProject(t.Context(), lead, project.Spec{Key: "pilot", Title: "Pilot",
		Protocol: "rag-generation"})
	if err != nil {
		t.Fatal(err)
	}
	const items = 2 * itemBatchCount
	content := "query,answer\n" + strings.Repeat("Q?,"+strings.Repeat("A long answer. ", 60)+"\n", items)
	if len(content) < 6*chunkSize {
		t.Fatal("the file has few chunks")
	}
	token := env.stageUpload(lead, p, "long.csv", content)
	if err := env.ImportUpload(t.Context(), lead, p, token); err != nil {
		t.Fatal(err)
	}
	env.checkCount(items, `items`)
	env.checkCount(0, `upload_chunks`)
	checkErrorIs(t, "imported twice", env.ImportUpload(t.Context(), lead, p, token), fault.NotFound)
}
