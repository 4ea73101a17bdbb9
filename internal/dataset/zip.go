package dataset

import (
	"archive/zip"
	"io"
	"path"

	"github.com/klauspost/compress/flate"
)

// A ZipWriter writes the files of a dataset into one zip file. The same files give the same
// bytes.
type ZipWriter struct{ zip *zip.Writer }

// NewZipWriter returns a writer of a zip file to w.
func NewZipWriter(w io.Writer) ZipWriter {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.DefaultCompression)
	})
	return ZipWriter{z}
}

// AddFile is a FileSink.
func (z ZipWriter) AddFile(name string, write func(io.Writer) error) error {
	file, err := z.NewFile(name)
	if err != nil {
		return err
	}
	return write(file)
}

// NewFile starts a file, which ends with the next one. Parquet is compressed already.
func (z ZipWriter) NewFile(name string) (io.Writer, error) {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	if path.Ext(name) == "."+string(Parquet) {
		header.Method = zip.Store
	}
	return z.zip.CreateHeader(header)
}

// Close completes the zip file.
func (z ZipWriter) Close() error { return z.zip.Close() }
