// Package migrations holds the schema, step by step.
package migrations

import "embed"

// FS holds the steps, named as golang-migrate reads them.
//
//go:embed *.sql
var FS embed.FS
