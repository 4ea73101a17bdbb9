package sequence

import (
	"flag"
	"testing"
)

// TestMain has every property tried on thousands of plans, unless the command
// line asks for another number.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "4000") // the flag is rapid's own
	m.Run()
}
