package protocol

import (
	"slices"
	"testing"
)

func TestBuiltinHoldsTheFiveProtocols(t *testing.T) {
	t.Parallel()
	names := each(Builtin(), Protocol.Name)
	want := []string{"ambiguity v1.0", "rag-retrieval v1.0", "rag-grounding v1.0", "rag-generation v1.0", "empathy v1.0"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}
