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

// entry is a tar entry; where kind is zero it is a plain file holding text.
type entry struct {
	name string
	text string
	mode int64
	kind byte
	link string
}

func pack(t testing.TB, entries []entry) *bytes.Buffer {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zip)
	for _, e := range entries {
		header := tar.Header{Name: e.name, Size: int64(len(e.text)), Mode: e.mode, Typeflag: e.kind, Linkname: e.link}
		if err := archive.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return &packed
}

// unpackInto unpacks into a directory within another, whose other contents are at risk.
func unpackInto(t testing.TB, outer string, packed *bytes.Buffer) error {
	t.Helper()
	tree := filepath.Join(outer, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return unpack(packed, root)
}

func TestUnpackKeepsWhatIsNeededToRun(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	err := unpackInto(t, outer, pack(t, []entry{
		{name: "package/package.json", text: "{}", mode: 0o644},
		{name: "package/native", kind: tar.TypeDir, mode: 0o755},
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
	if diff := cmp.Diff(want, files(t, filepath.Join(outer, "tree"))); diff != "" {
		t.Errorf("the tree differs (-want +got):\n%s", diff)
	}
}

func TestUnpackWritesNothingOutside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		entries []entry
	}{
		{"a name that climbs out", []entry{{name: "../escaped"}}},
		{"a name that climbs out of the tree", []entry{{name: "package/native/../../../escaped"}}},
		{"an absolute name", []entry{{name: "/tmp/labelwright-escaped"}}},
		{"a symlink", []entry{{name: "package/native/lib/out", kind: tar.TypeSymlink, link: "../../.."}}},
		{"a hard link", []entry{{name: "package/native/lib/out", kind: tar.TypeLink, link: "../../../secret"}}},
		{"a device", []entry{{name: "package/native/null", kind: tar.TypeChar}}},
		{"a listed link that climbs out", []entry{links(`[{"source":"native/../../secret","target":"native/secret"}]`)}},
		{"a listed link to an absolute path", []entry{links(`[{"source":"/etc","target":"native/etc"}]`)}},
		{"a listed link to its own parent", []entry{links(`[{"source":"native/..","target":"native/up"}]`)}},
		{"a listed link placed outside", []entry{links(`[{"source":"native/a","target":"../escaped"}]`)}},
		{"a list that is none", []entry{links(`{`)}},
		{"one name twice", []entry{{name: "package/native/a"}, {name: "package/native/a"}}},
		{"a file through a link", []entry{
			links(`[{"source":"native/a","target":"native/b"}]`), {name: "package/native/b"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			outer := t.TempDir()
			write(t, filepath.Join(outer, "secret"), "kept")
			if err := unpackInto(t, outer, pack(t, c.entries)); err == nil {
				t.Error("unpack accepted it")
			}
			untouched(t, outer)
		})
	}
}

func links(list string) entry {
	return entry{name: "package/native/pg-symlinks.json", text: list, mode: 0o644}
}

// untouched checks that outer holds the tree and the secret, and no more.
func untouched(t testing.TB, outer string) {
	t.Helper()
	beside := map[string]string{}
	for name, text := range files(t, outer) {
		if filepath.Dir(name) == "." {
			beside[name] = text
		}
	}
	if diff := cmp.Diff(map[string]string{"secret": "-rw------- kept"}, beside); diff != "" {
		t.Errorf("beside the tree (-want +got):\n%s", diff)
	}
}

// files maps the path of every file below dir to its mode and text.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
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
		found[filepath.ToSlash(name)] = info.Mode().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, []entry{{name: "package/native/bin/postgres", text: "x", mode: 0o755}}).Bytes())
	f.Add(pack(f, []entry{links(`[{"source":"native/a","target":"native/b"}]`)}).Bytes())
	f.Add(pack(f, []entry{{name: "../../x"}}).Bytes())
	f.Fuzz(func(t *testing.T, packed []byte) {
		outer := t.TempDir()
		write(t, filepath.Join(outer, "secret"), "kept")
		_ = unpackInto(t, outer, bytes.NewBuffer(packed))
		untouched(t, outer)
	})
}
