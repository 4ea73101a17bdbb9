package importer

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
)

func TestReadAnswers_OffScale_ReportedOnce(t *testing.T) {
	t.Parallel()
	const decision = "item,emotion,validation,helpfulness,safety,overall\ne1,3,2,3,7,3\n"
	_, err := ReadAdjudications(builtinProtocol(t, "empathy"), newScope(), "d.csv", strings.NewReader(decision))
	if want := "d.csv:2:safety: 7 is not on the scale 1–5."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFormatScale(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]int{"0–1": {0, 1}, "1–5": {1, 2, 3, 4, 5}, "0, 2, 4": {0, 2, 4},
		"3–3": {3}} {
		var scale protocol.Scale
		for _, v := range values {
			scale = append(scale, protocol.Point{Value: v})
		}
		if got := formatScale(scale); got != want {
			t.Errorf("%v: got %q, want %q", values, got, want)
		}
	}
}
