package ratereffect

var annotatorNames = []string{"ada", "bea", "cem", "dov", "eva"}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
