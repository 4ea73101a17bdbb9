package internal

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the width of a line of code; a tab counts as four columns.
const maxColumns = 120

// longText is a text that is not split, so that it can be found as a whole.
var longText = regexp.MustCompile(`"(?:[^"\\]|\\.){40,}|` + "`[^`]{40,}|[^<>{}\"]{60,}</")

// quotedText is a text in quotation marks, which can hold a backtick.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// Lines have at most 120 columns, except for a long text, the tags of a field, and what a raw
// string holds.
func TestLines_FitColumns(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		isCode := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_templ.go") ||
			strings.HasSuffix(path, ".templ")
		if err != nil || entry.IsDir() || !isCode {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		isRaw := false
		for i, line := range strings.Split(string(content), "\n") {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if columns > maxColumns && !isRaw && !longText.MatchString(line) && !strings.Contains(line, "//go:") {
				t.Errorf("%s:%d has %d columns: %s", path, i+1, columns, strings.TrimSpace(line)[:60])
			}
			if !isRaw {
				line = quotedText.ReplaceAllString(line, "")
			}
			if strings.Count(line, "`")%2 == 1 {
				isRaw = !isRaw
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
