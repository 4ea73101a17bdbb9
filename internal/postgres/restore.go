package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/golang-migrate/migrate/v4"
	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/backup"
	"github.com/labelwright/labelwright/internal/fault"
)

// A RestoreOptions says how a backup is restored.
type RestoreOptions struct {
	Identities []backup.Identity     // that open an encrypted backup
	Erasures   []Erasure             // that are made again
	Progress   func(done, total int) // in rows
}

var errNotEmpty = fault.Conflict.Errorf(
	"The database is not empty. Restore a backup into a new database, or into a data folder that does not exist.")

// The texts of backups that fit no schema of this program.
const (
	newerSchema = "The backup has schema version %d, and this Labelwright works with version %d. Restore it with the version that wrote it (%s), or with a later one."
	otherTable  = "The backup has a table “%s” that schema version %d does not have in this form. Use another backup."
)

// RestoreBackup restores a backup into the empty database at url, and updates the schema to this program's.
// The file is read once before anything is restored, so that a damaged one changes nothing. The
// transaction that restores it compares every table with the sums of the file, and verifies the audit log
// and the seals of a schema that is this program's.
func RestoreBackup(ctx context.Context, url string, file io.ReadSeeker, o RestoreOptions) (h backup.Header,
	s backup.Sums, err error) {
	h, s, err = backup.Read(file, o.Identities, nil, nil)
	if err != nil {
		return h, s, err
	}
	if latest := latestMigration(); h.SchemaVersion > latest {
		return h, s, fault.Invalid.Errorf(newerSchema, h.SchemaVersion, latest, h.Program)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return h, s, err
	}
	if err := createEmptySchema(ctx, url, h.SchemaVersion); err != nil {
		return h, s, err
	}
	conn, err := connectTo(ctx, url)
	if err != nil {
		return h, s, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		return restoreTables(ctx, tx, file, h.SchemaVersion, s, o)
	})
	if err != nil {
		return h, s, fmt.Errorf("restore the backup: %w", err)
	}
	return h, s, MigrateUp(ctx, url)
}

// createEmptySchema creates the schema of a version in an empty database. The schema of a restore that did
// not end is empty, too.
func createEmptySchema(ctx context.Context, url string, schemaVersion int) error {
	err := withMigrations(ctx, url, func(m *migrate.Migrate, state SchemaState) error {
		if state.Version == schemaVersion && !state.IsDirty {
			return nil
		}
		if state.Version != 0 {
			return errNotEmpty
		}
		return m.Migrate(uint(schemaVersion))
	})
	if err != nil {
		return err
	}
	return migrateJobs(ctx, url)
}

func restoreTables(ctx context.Context, tx pgx.Tx, file io.Reader, schemaVersion int, s backup.Sums,
	o RestoreOptions) error {
	if _, err := tx.Exec(ctx, lockMigrations); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, setRole, OwnerRole, true); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, exactText); err != nil {
		return err
	}
	var hasAccounts bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM accounts) OR EXISTS (SELECT FROM audit_log)`).Scan(&hasAccounts)
	if err == nil && hasAccounts {
		err = errNotEmpty
	}
	if err != nil {
		return err
	}
	tables, err := readTables(ctx, tx)
	if err != nil {
		return err
	}
	guards, err := liftGuards(ctx, tx)
	if err != nil {
		return err
	}
	done, total, hasPartitions := 0, s.Rows(), false
	_, _, err = backup.Read(file, o.Identities, nil, func(t backup.Table, text io.Reader) error {
		// Names of the file go into statements, so they must be those of the schema.
		if !slices.ContainsFunc(tables, func(own backup.Table) bool {
			return own.Name == t.Name && slices.Equal(own.Columns, t.Columns)
		}) {
			return fault.Invalid.Errorf(otherTable, t.Name, schemaVersion)
		}
		if !hasPartitions && !strings.HasPrefix(t.Name, "public.protocol_") {
			hasPartitions = true
			if err := restorePartitionsIn(ctx, tx); err != nil {
				return err
			}
		}
		counted := io.TeeReader(text, rowCounter{io.Discard, func(rows int) {
			if done += rows; o.Progress != nil {
				o.Progress(done, total)
			}
		}})
		return copyFrom(ctx, tx, t, counted)
	})
	if err != nil {
		return err
	}
	if err := checkRestored(ctx, tx, tables, s); err != nil {
		return err
	}
	for _, q := range s.Sequences {
		if _, err := tx.Exec(ctx, `SELECT setval($1::regclass, $2, $3)`, q.Name, q.Value, q.IsCalled); err != nil {
			return err
		}
	}
	if err := guards.putBack(ctx, tx); err != nil {
		return err
	}
	if err := eraseRestored(ctx, tx, o.Erasures); err != nil {
		return err
	}
	if schemaVersion < latestMigration() {
		return nil
	}
	return errors.Join(checkAuditChain(ctx, tx), checkData(ctx, tx))
}

// copyFrom replaces the rows of a table.
func copyFrom(ctx context.Context, tx pgx.Tx, t backup.Table, text io.Reader) error {
	if _, err := tx.Exec(ctx, `TRUNCATE `+t.Name); err != nil {
		return err
	}
	_, err := tx.Conn().PgConn().CopyFrom(ctx, text, fmt.Sprintf("COPY %s (%s) FROM STDIN", t.Name,
		strings.Join(t.Columns, ", ")))
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// checkRestored compares the tables with the sums of the backup.
func checkRestored(ctx context.Context, tx pgx.Tx, tables []backup.Table, s backup.Sums) error {
	byName := make(map[string]backup.Table, len(tables))
	for _, t := range tables {
		byName[t.Name] = t
	}
	for _, want := range s.Tables {
		hash, rows := sha256.New(), 0
		err := copyTo(ctx, tx, byName[want.Name], rowCounter{hash, func(n int) { rows += n }})
		if err != nil {
			return err
		}
		if rows != want.Rows || hex.EncodeToString(hash.Sum(nil)) != want.SHA256 {
			return fault.Conflict.Errorf("%s has other content than the backup: %d rows instead of %d. Nothing was restored.",
				want.Name, rows, want.Rows)
		}
	}
	return nil
}

// restorePartitionsIn creates the partitions of the protocol versions that were restored.
func restorePartitionsIn(ctx context.Context, tx pgx.Tx) error {
	published, err := new(DB).publishedProtocols(ctx, tx)
	if err != nil {
		return err
	}
	for _, p := range published {
		if err := createPartitions(ctx, tx, p.VersionID, p.Protocol); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, disableTriggers)
	return err
}

// guards are what keeps tables consistent, and what a restore lifts until all tables are there.
type guards struct{ statements []string }

// liftGuards drops the foreign keys and disables the triggers.
func liftGuards(ctx context.Context, tx pgx.Tx) (g guards, err error) {
	keys, err := collectAll[struct{ Table, Name, Definition string }](tx.Query(ctx, `
		SELECT c.conrelid::regclass::text AS table, quote_ident(c.conname) AS name, pg_get_constraintdef(c.oid) AS definition
		FROM pg_constraint c
		WHERE c.contype = 'f' AND c.conparentid = 0
		  AND c.connamespace IN ('public'::regnamespace, 'identity'::regnamespace, 'river'::regnamespace)
		ORDER BY c.oid`))
	if err != nil {
		return g, err
	}
	for _, k := range keys {
		g.statements = append(g.statements,
			fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s %s", k.Table, k.Name, k.Definition))
		if _, err := tx.Exec(ctx, fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s", k.Table, k.Name)); err != nil {
			return g, err
		}
	}
	always, err := collectColumn[string](tx.Query(ctx, `
		SELECT format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', g.tgrelid::regclass, g.tgname)
		FROM pg_trigger g
		WHERE g.tgenabled = 'A' AND NOT g.tgisinternal`))
	if err != nil {
		return g, err
	}
	g.statements = append(append([]string{enableTriggers}, always...), g.statements...)
	_, err = tx.Exec(ctx, disableTriggers)
	return g, err
}

// putBack checks that the tables are consistent, and keeps them so.
func (g guards) putBack(ctx context.Context, tx pgx.Tx) error {
	for _, statement := range g.statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

const (
	disableTriggers = forEachTable + `EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t); END LOOP; END $$`
	enableTriggers  = forEachTable + `EXECUTE format('ALTER TABLE %s ENABLE TRIGGER USER', t); END LOOP; END $$`
	forEachTable    = `DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relkind IN ('r', 'p')
		AND relnamespace IN ('public'::regnamespace, 'identity'::regnamespace) LOOP `
)
