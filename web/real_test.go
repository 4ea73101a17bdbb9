package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// real returns a file of real items that is kept beside the checkout, or skips.
func real(t *testing.T, name string) string {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", "items", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("There are no real items beside this checkout, so importing them is not tested.")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// Real files go in through the pages: seen first, then stored whole.
func TestRealItemsAreImportedThroughThePages(t *testing.T) {
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
			file := real(t, c.file)
			w := newWorld(t)
			b := w.as(w.person("lead@example.org", account.Lead))
			b.post("/projects", url.Values{"protocol": {c.protocol}, "key": {"real"}, "title": {"Real items"}, "support_url": {"https://support.example/"}}).leads("/projects/real")
			preview := b.upload("/projects/real/import", c.file, file).leads("")
			page := b.get(preview).is(http.StatusOK).says(fmt.Sprintf("%s items in %s", counted(c.items), c.file))
			if n := len(page.All(".specimen")); n != 10 {
				t.Errorf("%d items are shown before they are stored, want 10", n)
			}
			if n := query[int](w, `SELECT count(*) FROM items`); n != 0 {
				t.Errorf("%d items were stored by looking", n)
			}
			b.post(preview, nil).leads("/projects/real")
			if n := query[int](w, `SELECT count(*) FROM items`); n != c.items {
				t.Errorf("%d items are stored, want %d", n, c.items)
			}
			b.get("/projects/real").is(http.StatusOK).says(counted(c.items))
			again := b.upload("/projects/real/import", c.file, file).leads("")
			b.post(again, nil).is(http.StatusConflict).says("imported before")
		})
	}
}

// counted is a number as pages write it.
func counted(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func TestRealRecordsThatAreFaultyAreRefusedThroughThePages(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"rag-retrieval", "rag-grounding", "rag-generation"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			file := real(t, "rag_must_reject.jsonl")
			w := newWorld(t)
			b := w.as(w.person("lead@example.org", account.Lead))
			b.post("/projects", url.Values{"protocol": {protocol}, "key": {"real"}, "title": {"Real items"}}).leads("/projects/real")
			before := w.state()
			page := b.upload("/projects/real/import", "rag_must_reject.jsonl", file).is(http.StatusUnprocessableEntity).says("Nothing was stored")
			reasons := map[string]bool{}
			for _, row := range page.All("tbody tr") {
				line, why, _ := strings.Cut(row.Text(), " ")
				reasons[line] = reasons[line] || strings.Contains(why, "This is empty")
			}
			for line := range 12 {
				if !reasons[fmt.Sprint(line+1)] {
					t.Errorf("line %d: no reason is given", line+1)
				}
			}
			if w.state() != before {
				t.Error("something was stored")
			}
		})
	}
}
