package postgres

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/backup"
	"github.com/labelwright/labelwright/internal/version"
)

// A BackupOptions says how a backup is written.
type BackupOptions struct {
	Recipients []backup.Recipient    // who can read it; none: everybody
	Progress   func(done, total int) // in rows; total is an estimate
}

// exactText makes COPY write the same text for the same values on any server.
const exactText = `
	SET LOCAL client_encoding = 'UTF8'; SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres';
	SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1;
	SET LOCAL synchronize_seqscans = off; SET LOCAL max_parallel_workers_per_gather = 0;
	SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`

// WriteBackup writes all data of the database at url, as of one moment, while others use it.
func WriteBackup(ctx context.Context, url string, w io.Writer, o BackupOptions) (h backup.Header, s backup.Sums,
	err error) {
	conn, err := connectTo(ctx, url)
	if err != nil {
		return h, s, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			if h, err = readBackupHeader(ctx, tx); err != nil {
				return err
			}
			file, err := backup.NewWriter(w, h, o.Recipients...)
			if err != nil {
				return err
			}
			if err := copyTablesTo(ctx, tx, file, h.Tables, o.Progress); err != nil {
				return err
			}
			sequences, err := readSequences(ctx, tx)
			if err != nil {
				return err
			}
			link, err := collectOne[AuditLink](tx.Query(ctx, `SELECT sequence_no, hash FROM audit_chain_end`))
			if err != nil {
				return err
			}
			s, err = file.Close(sequences, link.String())
			return err
		})
	return h, s, err
}

// RecordBackup records that a backup is whole, where it is kept.
func RecordBackup(ctx context.Context, url string, h backup.Header, size int64) error {
	conn, err := connectTo(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, `INSERT INTO backups (created_at, byte_count) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		h.CreatedAt, size)
	return err
}

func readBackupHeader(ctx context.Context, tx pgx.Tx) (h backup.Header, err error) {
	if _, err := tx.Exec(ctx, setRole, OwnerRole, true); err != nil {
		return h, err
	}
	if _, err := tx.Exec(ctx, exactText); err != nil {
		return h, err
	}
	state, err := schemaState(ctx, tx)
	if err == nil {
		err = state.Check()
	}
	if err != nil {
		return h, err
	}
	h = backup.Header{Format: backup.Format, Program: version.String(), SchemaVersion: state.Version,
		CreatedAt: time.Now().UTC().Truncate(time.Second)}
	h.Tables, err = readTables(ctx, tx)
	return h, err
}

// readTables lists the tables with data: those of the schema, with the jobs of River. The tables of
// migrations and of the running servers are not data. Definitions of protocols come first, because the
// partitions of other tables are made from them.
func readTables(ctx context.Context, q querier) ([]backup.Table, error) {
	return collectAll[backup.Table](q.Query(ctx, `
		SELECT n.nspname || '.' || c.relname AS name, array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns
		FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
		  AND (n.nspname IN ('public', 'identity') AND c.relname NOT IN ('schema_migrations', 'backups') OR n.nspname = 'river' AND c.relname = 'river_job')
		GROUP BY n.nspname, c.relname
		ORDER BY c.relname NOT LIKE 'protocol\_%', n.nspname, c.relname`))
}

func copyTablesTo(ctx context.Context, tx pgx.Tx, file *backup.Writer, tables []backup.Table,
	progress func(done, total int)) error {
	var estimate, done int
	err := tx.QueryRow(ctx, `SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint FROM pg_class
		WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'identity'::regnamespace)`).Scan(&estimate)
	if err != nil {
		return err
	}
	for _, t := range tables {
		err := file.WriteTable(func(w io.Writer) error {
			counted := rowCounter{w, func(rows int) {
				if done += rows; progress != nil {
					progress(done, max(done, estimate))
				}
			}}
			return copyTo(ctx, tx, t, counted)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTo writes the text of a table.
func copyTo(ctx context.Context, tx pgx.Tx, t backup.Table, w io.Writer) error {
	_, err := tx.Conn().PgConn().CopyTo(ctx, w, fmt.Sprintf("COPY (SELECT %s FROM %s) TO STDOUT",
		strings.Join(t.Columns, ", "), t.Name))
	return err
}

// A rowCounter counts the rows that are written or read through it.
type rowCounter struct {
	io.Writer
	add func(rows int)
}

// Write counts the rows of text.
func (c rowCounter) Write(text []byte) (int, error) {
	c.add(bytes.Count(text, []byte{'\n'}))
	return c.Writer.Write(text)
}

func readSequences(ctx context.Context, tx pgx.Tx) (sequences []backup.Sequence, err error) {
	names, err := collectColumn[string](tx.Query(ctx, `
		SELECT n.nspname || '.' || quote_ident(c.relname)
		FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'S' AND n.nspname IN ('public', 'identity', 'river')
		ORDER BY 1`))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s := backup.Sequence{Name: name}
		err := tx.QueryRow(ctx, `SELECT last_value, is_called FROM `+name).Scan(&s.Value, &s.IsCalled)
		if err != nil {
			return nil, err
		}
		sequences = append(sequences, s)
	}
	return sequences, nil
}
