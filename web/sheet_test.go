package web

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// readZip returns the files of a zip file by the end of their names.
func readZip(t *testing.T, body string) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader([]byte(body)), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name[strings.LastIndex(f.Name, "-")+1:]] = string(content)
	}
	return files
}

func TestSheets_LeadAndAnnotator(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, other := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org",
		account.Annotator), env.newUser("other@example.org", account.Annotator)
	p := env.newProject(lead, "sheets", 6)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "secret condition", Annotators: []string{ann.Email,
		other.Email}, Overlap: 2, Seed: 1})
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	path, own, form := "/projects/sheets/batches/secret%20condition/sheets", "/work/sheets?batch="+formatID(b.ID),
		url.Values{"batch": {formatID(b.ID)}}
	annBrowser.get(own).checkStatus(http.StatusNotFound)
	annBrowser.post("/work/sheets/download", form).checkStatus(http.StatusNotFound)
	annBrowser.get(path).checkStatus(http.StatusNotFound)
	pseudonym := query[string](env, `SELECT m.pseudonym FROM members m
		JOIN identity.users u ON u.account_id = m.account_id WHERE u.email = 'ann@example.org'`)
	leadBrowser.get(path).checkStatus(http.StatusOK).checkContains("Download sheets", "Submit sheet", pseudonym)
	leadBrowser.post(path+"/download", url.Values{"annotator": {"unknown"}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("has no annotator “unknown”")
	files := readZip(t, leadBrowser.post(path+"/download", url.Values{"annotator": {pseudonym}}).checkStatus(
		http.StatusOK).body)
	if len(files) != 3 || !strings.HasPrefix(files["annotations.csv"], "\ufeffeval_id,annotator_id,proper_action,") {
		t.Fatalf("files %v", files)
	}
	annBrowser.get("/work").checkStatus(http.StatusOK).FindFirst("a[href='" + own + "']")
	downloaded := annBrowser.post("/work/sheets/download", form).checkStatus(http.StatusOK)
	if again := readZip(t, downloaded.body); again["annotations.csv"] != files["annotations.csv"] ||
		strings.Contains(downloaded.body, "secret") {
		t.Errorf("the annotator gets another sheet: %v", again)
	}
	filled := strings.ReplaceAll(files["annotations.csv"], ",,,,,,\r\n", ";1;1;1;0;0;\r\n")
	filled = strings.ReplaceAll(filled, ",", ";")
	broken := strings.Replace(filled, ";1;1;1;0;0;", ";1;1;7;0;0;", 1)
	annBrowser.uploadWith("/work/sheets", form, "a.csv",
		broken).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"Nothing was submitted. Fix 1 error in the sheet:", "7 is not on the scale 0–1.", "helpful")
	annBrowser.uploadWith("/work/sheets", form, "", "").checkStatus(http.StatusUnprocessableEntity).checkContains(
		"The form contains no file.")
	if n := query[int](env, `SELECT count(*) FROM annotations`); n != 0 {
		t.Errorf("%d annotations of refused sheets", n)
	}
	annBrowser.uploadWith("/work/sheets", form, "a.csv", filled).checkRedirect("/work/sheets")
	annBrowser.get(own).checkStatus(http.StatusOK).checkContains("Submitted 6 rows.")
	leadBrowser.uploadWith(path, url.Values{"sheet_of": {pseudonym}}, "a.csv", filled).checkRedirect(path)
	leadBrowser.get(path).checkContains("Nothing changed. Submitted before with the same answers: 6 rows.")
	leadBrowser.uploadWith(path, url.Values{"sheet_of": {pseudonym}}, "a.csv",
		broken).checkStatus(http.StatusUnprocessableEntity).checkContains("7 is not on the scale")
	leadBrowser.uploadWith(path, url.Values{"sheet_of": {"unknown"}}, "a.csv",
		filled).checkStatus(http.StatusUnprocessableEntity).checkContains("has no annotator “unknown”")
	if n := query[int](env, `SELECT count(*) FROM annotations`); n != 6 {
		t.Errorf("%d annotations, want 6", n)
	}
	env.signInAs(other).get(own).checkStatus(http.StatusNotFound)
}
