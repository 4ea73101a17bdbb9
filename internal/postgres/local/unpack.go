//go:build unix

package local

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// native is the folder of the package that becomes the tree; linkListName in it names
// the links, since an npm archive can hold none.
const (
	nativePrefix = "package/native/"
	linkListName = "pg-symlinks.json"
)

// unpack writes the native files of the package r into root and nothing outside
// of it. An entry that is not a plain file, or whose name leads out, is an error.
func unpack(r io.Reader, root *os.Root) error {
	decompressed, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("the package is no gzip: %w", err)
	}
	for archive := tar.NewReader(decompressed); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the package is damaged: %w", err)
		}
		if err := unpackEntry(archive, entry, root); err != nil {
			return fmt.Errorf("unpacking %q: %w", entry.Name, err)
		}
	}
}

func unpackEntry(r io.Reader, entry *tar.Header, root *os.Root) error {
	if !filepath.IsLocal(entry.Name) {
		return errors.New("its name leads out of the package")
	}
	name, ok := strings.CutPrefix(path.Clean(entry.Name), nativePrefix)
	switch {
	case entry.Typeflag == tar.TypeDir:
		return nil
	case entry.Typeflag != tar.TypeReg:
		return errors.New("it is not a plain file")
	case !ok, path.Ext(name) == ".a":
		return nil // not needed to run
	case name == linkListName:
		return makeLinks(r, root)
	default:
		return writeFile(r, name, entry.FileInfo().Mode(), root)
	}
}

// writeFile makes a file that every account may read, or run if one may: the server
// may run as another account.
func writeFile(r io.Reader, name string, mode os.FileMode, root *os.Root) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if mode &= 0o111; mode != 0 {
		mode = 0o111
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode|0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, r)
	return errors.Join(err, file.Close())
}

// link is a name beside a file, both as paths in the package.
type link struct {
	Source string `json:"source"` // the file
	Target string `json:"target"` // the further name it has
}

func makeLinks(r io.Reader, root *os.Root) error {
	var links []link
	if err := json.NewDecoder(r).Decode(&links); err != nil {
		return err
	}
	for _, l := range links {
		if err := makeLink(l, root); err != nil {
			return err
		}
	}
	return nil
}

// makeLink accepts a link only to a file in the same folder, so that following it
// stays in the tree.
func makeLink(l link, root *os.Root) error {
	source, target := path.Clean("package/"+l.Source), path.Clean("package/"+l.Target)
	name, ok := strings.CutPrefix(target, nativePrefix)
	if !ok || path.Dir(source) != path.Dir(target) {
		return fmt.Errorf("the link %q to %q leads elsewhere", l.Target, l.Source)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return root.Symlink(path.Base(source), name)
}
