package stats

import (
	"strings"
	"testing"
)

func TestParseNamedScale_Invalid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"low,,high":     "has a point without a name",
		"low,low":       "twice",
		"1,1.0":         "twice",
		"3,1,2":         "not in order",
		"0,0.0000001,1": "too many digits",
	} {
		_, err := ParseNamedScale(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
