package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
)

// uploadAnswer is what the script that sends a file gets.
type uploadAnswer struct {
	Token    string
	Received int
}

func (b browser) postPiece(path string, body string) (answer uploadAnswer) {
	b.Helper()
	a := b.send(http.MethodPost, path, "application/octet-stream", strings.NewReader(body)).checkStatus(http.StatusOK)
	if err := json.Unmarshal([]byte(a.body), &answer); err != nil {
		b.Fatal(err)
	}
	return answer
}

// startPath is where the upload of a file starts.
func startPath(name, content string) string {
	return "/projects/p/uploads?" + url.Values{"name": {name}, "size": {fmt.Sprint(len(content))},
		"modified": {"5"}}.Encode()
}

// waitForPage reloads a page until it is no longer the page of work in the background.
func (b browser) waitForPage(path string) testResponse {
	b.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if a := b.get(path); a.header.Get("Refresh") == "" {
			return a
		}
		if time.Now().After(deadline) {
			b.Fatalf("%s still waits", path)
		}
	}
}

// A large file arrives in pieces, and is read and imported in the background.
func TestImport_Pieces_InBackground(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.server.directBytes = 100
	env.startJobs()
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	b := env.signInAs(lead)
	content := "query,answer\n" + strings.Repeat("Q?,"+strings.Repeat("a", 1000)+"\n", 2200)
	start := b.postPiece(startPath("big.csv", content), content[:100])
	path := "/projects/p/uploads/" + start.Token
	first := b.postPiece(path+"?offset=0", content[:postgres.UploadPieceSize])
	if again := b.postPiece(path+"?offset=0", content[:postgres.UploadPieceSize]); again != first ||
		first.Received != postgres.UploadPieceSize {
		t.Errorf("received %d, then %d", first.Received, again.Received)
	}
	b.get("/projects/p/import").checkStatus(http.StatusOK).checkContains("The upload of “big.csv” stopped at 94%")
	if again := b.postPiece(startPath("big.csv", content), content[:100]); again.Token != start.Token ||
		again.Received != first.Received {
		t.Errorf("starts again with %+v", again)
	}
	b.uploadWith("/projects/p/import", url.Values{"upload": {start.Token}}, "", "").checkStatus(http.StatusNotFound)
	b.postPiece(fmt.Sprintf("%s?offset=%d", path, first.Received), content[first.Received:])
	preview := b.post("/projects/p/import", url.Values{"upload": {start.Token}}).checkRedirect("")
	b.waitForPage(preview).checkStatus(http.StatusOK).checkContains("2,200 items in big.csv")
	b.post(preview, nil).checkRedirect(preview)
	if to := b.waitForPage(preview).checkRedirect(""); !strings.HasPrefix(to, "/projects/p?after=import") {
		t.Errorf("leads to %s", to)
	}
	if n := query[int](env, `SELECT count(*) FROM items`); n != 2200 {
		t.Errorf("%d items are stored", n)
	}
}

// Errors of a file, and conflicts, that are found in the background are shown as others are.
func TestImport_InBackground_ShowsErrors(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.server.directBytes = 10
	env.startJobs()
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	b := env.signInAs(lead)
	preview := b.upload("/projects/p/import", "a.csv", "query,answer\n,A.\n").checkRedirect("")
	b.waitForPage(preview).checkContains("This is empty. Add text.", "read it in another way")
	preview = b.upload("/projects/p/import", "b.csv", "id,query,answer\nx,Q?,A.\n").checkRedirect("")
	b.waitForPage(preview).checkContains("1 item in b.csv")
	token := preview[strings.LastIndex(preview, "/")+1:]
	env.execSQL(`INSERT INTO import_tasks (project_id, account_id, upload_token, kind) SELECT project_id, account_id,
		token, 'import' FROM uploads WHERE token = $1`, token)
	b.get(preview).checkContains("The server stopped before it was done.", "1 item in b.csv")
	b.post(preview, nil).checkRedirect(preview)
	b.waitForPage(preview).checkRedirect("")
	preview = b.upload("/projects/p/import", "c.csv", "id,query,answer\nx,Q?,B.\n").checkRedirect("")
	b.waitForPage(preview).checkContains("The project already has items with these ids: x (row 2).")
	b.post(preview, nil).checkRedirect(preview)
	b.waitForPage(preview).checkContains("The project already has items with these ids: x (row 2).")
	if n := query[int](env, `SELECT count(*) FROM items`); n != 1 {
		t.Errorf("%d items are stored", n)
	}
}
