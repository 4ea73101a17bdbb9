// Package backup reads and writes the file of a backup: every table as the text of COPY, in one compressed
// file, encrypted where recipients are given.
//
// The file is a tar archive in zstd, and in age where it is encrypted. It starts with header.json, has the
// tables in pieces, in the order of the header, and ends with sums.json: the rows and the SHA-256 of each
// table. A file that ends early has no sums, so that it cannot pass for a whole one.
package backup

import (
	"time"

	"github.com/labelwright/labelwright/internal/fault"
)

// Format is the version of the file format.
const Format = 1

// A Header starts a backup.
type Header struct {
	Format        int       `json:"format"`
	Program       string    `json:"program"` // the version of Labelwright that wrote it
	SchemaVersion int       `json:"schema_version"`
	CreatedAt     time.Time `json:"created_at"`
	Tables        []Table   `json:"tables"` // in the order of the file
}

// A Table is a table of a backup.
type Table struct {
	Name    string   `json:"name"` // with its schema: identity.users
	Columns []string `json:"columns"`
}

// Sums end a backup: what the tables before them must add up to.
type Sums struct {
	Tables    []TableSum `json:"tables"` // in the order of the header
	Sequences []Sequence `json:"sequences"`
	AuditLink string     `json:"audit_link"` // the last of the audit log, to compare with later ones
}

// A TableSum is the size and the hash of a table.
type TableSum struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"` // of its text, hexadecimal
}

// A Sequence is the state of a sequence.
type Sequence struct {
	Name     string `json:"name"` // with its schema
	Value    int64  `json:"value"`
	IsCalled bool   `json:"is_called"` // the next value is the one after Value
}

// Rows returns the number of rows of all tables.
func (s Sums) Rows() (rows int) {
	for _, t := range s.Tables {
		rows += t.Rows
	}
	return rows
}

// The faults of a file.
var (
	ErrNotBackup = fault.Invalid.Errorf("This file is not a backup of Labelwright.")
	ErrEncrypted = fault.Invalid.Errorf("The backup is encrypted. Give the file with its key by --identity.")
	ErrWrongKey  = fault.Invalid.Errorf("None of the keys opens the backup. Give the identity of one of its recipients.")
	ErrCut       = fault.Invalid.Errorf("The backup ends early: a part of the file is missing. Use another backup.")
	ErrNewer     = fault.Invalid.Errorf("A later version of Labelwright wrote this backup. Restore it with that version or a later one.")
)

// errDamaged names the place of a damage.
func errDamaged(place string) error {
	return fault.Invalid.Errorf("The backup is damaged: %s is not as it was written. Use another backup.", place)
}
