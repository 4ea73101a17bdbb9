package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/web/api"
)

// An importFile is a file that is read several times and never in memory: for its hash, and
// for each project.
type importFile struct {
	*os.File
	size   int64
	sha256 [32]byte
	isCopy bool // of standard input
}

// openImportFile opens a file of items. Standard input, or a pipe, is copied to a temporary
// file first.
func openImportFile(s streams, path string) (f *importFile, err error) {
	in, err := s.open(path)
	if err != nil {
		return nil, err
	}
	f = &importFile{}
	if file, ok := in.(*os.File); ok && isRegular(file) {
		f.File = file
		err = f.read(io.Discard, file)
	} else {
		err = f.copy(in)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), f.close())
	}
	return f, nil
}

// A sizedFile is an importer.Source.
type sizedFile struct{ *os.File }

// Size returns the bytes of the file, 0 if they are not known.
func (f sizedFile) Size() int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

func isRegular(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && (info.Mode().IsRegular() || info.IsDir()) // reading a folder says that it is one
}

func (f *importFile) copy(in io.ReadCloser) (err error) {
	if f.File, err = os.CreateTemp("", "labelwright-import-*"); err != nil {
		return err
	}
	f.isCopy = true
	return errors.Join(f.read(f.File, in), in.Close())
}

// read copies a file to w and keeps its size and hash.
func (f *importFile) read(w io.Writer, in io.Reader) (err error) {
	hash := sha256.New()
	f.size, err = io.Copy(io.MultiWriter(w, hash), in)
	hash.Sum(f.sha256[:0])
	return err
}

func (f *importFile) close() error {
	if f.File == nil {
		return nil
	}
	err := f.Close()
	if f.isCopy {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// A rowFile is a small file of rows for an operation.
type rowFile struct {
	*bytes.Reader
	name string
}

func readRows(s streams, path string) (rowFile, error) {
	content, err := readImport(s, path)
	return rowFile{Reader: bytes.NewReader(content), name: filepath.Base(path)}, err
}

// readImport reads a small file up to one byte above the limit, so that the importer reports a
// larger one.
func readImport(s streams, path string) ([]byte, error) {
	file, err := s.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, importer.FileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return content, nil
}

func (f rowFile) params() api.FileParams { return api.FileParams{File: f.name} }

// withRows returns the errors in the rows of a file, which a server describes by row and column, as
// FileErrors. Any other error stays as it is.
func withRows(err error, name string) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !slices.ContainsFunc(f.Fields, func(p fault.FieldProblem) bool { return p.Row > 0 }) {
		return err
	}
	list := make(importer.FileErrors, len(f.Fields))
	for i, p := range f.Fields {
		list[i] = importer.FileError{File: name, Row: p.Row, Column: p.Field, Message: p.Message}
	}
	return list
}

// An invalidFile takes the rows that an import leaves out. It is nil if none is.
type invalidFile struct {
	*os.File
	err error
}

// openInvalid creates the file for rows with errors, which must not exist yet.
func (i importCommand) openInvalid() (*invalidFile, error) {
	if i.SkipInvalid == "" {
		return nil, nil
	}
	file, err := os.OpenFile(i.SkipInvalid, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the file for rows with errors: %w", err)
	}
	return &invalidFile{File: file}, nil
}

func (f *invalidFile) add(row importer.InvalidRow) {
	if f != nil && f.err == nil {
		_, f.err = f.Write(row.JSON())
	}
}

// close closes the file. It is removed if no row is in it or the import failed.
func (f *invalidFile) close(isImported bool) error {
	if f == nil {
		return nil
	}
	size, err := f.Seek(0, io.SeekCurrent)
	err = errors.Join(f.err, err, f.Close())
	if !isImported || size == 0 {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
