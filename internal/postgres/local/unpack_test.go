//go:build unix

package local

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entry is a tar entry. A zero typeflag means a regular file that holds text.
type entry struct {
	name     string
	text     string
	mode     int64
	typeflag byte
	linkname string
}

func packArchive(t testing.TB, entries []entry) *bytes.Buffer {
	t.Helper()
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	tarWriter := tar.NewWriter(compressed)
	for _, e := range entries {
		header := tar.Header{Name: e.name, Size: int64(len(e.text)), Mode: e.mode, Typeflag: e.typeflag,
			Linkname: e.linkname}
		if err := tarWriter.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := tarWriter.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tarWriter.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return &archive
}

// unpackInto unpacks into the directory tree in parent. Other files in parent are at risk.
func unpackInto(t testing.TB, parent string, archive *bytes.Buffer) error {
	t.Helper()
	tree := filepath.Join(parent, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return unpack(archive, root)
}

func TestUnpack_KeepsRuntimeFiles(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	err := unpackInto(t, parent, packArchive(t, []entry{
		{name: "package/package.json", text: "{}", mode: 0o644},
		{name: "package/native", typeflag: tar.TypeDir, mode: 0o755},
		{name: "package/native/bin/postgres", text: "program", mode: 0o700},
		{name: "package/native/lib/libz.so.1", text: "library", mode: 0o600},
		{name: "package/native/lib/libpq.a", text: "for linking", mode: 0o644},
		{name: "package/native/pg-symlinks.json", mode: 0o644,
			text: `[{"source":"native/lib/libz.so.1","target":"native/lib/libz.so"}]`},
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"bin/postgres":  "-rwxr-xr-x program",
		"lib/libz.so.1": "-rw-r--r-- library",
		"lib/libz.so":   "-rw-r--r-- library",
	}
	if diff := cmp.Diff(want, readFiles(t, filepath.Join(parent, "tree"))); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestUnpack_Escaping_Refused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		entries []entry
	}{
		{"path leaves the package", []entry{{name: "../escaped"}}},
		{"path leaves the tree", []entry{{name: "package/native/../../../escaped"}}},
		{"absolute path", []entry{{name: "/tmp/labelwright-escaped"}}},
		{"symbolic link", []entry{{name: "package/native/lib/out", typeflag: tar.TypeSymlink, linkname: "../../.."}}},
		{"hard link", []entry{{name: "package/native/lib/out", typeflag: tar.TypeLink, linkname: "../../../secret"}}},
		{"device", []entry{{name: "package/native/null", typeflag: tar.TypeChar}}},
		{"listed link leaves the tree",
			[]entry{linkEntry(`[{"source":"native/../../secret","target":"native/secret"}]`)}},
		{"listed link, absolute path", []entry{linkEntry(`[{"source":"/etc","target":"native/etc"}]`)}},
		{"listed link to its parent", []entry{linkEntry(`[{"source":"native/..","target":"native/up"}]`)}},
		{"listed link outside the tree", []entry{linkEntry(`[{"source":"native/a","target":"../escaped"}]`)}},
		{"link list not JSON", []entry{linkEntry(`{`)}},
		{"duplicate path", []entry{{name: "package/native/a"}, {name: "package/native/a"}}},
		{"file through a link", []entry{
			linkEntry(`[{"source":"native/a","target":"native/b"}]`), {name: "package/native/b"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			writeText(t, filepath.Join(parent, "secret"), "secret text")
			if err := unpackInto(t, parent, packArchive(t, c.entries)); err == nil {
				t.Error("unpack accepted it")
			}
			checkUntouched(t, parent)
		})
	}
}

func linkEntry(list string) entry {
	return entry{name: "package/native/pg-symlinks.json", text: list, mode: 0o644}
}

// checkUntouched checks that parent holds only the tree and the secret.
func checkUntouched(t testing.TB, parent string) {
	t.Helper()
	siblings := map[string]string{}
	for name, text := range readFiles(t, parent) {
		if filepath.Dir(name) == "." {
			siblings[name] = text
		}
	}
	if diff := cmp.Diff(map[string]string{"secret": "-rw------- secret text"}, siblings); diff != "" {
		t.Errorf("files outside the tree (-want +got):\n%s", diff)
	}
}

// readFiles maps the path of every file below dir to its mode and text.
func readFiles(t testing.TB, dir string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil // a link to nothing
		}
		info, err := os.Stat(path)
		contents[filepath.ToSlash(name)] = info.Mode().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

func FuzzUnpack(f *testing.F) {
	f.Add(packArchive(f, []entry{{name: "package/native/bin/postgres", text: "x", mode: 0o755}}).Bytes())
	f.Add(packArchive(f, []entry{linkEntry(`[{"source":"native/a","target":"native/b"}]`)}).Bytes())
	f.Add(packArchive(f, []entry{{name: "../../x"}}).Bytes())
	f.Fuzz(func(t *testing.T, archive []byte) {
		parent := t.TempDir()
		writeText(t, filepath.Join(parent, "secret"), "secret text")
		_ = unpackInto(t, parent, bytes.NewBuffer(archive))
		checkUntouched(t, parent)
	})
}
