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

// nativePrefix is the directory of the package to unpack. The file linkListName in it
// lists links, which an archive of the registry cannot hold.
const (
	nativePrefix = "package/native/"
	linkListName = "pg-symlinks.json"
)

// unpack writes the native files of the package r into root and nothing outside it. An
// entry that is not a regular file, or whose path leaves the package, is an error.
func unpack(r io.Reader, root *os.Root) error {
	decompressed, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("the package is not a gzip file: %w", err)
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
		return errors.New("path leaves the package")
	}
	name, ok := strings.CutPrefix(path.Clean(entry.Name), nativePrefix)
	switch {
	case entry.Typeflag == tar.TypeDir:
		return nil
	case entry.Typeflag != tar.TypeReg:
		return errors.New("not a regular file")
	case !ok, path.Ext(name) == ".a":
		return nil // not needed to run
	case name == linkListName:
		return makeLinks(r, root)
	default:
		return writeFile(r, name, entry.FileInfo().Mode(), root)
	}
}

// writeFile creates a file that every account can read, and run if it is a program,
// because the server may run as another account.
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

// link is an additional name of a file. Both are paths in the package.
type link struct {
	Source string `json:"source"` // the existing file
	Target string `json:"target"` // the additional name
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

// makeLink only accepts a link to a file in the same directory, so that no link leaves
// the tree.
func makeLink(l link, root *os.Root) error {
	source, target := path.Clean("package/"+l.Source), path.Clean("package/"+l.Target)
	name, ok := strings.CutPrefix(target, nativePrefix)
	if !ok || path.Dir(source) != path.Dir(target) {
		return fmt.Errorf("link %q to %q leaves its directory", l.Target, l.Source)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return root.Symlink(path.Base(source), name)
}
