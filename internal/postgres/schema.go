package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/migrations"
)

// A SchemaState compares the schema of a database with this program.
type SchemaState struct {
	Version int  // 0: no schema
	IsDirty bool // a migration stopped halfway
	Latest  int  // the version that this program works with
}

// Check returns an error with what to do, unless this program can use the schema.
func (s SchemaState) Check() error {
	switch {
	case s.IsDirty:
		return fmt.Errorf("a migration to schema version %d stopped halfway: restore a backup, or repair the schema and run `labelwright migrate force %d`", s.Version, s.Version)
	case s.Version > s.Latest:
		return fmt.Errorf("the database has schema version %d, but this Labelwright is older and works with version %d: install the version that updated the database", s.Version, s.Latest)
	case s.Version == 0:
		return fmt.Errorf("the database has no Labelwright schema: create it with `labelwright migrate up`, or start `labelwright serve`")
	case s.Version < s.Latest:
		return fmt.Errorf("the database has schema version %d, but this Labelwright is newer and needs version %d: update it with `labelwright migrate up`", s.Version, s.Latest)
	}
	return nil
}

// Schema returns the state of the schema.
func (db *DB) Schema(ctx context.Context) (SchemaState, error) { return schemaState(ctx, db.pool) }

func schemaState(ctx context.Context, q querier) (SchemaState, error) {
	s := SchemaState{Latest: latestMigration()}
	var exists bool
	if err := q.QueryRow(ctx, `SELECT to_regclass('schema_migrations') IS NOT
		NULL`).Scan(&exists); err != nil || !exists {
		return s, err
	}
	err := q.QueryRow(ctx, `SELECT coalesce(max(version), 0), coalesce(bool_or(dirty), false)
		FROM schema_migrations`).Scan(&s.Version, &s.IsDirty)
	return s, err
}

// latestMigration returns the version of the last migration of this program.
func latestMigration() (latest int) {
	files, _ := migrations.FS.ReadDir(".") // embedded
	for _, file := range files {
		prefix, _, _ := strings.Cut(file.Name(), "_")
		version, err := strconv.Atoi(prefix)
		if err == nil {
			latest = max(latest, version)
		}
	}
	return latest
}
