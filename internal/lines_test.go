package internal

import (
	"os"
	"os/exec"
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
	listed, err := exec.Command("git", "ls-files", "--full-name", "../*.go", "../*.templ").Output()
	if err != nil {
		t.Skip("git does not list the files: ", err)
	}
	for path := range strings.FieldsSeq(string(listed)) {
		if strings.HasSuffix(path, "_templ.go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			continue // deleted, not committed
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
	}
}
