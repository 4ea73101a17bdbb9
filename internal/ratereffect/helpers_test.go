package ratereffect

import "os"

var annotatorNames = []string{"ada", "bea", "cem", "dov", "eva"}

// runsSlowTests reports whether the long simulations are requested.
func runsSlowTests() bool { return os.Getenv("LABELWRIGHT_SLOW") == "1" }

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
