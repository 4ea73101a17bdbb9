package protocol

import (
	"embed"
	"slices"
	"sync"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// Builtin returns the built-in protocols. They are read like any other definition.
func Builtin() []Protocol { return slices.Clone(loadBuiltin()) }

// IsBuiltin reports whether key is that of a built-in protocol. Only an upgrade
// publishes its versions and revisions.
func IsBuiltin(key string) bool {
	return slices.ContainsFunc(loadBuiltin(), func(p Protocol) bool { return p.Key == key })
}

var loadBuiltin = sync.OnceValue(func() (protocols []Protocol) {
	for _, key := range []string{"ambiguity", "rag-retrieval", "rag-grounding", "rag-generation", "empathy"} {
		name := "builtin/" + key + ".yaml"
		source, err := builtinFiles.ReadFile(name)
		if err != nil {
			panic(err) // unreachable: the files are embedded and a test reads them
		}
		p, err := Read(name, source)
		if err != nil {
			panic(err)
		}
		protocols = append(protocols, p)
	}
	return protocols
})
