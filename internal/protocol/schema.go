package protocol

import (
	_ "embed"
	"slices"
)

//go:embed protocol.schema.json
var schemaJSON []byte

// Schema returns the JSON Schema (2020-12) of a definition. It covers keys, types
// and limits; Read also checks that the rules are consistent.
func Schema() []byte { return slices.Clone(schemaJSON) }
