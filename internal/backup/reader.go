package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

const (
	ageIntro      = "age-encryption.org/v1"
	zstdIntro     = "\x28\xb5\x2f\xfd"
	maxJSON       = 16 << 20 // bytes of the header and of the sums
	decoderMemory = 128 << 20
)

// Read reads a backup from the start to its end, and returns its header and sums. It opens an encrypted one
// with identities. start gets the header; then read gets the text of each table, in order. Either can be
// nil. An error says what is wrong with the file, so that nothing is to be kept of what was read before.
func Read(file io.Reader, identities []Identity, start func(Header) error,
	read func(Table, io.Reader) error) (h Header, s Sums, err error) {
	text, err := open(bufio.NewReaderSize(file, 1<<16), identities)
	if err != nil {
		return h, s, err
	}
	defer text.Close()
	r := &reader{archive: tar.NewReader(text)}
	if h, err = r.readHeader(); err != nil {
		return h, s, err
	}
	if start != nil {
		if err := start(h); err != nil {
			return h, s, err
		}
	}
	found := make([]TableSum, len(h.Tables))
	for i, t := range h.Tables {
		if found[i], err = r.readTable(t, read); err != nil {
			return h, s, err
		}
	}
	if s, err = r.readSums(found); err != nil {
		return h, s, err
	}
	if _, err := io.Copy(io.Discard, text); err != nil { // the checksum of the file is behind the archive
		return h, s, explain(err, "its end")
	}
	return h, s, nil
}

// open returns the archive in a file.
func open(file *bufio.Reader, identities []Identity) (*zstd.Decoder, error) {
	var source io.Reader = file
	if intro, _ := file.Peek(len(ageIntro)); string(intro) == ageIntro {
		if len(identities) == 0 {
			return nil, ErrEncrypted
		}
		text, err := age.Decrypt(file, identities...)
		if _, isWrongKey := errors.AsType[*age.NoIdentityMatchError](err); isWrongKey {
			return nil, ErrWrongKey
		}
		if err != nil {
			return nil, errDamaged("its start")
		}
		source = text
	} else if intro, _ := file.Peek(len(zstdIntro)); string(intro) != zstdIntro {
		return nil, ErrNotBackup
	}
	return zstd.NewReader(source, zstd.WithDecoderMaxMemory(decoderMemory), zstd.WithDecoderConcurrency(1))
}

type reader struct {
	archive *tar.Reader
	next    string // the entry that is open; empty: none
}

// advance opens the next entry. At the end of the archive there is none.
func (r *reader) advance(place string) error {
	entry, err := r.archive.Next()
	if errors.Is(err, io.EOF) {
		r.next = ""
		return nil
	}
	if err != nil {
		return explain(err, place)
	}
	r.next = entry.Name
	return nil
}

// explain returns what an error of reading says about the file.
func explain(err error, place string) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return ErrCut
	}
	return errDamaged(place)
}

func (r *reader) readHeader() (h Header, err error) {
	if err := r.advance("its start"); err != nil {
		return h, err
	}
	if r.next != headerName {
		return h, ErrNotBackup
	}
	if err := r.readJSON(&h); err != nil {
		return h, err
	}
	if h.Format > Format {
		return h, ErrNewer
	}
	return h, r.advance("the first table")
}

func (r *reader) readJSON(value any) error {
	text, err := io.ReadAll(io.LimitReader(r.archive, maxJSON))
	if err != nil {
		return explain(err, r.next)
	}
	if json.Unmarshal(text, value) != nil {
		return errDamaged(r.next)
	}
	return nil
}

// readTable reads the entries of a table, if it has any: a table without rows has none.
func (r *reader) readTable(t Table, read func(Table, io.Reader) error) (TableSum, error) {
	text := &tableReader{reader: r, name: t.Name, hash: sha256.New()}
	if read != nil {
		if err := read(t, text); err != nil {
			return TableSum{}, errors.Join(text.err, err)
		}
	}
	if _, err := io.Copy(io.Discard, text); err != nil {
		return TableSum{}, err
	}
	return TableSum{Name: t.Name, Rows: text.rows, SHA256: hex.EncodeToString(text.hash.Sum(nil))}, nil
}

// readSums compares the sums of the file with those of the tables that were found.
func (r *reader) readSums(found []TableSum) (s Sums, err error) {
	if r.next == "" {
		return s, ErrCut
	}
	if r.next != sumsName {
		return s, errDamaged(strings.TrimPrefix(r.next, tableDir))
	}
	if err := r.readJSON(&s); err != nil {
		return s, err
	}
	if len(s.Tables) != len(found) {
		return s, errDamaged("the list of tables")
	}
	for i, t := range s.Tables {
		if t != found[i] {
			return s, errDamaged(found[i].Name)
		}
	}
	if err := r.advance("its end"); err != nil || r.next != "" {
		return s, errDamaged("its end")
	}
	return s, nil
}

// A tableReader reads the text of a table.
type tableReader struct {
	*reader
	name string
	hash hash.Hash
	rows int
	err  error // of the file
}

// Read reads text of the table, through all of its entries.
func (t *tableReader) Read(text []byte) (int, error) {
	for t.next == tableDir+t.name {
		n, err := t.archive.Read(text)
		t.hash.Write(text[:n])
		t.rows += bytes.Count(text[:n], []byte{'\n'})
		if err != nil && !errors.Is(err, io.EOF) {
			t.err = explain(err, t.name)
			return n, t.err
		}
		if errors.Is(err, io.EOF) {
			if t.err = t.advance(t.name); t.err != nil {
				return n, t.err
			}
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}
