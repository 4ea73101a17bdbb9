package backup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/labelwright/labelwright/internal/fault"
)

var testHeader = Header{Format: Format, Program: "0.1.0", SchemaVersion: 44,
	CreatedAt: time.Date(2026, 11, 28, 2, 0, 0, 0, time.UTC), Tables: []Table{
		{Name: "public.items", Columns: []string{"id", "content"}},
		{Name: "public.empty", Columns: []string{"id"}},
		{Name: "identity.users", Columns: []string{"id", "name"}},
	}}

// testTables have a table of several pieces, one without rows, and one with text of many kinds.
var testTables = map[string]string{
	"public.items":   strings.Repeat("1\tan item of a model\\nwith two lines\n", 80_000),
	"public.empty":   "",
	"identity.users": "1\tAda \u2066עדה\u2069\n2\t\\N\n",
}

func write(t *testing.T, h Header, recipients ...age.Recipient) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, h, recipients...)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range h.Tables {
		err := w.WriteTable(func(w io.Writer) error {
			_, err := io.Copy(w, strings.NewReader(testTables[table.Name]))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close([]Sequence{{Name: "public.items_id_seq", Value: 7, IsCalled: true}}, "1:ff"); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func newKey(t *testing.T) *age.X25519Identity {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestRead_Written_IsEqual(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	for _, file := range [][]byte{write(t, testHeader), write(t, testHeader, newKey(t).Recipient(), key.Recipient())} {
		tables := map[string]string{}
		h, s, err := Read(bytes.NewReader(file), []age.Identity{key}, nil, func(table Table, text io.Reader) error {
			content, err := io.ReadAll(text)
			tables[table.Name] = string(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(h), fmt.Sprint(testHeader); got != want {
			t.Errorf("header %s, want %s", got, want)
		}
		if got, want := fmt.Sprint(tables), fmt.Sprint(testTables); got != want {
			t.Error("the tables differ")
		}
		if s.Rows() != 80_002 || s.Tables[1].Rows != 0 || s.Sequences[0].Value != 7 {
			t.Errorf("sums %+v", s)
		}
	}
}

// Each kind of damage has its name.
func TestRead_Damaged_IsNamed(t *testing.T) {
	t.Parallel()
	key, plain := newKey(t), write(t, testHeader)
	encrypted := write(t, testHeader, key.Recipient())
	newer := testHeader
	newer.Format++
	flip := func(file []byte, at int) []byte {
		file = bytes.Clone(file)
		file[at] ^= 1
		return file
	}
	for name, test := range map[string]struct {
		file []byte
		keys []age.Identity
		want error
	}{
		"empty":               {nil, nil, ErrNotBackup},
		"foreign":             {[]byte("PK\x03\x04 a zip"), nil, ErrNotBackup},
		"cut in a table":      {plain[:len(plain)/2], nil, ErrCut},
		"cut at the end":      {plain[:len(plain)-1], nil, ErrCut},
		"cut, encrypted":      {encrypted[:len(encrypted)/2], []age.Identity{key}, nil},
		"no key":              {encrypted, nil, ErrEncrypted},
		"wrong key":           {encrypted, []age.Identity{newKey(t)}, ErrWrongKey},
		"newer":               {write(t, newer), nil, ErrNewer},
		"flipped":             {flip(plain, len(plain)/2), nil, nil},
		"flipped at the end":  {flip(plain, len(plain)-2), nil, nil},
		"flipped, encrypted":  {flip(encrypted, len(encrypted)-40), []age.Identity{key}, nil},
		"flipped, its header": {flip(encrypted, 60), []age.Identity{key}, nil},
		"text behind":         {append(bytes.Clone(plain), "more"...), nil, nil},
	} {
		_, _, err := Read(bytes.NewReader(test.file), test.keys, nil, nil)
		if test.want != nil && !errors.Is(err, test.want) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// Any byte that is missing is noticed, and any that is changed, unless it carries nothing.
func TestRead_AnyByteChanged_IsNoticed(t *testing.T) {
	t.Parallel()
	h := testHeader
	h.Tables = h.Tables[1:]
	file := write(t, h)
	content := func(file []byte) (all string, err error) {
		h, s, err := Read(bytes.NewReader(file), nil, nil, func(_ Table, text io.Reader) error {
			content, err := io.ReadAll(text)
			all += string(content)
			return err
		})
		return fmt.Sprint(h, s, all), err
	}
	whole, err := content(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		changed := bytes.Clone(file)
		changed[i] ^= 0x10
		if got, err := content(changed); err == nil && got != whole {
			t.Errorf("byte %d of %d can change", i, len(file))
		}
		if _, _, err := Read(bytes.NewReader(file[:i]), nil, nil, nil); err == nil {
			t.Errorf("the file can end after %d of %d bytes", i, len(file))
		}
	}
}
