package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
)

func TestPairMatrix_Many_ShowsLowest(t *testing.T) {
	t.Parallel()
	f := report.FieldReport{Field: agreement.Field{Key: "tone", Title: "Tone"}}
	for i := range 20 {
		for j := i + 1; j < 20; j++ {
			κ := 0.8 - 0.03*float64(i+j)/2 // decreasing with the number
			p := agreement.Pair{First: fmt.Sprintf("A%02d", i), Second: fmt.Sprintf("A%02d", j)}
			if j < 19 { // the last annotator has no κ
				p.Kappa.Value = &κ
			}
			f.Pairs = append(f.Pairs, p)
		}
	}
	p, drawn := pairMatrixChart(locale.English, f)
	if !drawn || len(p.Rows) != 12 || p.Rows[0][0] != "A07" || p.Rows[11][0] != "A18" {
		t.Fatalf("drawn %v: %v", drawn, p.Rows)
	}
	if !strings.Contains(p.Description, "the 12 of 20 annotators with the lowest mean κ") {
		t.Error(p.Description)
	}
	f.Pairs = f.Pairs[:1]
	if _, drawn := pairMatrixChart(locale.English, f); drawn {
		t.Error("one pair needs no matrix")
	}
}
