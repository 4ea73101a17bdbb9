package project

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
)

// What the assistant does before the user speaks again is one answer, if it says anything.
func TestDeriveFacts_Turns_CountAnswers(t *testing.T) {
	p := protocol.Protocol{Facts: []protocol.Fact{{Key: "many", Part: "talk", Role: "assistant", MinTurns: 2}}}
	kinds := map[string]Turn{
		"user": {Role: "user", Text: "u"}, "says": {Role: "assistant", Text: "a"}, "silent": {Role: "assistant",
			Text: " "},
		"thinks": {Role: "assistant", Kind: TurnThinking, Text: "t"}, "calls": {Role: "assistant", Kind: TurnToolCall,
			Text: "{}"},
		"result": {Role: "tool", Kind: TurnToolResult, Text: "r"}, "system": {Role: "system", Text: "s"},
		"image": {Role: "user", Kind: TurnImage},
	}
	for talk, want := range map[string]bool{
		"user says":                                       false,
		"user says user says":                             true,
		"says user says":                                  true,
		"user says says":                                  false,
		"user says calls result says":                     false,
		"user thinks calls result calls result says":      false,
		"user calls result says user calls result says":   true,
		"user says user calls result":                     false,
		"user silent user says":                           false,
		"user says image says":                            true,
		"system user says system says":                    false,
		"user thinks user thinks user calls result":       false,
		"user says user thinks calls result says silent":  true,
		"user silent user silent user thinks silent says": false,
	} {
		var turns []Turn
		for name := range strings.FieldsSeq(talk) {
			turns = append(turns, kinds[name])
		}
		if got := DeriveFacts(p, Content{"talk": {Turns: turns}})["many"]; got != want {
			t.Errorf("%s: speaks at least twice: %t", talk, got)
		}
	}
}
