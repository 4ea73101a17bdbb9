package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unstyledClasses mark elements for tests and scripts only.
var unstyledClasses = []string{"adjudicated"}

// TestClasses_HaveStyles holds that a class in the markup has a style: a class
// renamed on one side only fails here.
func TestClasses_HaveStyles(t *testing.T) {
	t.Parallel()
	styles := readAll(t, "../static/*.css")
	attribute := regexp.MustCompile(`class="([^"]+)"`)
	for _, match := range attribute.FindAllStringSubmatch(readAll(t, "*.templ")+readAll(t, "../ui/*.templ"), -1) {
		for class := range strings.FieldsSeq(match[1]) {
			if !slices.Contains(unstyledClasses, class) && !strings.Contains(styles, "."+class) {
				t.Errorf("class %q has no style", class)
			}
		}
	}
}

func readAll(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	var text strings.Builder
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(source)
	}
	return text.String()
}
