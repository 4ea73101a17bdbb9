package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

var update = flag.Bool("update", false, "rewrite golden files")

// listJSONKeys returns the paths of the keys that encoding/json writes for a type. It does
// not descend into numbers and figures, whose keys are always the same.
func listJSONKeys(t reflect.Type, prefix string) (keys []string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	isLeaf := prefix != "" && (t == reflect.TypeFor[study.Number]() || t == reflect.TypeFor[study.AgreementFigure]())
	if t.Kind() != reflect.Struct || t.PkgPath() == "time" || isLeaf {
		return nil
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			keys = append(keys, prefix+"("+f.Type.Name()+")")
		case name != "-" && f.IsExported():
			keys = append(keys, prefix+name)
			if f.Type == reflect.PointerTo(t) {
				continue // the keys of the object that it is in
			}
			keys = append(keys, listJSONKeys(f.Type, prefix+name+".")...)
		}
	}
	return keys
}

// The keys of the JSON report are a public format: a change needs an entry in the changelog.
func TestWriteJSON_Keys_Unchanged(t *testing.T) {
	t.Parallel()
	keys := append(listJSONKeys(reflect.TypeFor[report.Report](), ""),
		listJSONKeys(reflect.TypeFor[study.Number](), "")...)
	got, path := strings.Join(keys, "\n")+"\n", filepath.Join("testdata", "json_keys.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("keys:\n%s\nwant:\n%s\nTo change them on purpose: go test ./internal/report -run WriteJSON -update",
			got, want)
	}
}
