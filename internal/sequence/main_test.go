package sequence

import (
	"flag"
	"testing"
)

// TestMain checks every property on 4,000 plans. Flag -rapid.checks overrides it.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "4000") // the flag is defined by rapid
	m.Run()
}
