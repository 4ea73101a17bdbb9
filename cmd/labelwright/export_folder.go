package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/labelwright/labelwright/internal/dataset"
)

// An exportFolder replaces an earlier export as a whole, and nothing else.
type exportFolder struct {
	dir     string
	staging string   // a folder in dir, until all new files are complete
	names   []string // of the new files, the manifest last
}

// openExportFolder creates dir if it does not exist. It returns an error if dir holds
// anything but an export as it was written.
func openExportFolder(dir string) (*exportFolder, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("create the folder of --out: %w", err)
	}
	if _, err := listExport(dir, ""); err != nil {
		return nil, err
	}
	staging, err := os.MkdirTemp(dir, ".labelwright-")
	if err != nil {
		return nil, fmt.Errorf("write to the folder of --out: %w", err)
	}
	return &exportFolder{dir: dir, staging: staging}, nil
}

// listExport returns the names of the files in dir except staging. All of them must be those
// of an export, unchanged.
func listExport(dir, staging string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return filepath.Join(dir, e.Name()) == staging })
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	const refused = "%s %s. Nothing was written. Choose an empty folder, or move the file away"
	text, err := os.ReadFile(filepath.Join(dir, dataset.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder %s is not empty and is not an earlier export. Nothing was written. Choose another folder", dir)
	}
	if err != nil {
		return nil, err
	}
	m, err := dataset.ReadManifest(text)
	if err != nil {
		return nil, fmt.Errorf(refused, filepath.Join(dir, dataset.ManifestName), "is not the manifest of an export")
	}
	checksums := m.Checksums()
	for _, entry := range entries {
		name, path := entry.Name(), filepath.Join(dir, entry.Name())
		names = append(names, name)
		if name == dataset.ManifestName {
			continue
		}
		want, isExported := checksums[name]
		if !isExported || !entry.Type().IsRegular() {
			return nil, fmt.Errorf(refused, path, "is not part of the earlier export")
		}
		if sum, err := hashFile(path); err != nil {
			return nil, err
		} else if sum != want {
			return nil, fmt.Errorf(refused, path, "was changed after the earlier export")
		}
	}
	return names, nil
}

func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// writeFile writes one of the new files.
func (f *exportFolder) writeFile(name string, content func(io.Writer) error) (err error) {
	file, err := os.OpenFile(filepath.Join(f.staging, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(content(file), file.Close())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Join(f.dir, name), err)
	}
	f.names = append(f.names, name)
	return nil
}

// replace puts the new files in the place of the earlier export, unless files were added or
// changed since.
func (f *exportFolder) replace() error {
	earlier, err := listExport(f.dir, f.staging)
	if err != nil {
		return err
	}
	for _, name := range earlier {
		if !slices.Contains(f.names, name) {
			if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
				return fmt.Errorf("replace the earlier export: %w", err)
			}
		}
	}
	for _, name := range f.names {
		if err := os.Rename(filepath.Join(f.staging, name), filepath.Join(f.dir, name)); err != nil {
			return fmt.Errorf("replace the earlier export: %w", err)
		}
	}
	return nil
}

// close removes what was not moved.
func (f *exportFolder) close() error { return os.RemoveAll(f.staging) }
