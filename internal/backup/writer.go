package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

const (
	headerName = "header.json"
	sumsName   = "sums.json"
	tableDir   = "tables/"
	pieceSize  = 1 << 20 // bytes of a table in one entry of the archive
)

// A Writer writes a backup.
type Writer struct {
	tar     *tar.Writer
	closers []io.Closer // from the inside out
	header  Header
	sums    []TableSum
}

// NewWriter starts a backup on w, encrypted to recipients if there are any.
func NewWriter(w io.Writer, h Header, recipients ...Recipient) (*Writer, error) {
	b := &Writer{header: h}
	if len(recipients) > 0 {
		encrypted, err := age.Encrypt(w, recipients...)
		if err != nil {
			return nil, err
		}
		b.closers, w = append(b.closers, encrypted), encrypted
	}
	compressed, err := zstd.NewWriter(w, zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	b.tar = tar.NewWriter(compressed)
	b.closers = append([]io.Closer{b.tar, compressed}, b.closers...)
	return b, b.writeJSON(headerName, h)
}

// WriteTable writes the next table of the header: copyTo writes its text, of complete lines.
func (b *Writer) WriteTable(copyTo func(io.Writer) error) error {
	t := &tableWriter{archive: b.tar, name: b.header.Tables[len(b.sums)].Name, hash: sha256.New()}
	if err := copyTo(t); err != nil {
		return fmt.Errorf("back up %s: %w", t.name, err)
	}
	if err := t.writePiece(); err != nil {
		return err
	}
	b.sums = append(b.sums, TableSum{Name: t.name, Rows: t.rows, SHA256: hex.EncodeToString(t.hash.Sum(nil))})
	return nil
}

// Close ends the backup with its sums, which it returns. It does not close the file.
func (b *Writer) Close(sequences []Sequence, auditLink string) (Sums, error) {
	s := Sums{Tables: b.sums, Sequences: sequences, AuditLink: auditLink}
	if err := b.writeJSON(sumsName, s); err != nil {
		return s, err
	}
	var errs []error
	for _, c := range b.closers {
		errs = append(errs, c.Close())
	}
	return s, errors.Join(errs...)
}

func (b *Writer) writeJSON(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return writeEntry(b.tar, name, text)
}

func writeEntry(w *tar.Writer, name string, content []byte) error {
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

// A tableWriter writes a table in pieces.
type tableWriter struct {
	archive *tar.Writer
	name    string
	hash    hash.Hash
	rows    int
	piece   bytes.Buffer
}

// Write adds text of the table.
func (t *tableWriter) Write(text []byte) (int, error) {
	t.hash.Write(text)
	t.rows += bytes.Count(text, []byte{'\n'})
	t.piece.Write(text)
	if t.piece.Len() < pieceSize {
		return len(text), nil
	}
	return len(text), t.writePiece()
}

func (t *tableWriter) writePiece() error {
	if t.piece.Len() == 0 {
		return nil
	}
	defer t.piece.Reset()
	return writeEntry(t.archive, tableDir+t.name, t.piece.Bytes())
}
