package protocol

import (
	"embed"
	"slices"
	"sync"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// Builtin returns the protocols that come with the application, read through
// the same door as any other.
func Builtin() []Protocol { return slices.Clone(loadBuiltin()) }

var loadBuiltin = sync.OnceValue(func() (protocols []Protocol) {
	for _, key := range []string{"ambiguity", "rag-retrieval", "rag-grounding", "rag-generation", "empathy"} {
		name := "builtin/" + key + ".yaml"
		source, err := builtinFiles.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded: a test reads all five
		}
		p, err := Read(name, source)
		if err != nil {
			panic(err)
		}
		protocols = append(protocols, p)
	}
	return protocols
})
