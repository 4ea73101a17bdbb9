package importer

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
)

// A file that is read as it comes can have more bytes and items than one in memory.
func TestScanItems_MoreThanInMemory_ReadsAll(t *testing.T) {
	t.Parallel()
	const count = itemLimit + 10_000
	rows, text := 0, "a,b"
	if require.FullSize() { // and more than FileLimit
		text = "a," + strings.Repeat("b", 300)
	}
	file := readerFunc(func(buffer []byte) (int, error) {
		if rows == count {
			return 0, io.EOF
		}
		rows++
		return copy(buffer, fmt.Sprintf("%d,%s\n", rows, text)), nil
	})
	items := 0
	err := Options{}.ScanItems(t.Context(), builtinProtocol(t, "empathy"), "a.csv",
		io.MultiReader(strings.NewReader(empathyHeader), file), func(project.Item) error {
			items++
			return nil
		})
	if err != nil || items != count {
		t.Errorf("%d of %d items, %v", items, count, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(buffer []byte) (int, error) { return f(buffer) }

func TestScanItems_ParquetSource_NotInMemory(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/presets/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatal("no Parquet files", err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	o, p := Options{Preset: PresetHuggingFace}, builtinProtocol(t, "empathy")
	want, err := o.ReadItems(p, "a.parquet", bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var got []project.Item
	source := onlyHead{bytes.NewReader(content), strings.NewReader("PAR1")}
	err = o.ScanItems(t.Context(), p, "a.parquet", source, func(item project.Item) error {
		got = append(got,
			item)
		return nil
	})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d items, want %d: %v", len(got), len(want), err)
	}
}

// An onlyHead is a source that can be read from its start only to detect its type.
type onlyHead struct {
	*bytes.Reader
	head io.Reader
}

// Read reads the head.
func (s onlyHead) Read(buffer []byte) (int, error) { return s.head.Read(buffer) }

func TestReadItems_EndlessValue_Refused(t *testing.T) {
	t.Parallel()
	file := io.MultiReader(strings.NewReader(`[{"user_statement":"a","response":"b"},{"user_statement":"`),
		endlessReader(strings.Repeat("a", 8192)))
	err := Options{}.ScanItems(t.Context(), builtinProtocol(t, "empathy"), "a.json", file, func(project.Item) error {
		return nil
	})
	if want := "a.json:2: The value at line 1, column 40 has more than 8 MiB. Write one record per line."; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
