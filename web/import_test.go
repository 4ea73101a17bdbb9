package web

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/require"
)

// Real files are previewed first, then stored completely.
func TestImport_RealItems_StoresAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, protocol string
		items          int
	}{
		{"empathy.csv", "empathy", 340},
		{"ambiguity.jsonl", "ambiguity", 89},
		{"rag.jsonl", "rag-retrieval", 1033},
		{"rag.jsonl", "rag-grounding", 240},
		{"rag.jsonl", "rag-generation", 240},
	} {
		t.Run(c.protocol+" of "+c.file, func(t *testing.T) {
			t.Parallel()
			file := string(require.SharedFile(t, "items", c.file))
			env := newTestEnv(t)
			b := env.signInAs(env.newUser("lead@example.org", account.Lead))
			b.post("/projects", url.Values{"protocol": {c.protocol}, "key": {"real"}, "title": {"Real items"},
				"support_url": {"https://support.example/"}}).checkRedirect("/projects/real/import")
			preview := b.upload("/projects/real/import", c.file, file).checkRedirect("")
			page := b.get(preview).checkStatus(http.StatusOK).checkContains(fmt.Sprintf("%s items in %s",
				formatCount(c.items), c.file))
			if n := len(page.FindAll(".sample-item")); n != 10 {
				t.Errorf("the preview has %d items, want 10", n)
			}
			if n := query[int](env, `SELECT count(*) FROM items`); n != 0 {
				t.Errorf("the preview stored %d items", n)
			}
			b.post(preview, nil).checkRedirect("/projects/real")
			if n := query[int](env, `SELECT count(*) FROM items`); n != c.items {
				t.Errorf("%d items are stored, want %d", n, c.items)
			}
			b.get("/projects/real").checkStatus(http.StatusOK).checkContains(formatCount(c.items))
			again := b.upload("/projects/real/import", c.file, file).checkRedirect("")
			b.post(again, nil).checkStatus(http.StatusConflict).checkContains("already been imported")
		})
	}
}

// formatCount returns a number as pages show it.
func formatCount(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func TestImport_RealInvalid_Refused(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"rag-retrieval", "rag-grounding", "rag-generation"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			file := string(require.SharedFile(t, "items", "rag_must_reject.jsonl"))
			env := newTestEnv(t)
			b := env.signInAs(env.newUser("lead@example.org", account.Lead))
			b.post("/projects", url.Values{"protocol": {protocol}, "key": {"real"},
				"title": {"Real items"}}).checkRedirect("/projects/real/import")
			before := env.hashState()
			page := b.upload("/projects/real/import", "rag_must_reject.jsonl",
				file).checkStatus(http.StatusUnprocessableEntity).checkContains("Nothing was imported")
			reasons := map[string]bool{}
			for _, row := range page.FindAll(".error-table tbody tr") {
				line, reason, _ := strings.Cut(row.Text(), " ")
				reasons[line] = reasons[line] || strings.Contains(reason, "This is empty")
			}
			for line := range 12 {
				if !reasons[fmt.Sprint(line+1)] {
					t.Errorf("line %d has no message", line+1)
				}
			}
			env.execSQL(`DELETE FROM uploads`)
			if env.hashState() != before {
				t.Error("data were stored")
			}
		})
	}
}

// A file of another program is refused as rows, then read as that program writes it, and the
// next file at once. Its records that are not items are counted.
func TestImport_OtherProgram_ReadAgain(t *testing.T) {
	t.Parallel()
	spans, err := os.ReadFile("../internal/importer/testdata/presets/otel-genai.json")
	if err != nil {
		t.Fatal(err)
	}
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("lead@example.org", account.Lead))
	b.post("/projects", url.Values{"protocol": {"empathy"}, "key": {"p"}, "title": {"Replies"}}).checkRedirect(
		"/projects/p/import")
	page := b.upload("/projects/p/import", "spans.json", string(spans)).checkStatus(
		http.StatusUnprocessableEntity).checkContains("read it in another way", "Parts of an item")
	reading := page.FindFirst("#reading form").Attr("action")
	preview := strings.TrimSuffix(reading, "/reading")
	b.get(preview).checkStatus(http.StatusOK).checkContains("read it in another way")
	b.post(preview, nil).checkStatus(http.StatusConflict)
	b.post(reading, url.Values{"mapping": {"response"}}).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"“response” is not a mapping")
	b.post(reading, url.Values{"preset": {"otel"}}).checkRedirect(preview)
	b.get(preview).checkStatus(http.StatusOK).checkContains("3 items in spans.json",
		"Left out: spans without a message of a model (6).", "Answer 2.")
	b.post(preview, nil).checkRedirect("/projects/p")
	if b.get("/projects/p/import").FindFirst("#preset option[selected]").Attr("value") != "otel" {
		t.Error("the project does not keep how its last file was read")
	}
}

// The form of a file that cannot be read has guessed where the parts are, and shows what is chosen.
func TestImport_UnknownShape_ChoicesAreGuessed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("lead@example.org", account.Lead))
	b.post("/projects", url.Values{"protocol": {"empathy"}, "key": {"p"}, "title": {"Replies"}}).checkRedirect(
		"/projects/p/import")
	page := b.upload("/projects/p/import", "runs.jsonl", `{"said": {"User-Input": "I failed.", "speech": "Oh."}}`).
		checkStatus(http.StatusUnprocessableEntity)
	form := page.FindFirst("#reading form")
	choices := func(page testResponse) (paths []string) {
		for _, list := range page.FindAll("#reading select[name='path']") {
			path := ""
			for _, chosen := range list.FindAll("option[selected]") {
				path = chosen.Attr("value")
			}
			paths = append(paths, path)
		}
		return paths
	}
	values := formValues(form)
	values["path"] = choices(page)
	said := slices.Index(values["column"], "user_statement")
	if got, want := values["path"], slices.Repeat([]string{""}, len(values["column"])); !slices.Equal(slices.Replace(
		want, said, said+1, "said.User-Input"), got) {
		t.Fatalf("of %q are guessed %q", values["column"], got)
	}
	values["path"][slices.Index(values["column"], "response")] = "said.speech"
	preview := strings.TrimSuffix(form.Attr("action"), "/reading")
	b.post(form.Attr("action"), values).checkRedirect(preview)
	shown := b.get(preview).checkContains("1 item in runs.jsonl", "I failed.", "Oh.", "said.speech: Oh.")
	if got := choices(shown); !slices.Equal(got, values["path"]) {
		t.Errorf("chosen are %q, want %q", got, values["path"])
	}
	b.post(preview, nil).checkRedirect("/projects/p")
}
