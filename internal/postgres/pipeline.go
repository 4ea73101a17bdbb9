package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A pipelinedTx is a transaction that begins in the round trip of its first statements and
// can be committed in the round trip of its last.
type pipelinedTx struct {
	conn      *pgxpool.Conn
	ended     bool
	hasPooler bool
}

// inPipelinedTx runs fn in a transaction. fn must call sendFirst before anything else.
func (db *DB) inPipelinedTx(ctx context.Context, fn func(*pipelinedTx) error) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // closes the connection if its transaction is still open
	tx := &pipelinedTx{conn: conn, hasPooler: db.hasPooler}
	if err := fn(tx); err != nil {
		if tx.conn.Conn().PgConn().TxStatus() != 'I' {
			_, _ = tx.conn.Exec(context.WithoutCancel(ctx), "rollback") // if it fails, the connection is closed
		}
		return err
	}
	return tx.commit(ctx)
}

// sendFirst begins the transaction and sends the statements of b.
func (tx *pipelinedTx) sendFirst(ctx context.Context, b *pgx.Batch) (pgx.BatchResults, error) {
	if tx.hasPooler { // begins with several statements, which a batch cannot have in one
		if _, err := tx.conn.Exec(ctx, beginWithSettings(pgx.TxOptions{}),
			pgx.QueryExecModeSimpleProtocol); err != nil {
			return nil, err
		}
		return tx.conn.SendBatch(ctx, b), nil
	}
	withBegin := &pgx.Batch{}
	withBegin.Queue("begin")
	withBegin.QueuedQueries = append(withBegin.QueuedQueries, b.QueuedQueries...)
	results := tx.conn.SendBatch(ctx, withBegin)
	if _, err := results.Exec(); err != nil {
		_ = results.Close()
		return nil, err
	}
	return results, nil
}

// send sends the statements of b.
func (tx *pipelinedTx) send(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return tx.conn.SendBatch(ctx, b)
}

// sendLast sends the statements of b and commits. The transaction is committed if closing
// the results returns no error.
func (tx *pipelinedTx) sendLast(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	b.Queue("commit")
	tx.ended = true
	return tx.conn.SendBatch(ctx, b)
}

// commit commits the transaction unless sendLast did.
func (tx *pipelinedTx) commit(ctx context.Context) error {
	if tx.ended {
		return nil
	}
	tag, err := tx.conn.Exec(ctx, "commit")
	if err == nil && tag.String() != "COMMIT" {
		err = pgx.ErrTxCommitRollback
	}
	return err
}

// Exec, Query and QueryRow make a pipelinedTx a querier.

func (tx *pipelinedTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return tx.conn.Exec(ctx, sql, args...)
}

func (tx *pipelinedTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return tx.conn.Query(ctx, sql, args...)
}

func (tx *pipelinedTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return tx.conn.QueryRow(ctx, sql, args...)
}
