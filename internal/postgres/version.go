package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
)

// VersionChanged is the kind of a change that expects another version of its object.
const VersionChanged fault.Kind = "precondition_failed"

// A VersionedObject is a kind of object whose changes are counted.
type VersionedObject string

// The versioned objects.
const (
	VersionedProject VersionedObject = "project"
	VersionedBatch   VersionedObject = "batch"
	VersionedWebhook VersionedObject = "webhook"
)

// selectVersion reads the version of an object.
var selectVersion = map[VersionedObject]string{
	VersionedProject: `SELECT version FROM projects WHERE id = $1`,
	VersionedBatch:   `SELECT version FROM batches WHERE id = $1`,
	VersionedWebhook: `SELECT version FROM identity.webhooks WHERE id = $1`,
}

type expectedVersionKey struct{}

type expectedVersion struct {
	object   VersionedObject
	versions []int
}

// WithExpectedVersion returns a context in which an object is changed only if it has one of the
// versions. Other changes fail with VersionChanged, and change nothing.
func WithExpectedVersion(ctx context.Context, object VersionedObject, versions []int) context.Context {
	return context.WithValue(ctx, expectedVersionKey{}, expectedVersion{object, versions})
}

// checkVersion compares the version of an object, which the transaction has locked, with the
// one that the context expects.
func checkVersion(ctx context.Context, tx pgx.Tx, object VersionedObject, id int64) error {
	expected, ok := ctx.Value(expectedVersionKey{}).(expectedVersion)
	if !ok || expected.object != object {
		return nil
	}
	var version int
	if err := tx.QueryRow(ctx, selectVersion[object], id).Scan(&version); err != nil {
		return notFound(err)
	}
	if !slices.Contains(expected.versions, version) {
		return VersionChanged.Errorf("The %s changed since you read it. Read it again, and repeat the change if it still fits.", object)
	}
	return nil
}
