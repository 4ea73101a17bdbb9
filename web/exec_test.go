package web

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// execSQL changes data directly in the database.
func (env testEnv) execSQL(sql string, args ...any) {
	env.Helper()
	conn, err := pgx.Connect(env.Context(), env.databaseURL)
	if err != nil {
		env.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(env.Context()))
	if _, err := conn.Exec(env.Context(), sql, args...); err != nil {
		env.Fatalf("%s: %v", sql, err)
	}
}
