package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// OpenTraced is Open with a tracer of the statements.
func OpenTraced(ctx context.Context, url string, tracer pgx.QueryTracer) (*DB, error) {
	return open(ctx, url, tracer)
}
