// Package migrations embeds the database schema.
package migrations

import "embed"

// FS holds the migrations, named as golang-migrate expects.
//
//go:embed *.sql
var FS embed.FS
