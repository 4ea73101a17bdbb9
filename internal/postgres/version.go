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
	VersionedAccount VersionedObject = "account"
	VersionedProject VersionedObject = "project"
	VersionedMember  VersionedObject = "member"
	VersionedBatch   VersionedObject = "batch"
	VersionedWebhook VersionedObject = "webhook"
)

// selectVersion reads the version of an object by its key.
var selectVersion = map[VersionedObject]string{
	VersionedAccount: `SELECT version FROM accounts WHERE id = $1`,
	VersionedProject: `SELECT version FROM projects WHERE id = $1`,
	VersionedMember:  `SELECT version FROM members WHERE project_id = $1 AND account_id = $2 FOR NO KEY UPDATE`,
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
// one that the context expects. It locks a member itself.
func checkVersion(ctx context.Context, tx pgx.Tx, object VersionedObject, key ...any) error {
	expected, ok := ctx.Value(expectedVersionKey{}).(expectedVersion)
	if !ok || expected.object != object {
		return nil
	}
	var version int
	if err := tx.QueryRow(ctx, selectVersion[object], key...).Scan(&version); err != nil {
		return notFound(err)
	}
	if !slices.Contains(expected.versions, version) {
		return VersionChanged.Errorf("The %s changed since you read it. Read it again, and repeat the change if it still fits.", object)
	}
	return nil
}
