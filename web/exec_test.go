package web

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// execSQL changes what is stored, where no page would.
func (w testServer) execSQL(sql string, args ...any) {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.databaseURL)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(w.Context()))
	if _, err := conn.Exec(w.Context(), sql, args...); err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
}
