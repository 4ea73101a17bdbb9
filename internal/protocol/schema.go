package protocol

import (
	_ "embed"
	"slices"
)

//go:embed protocol.schema.json
var schemaJSON []byte

// Schema returns the JSON Schema (2020-12) of a definition. It knows keys,
// types and limits; what the rules mean together only Read can tell.
func Schema() []byte { return slices.Clone(schemaJSON) }
