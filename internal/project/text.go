package project

import (
	"fmt"
	"strconv"
)

// formatCount returns n with thousands separators: "10,000".
func formatCount(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", formatCount(n/1000), n%1000)
}
