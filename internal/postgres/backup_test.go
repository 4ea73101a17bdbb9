package postgres

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/backup"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
)

// newBackup returns a backup of a database, and its sums.
func newBackup(t *testing.T, url string, o BackupOptions) ([]byte, backup.Sums) {
	t.Helper()
	var file bytes.Buffer
	_, s, err := WriteBackup(t.Context(), url, &file, o)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), s
}

// A restored database has the same rows, goes on from the same numbers, and keeps the same rules.
func TestBackup_Restored_IsEqual(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newCalibrationBatch()
	env.submitInTurns(annotators[:2])
	env.newUser("o'neil@example.org", account.Lead)
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file, want := newBackup(t, env.url(), BackupOptions{Recipients: []backup.Recipient{key.Recipient()}})

	url := pgtest.NewEmpty(t)
	rows := 0
	_, s, err := RestoreBackup(t.Context(), url, bytes.NewReader(file), RestoreOptions{
		Identities: []backup.Identity{key}, Progress: func(done, _ int) { rows = done }})
	if err != nil {
		t.Fatal(err)
	}
	if rows != want.Rows() || fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("restored %d rows of %d", rows, want.Rows())
	}
	if _, got := newBackup(t, url, BackupOptions{}); fmt.Sprint(got) != fmt.Sprint(want) {
		for i := range got.Tables {
			if got.Tables[i] != want.Tables[i] {
				t.Errorf("restored %+v, want %+v", got.Tables[i], want.Tables[i])
			}
		}
		t.Errorf("sequences %v, want %v; link %s, want %s", got.Sequences, want.Sequences, got.AuditLink, want.AuditLink)
	}

	restored := env.onDatabase(url)
	if _, err := restored.VerifyAuditLog(t.Context(), AuditLink{}); err != nil {
		t.Error(err)
	}
	if got, want := describeSchema(restored), describeSchema(env); got != want {
		t.Errorf("the schema differs:\n%s", firstDifference(got, want))
	}
	restored.submitInTurns(annotators)
	restored.addItems(p, 100, 2)
	restored.closeBatch(p, b)
	restored.checkRejected(`UPDATE annotations SET note = 'changed'`)
	restored.checkRejected(`TRUNCATE audit_log`)
}

// url returns the address of the database.
func (env testEnv) url() string { return env.pool.Config().ConnString() }

// onDatabase returns the environment on another database.
func (env testEnv) onDatabase(url string) testEnv {
	env.t.Helper()
	db, err := Open(env.t.Context(), url)
	if err != nil {
		env.t.Fatal(err)
	}
	env.t.Cleanup(db.Close)
	env.DB = db
	return env
}

// describeSchema lists constraints, indexes, triggers, functions, columns and rights.
func describeSchema(env testEnv) string {
	return query[string](env, `
		SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (
			SELECT conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated::text AS line
			FROM pg_constraint WHERE connamespace IN ('public'::regnamespace, 'identity'::regnamespace) AND contype <> 't'
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN ('public', 'identity', 'river')
			UNION ALL SELECT pg_get_triggerdef(oid) || ' ' || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
			UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
			WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
			UNION ALL SELECT attrelid::regclass::text || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || attnotnull::text
			FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
			WHERE c.relnamespace IN ('public'::regnamespace, 'identity'::regnamespace) AND attnum > 0
			UNION ALL SELECT oid::regclass::text || ' ' || relkind::text || ' ' || coalesce(relacl::text, '') || coalesce(reloptions::text, '')
			FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'identity'::regnamespace)) described`)
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// Nothing is restored of a backup that is damaged, does not fit, or into a database that is in use.
func TestRestore_Refused_ChangesNothing(t *testing.T) {
	env := newTestEnv(t)
	env.newStartedBatch()
	file, s := newBackup(t, env.url(), BackupOptions{})
	_, _, err := RestoreBackup(t.Context(), env.url(), bytes.NewReader(file), RestoreOptions{})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("into a database in use: %v", err)
	}
	h, _, err := backup.Read(bytes.NewReader(file), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]byte{}
	_, _, _ = backup.Read(bytes.NewReader(file), nil, nil, func(t backup.Table, text io.Reader) error {
		tables[t.Name], _ = io.ReadAll(text)
		return nil
	})
	rewrite := func(change func(*backup.Header, map[string][]byte)) []byte {
		h, changed := h, map[string][]byte{}
		for name, text := range tables {
			changed[name] = text
		}
		change(&h, changed)
		var file bytes.Buffer
		w, _ := backup.NewWriter(&file, h)
		for _, table := range h.Tables {
			_ = w.WriteTable(func(w io.Writer) error { _, err := w.Write(changed[table.Name]); return err })
		}
		_, _ = w.Close(s.Sequences, s.AuditLink)
		return file.Bytes()
	}
	for name, file := range map[string][]byte{
		"flipped": append(bytes.Clone(file[:len(file)/2]), append([]byte{file[len(file)/2] ^ 1}, file[len(file)/2+1:]...)...),
		"cut":     file[:len(file)-20],
		"newer":   rewrite(func(h *backup.Header, _ map[string][]byte) { h.SchemaVersion = 9999 }),
		"a table that the schema lacks": rewrite(func(h *backup.Header, _ map[string][]byte) {
			h.Tables = append([]backup.Table{{Name: "public.protocol_others", Columns: []string{"id"}}}, h.Tables...)
		}),
		"a statement as the name of a table": rewrite(func(h *backup.Header, _ map[string][]byte) {
			h.Tables = append([]backup.Table{{Name: "public.items; DROP TABLE public.items; --"}}, h.Tables...)
		}),
		"a statement as a column": rewrite(func(h *backup.Header, _ map[string][]byte) {
			h.Tables = slices.Clone(h.Tables)
			h.Tables[0].Columns = []string{"id) FROM STDIN; DROP TABLE public.items; --"}
		}),
		"a label without its item": rewrite(func(_ *backup.Header, tables map[string][]byte) { tables["public.items"] = nil }),
		"a forged table":           rewrite(func(_ *backup.Header, t map[string][]byte) { t["public.projects"] = []byte("1\n") }),
	} {
		url := pgtest.NewEmpty(t)
		if _, _, err := RestoreBackup(t.Context(), url, bytes.NewReader(file), RestoreOptions{}); err == nil {
			t.Errorf("%s is restored", name)
		}
		_, _, err := RestoreBackup(t.Context(), url, bytes.NewReader(newFile(t, env.url())), RestoreOptions{})
		if err != nil {
			t.Errorf("after %s, a whole backup: %v", name, err)
		}
	}
}

func newFile(t *testing.T, url string) []byte {
	t.Helper()
	file, _ := newBackup(t, url, BackupOptions{})
	return file
}

// A backup is of one moment, also while annotators label: every label in it has what it refers to.
func TestBackup_UnderLoad_IsConsistent(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(4, 10, project.BatchSpec{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		env.submitInTurns(annotators)
	}()
	for isDone := false; !isDone; {
		select {
		case <-done:
			isDone = true
		default:
		}
		url := pgtest.NewEmpty(t)
		_, _, err := RestoreBackup(t.Context(), url, bytes.NewReader(newFile(t, env.url())), RestoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		restored := env.onDatabase(url)
		restored.checkCount(0, `assignments a WHERE a.state = 'submitted' AND NOT EXISTS (
			SELECT FROM annotations n WHERE n.assignment_id = a.id)`)
	}
}
