package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/protocol"
)

// insertValidRow is valid under newSampleProtocol if foreign keys are off.
const insertValidRow = ` (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers)
	VALUES (%d, 0, nextval('annotations_id_seq'), 0, 0, 0, '{"a": 0, "b": 0, "it''s \"odd\" \\ %%s $&": 0}')`

func TestPublish_NeverBlocksSubmit(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	annotator, publisher, lead := connectNoWait(t, url), connectNoWait(t, url), connectNoWait(t, url)
	mustCreatePartitions(t, publisher, 2001)
	mustExec(t, annotator, "BEGIN")
	mustExec(t, annotator, "SELECT count(*) FROM annotations")
	mustExec(t, annotator, "INSERT INTO annotations"+fmt.Sprintf(insertValidRow, 2001))

	mustExec(t, publisher, "BEGIN")
	mustCreatePartitions(t, publisher, 2002)
	mustExec(t, lead, "SELECT count(*) FROM annotations")
	mustExec(t, annotator, "INSERT INTO annotations"+fmt.Sprintf(insertValidRow, 2001))
	mustExec(t, annotator, "COMMIT")
	mustExec(t, publisher, "COMMIT")
	mustExec(t, lead, "INSERT INTO annotations"+fmt.Sprintf(insertValidRow, 2002))
}

func TestPartition_BadRow_Refused(t *testing.T) {
	t.Parallel()
	conn := connectNoWait(t, pgtest.New(t))
	mustCreatePartitions(t, conn, 2001)
	mustExec(t, conn, `INSERT INTO annotations_2001`+fmt.Sprintf(insertValidRow, 2001))
	for _, insert := range []string{
		`INSERT INTO annotations_2001` + fmt.Sprintf(insertValidRow, 2002),
		`INSERT INTO annotations` + fmt.Sprintf(insertValidRow, 2002),
		`INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers,
			active_ms)
			SELECT protocol_version_id, revision, 0, batch_id, item_id, account_id, answers, -1 FROM annotations`,
	} {
		_, err := conn.Exec(t.Context(), insert)
		if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != "23514" {
			t.Errorf("got %v, want a CHECK violation: %s", err, insert)
		}
	}
}

// connectNoWait returns a connection that does not wait for locks and has foreign keys off.
func connectNoWait(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	mustExec(t, conn, "SET lock_timeout = '200ms'")
	mustExec(t, conn, "SET session_replication_role = replica")
	return conn
}

func mustCreatePartitions(t *testing.T, conn *pgx.Conn, version protocol.VersionID) {
	t.Helper()
	if err := createPartitions(t.Context(), conn, version, newSampleProtocol()); err != nil {
		t.Fatal(err)
	}
}

func mustExec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}
