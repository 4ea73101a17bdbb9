package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestAMatrixOfManyShowsThoseWhoAgreeLeast(t *testing.T) {
	t.Parallel()
	f := report.Field{Key: "tone", Title: "Tone"}
	for i := range 20 {
		for j := i + 1; j < 20; j++ {
			κ := 0.8 - 0.03*float64(i+j)/2 // the higher the number, the less
			p := report.Pair{First: fmt.Sprintf("A%02d", i), Second: fmt.Sprintf("A%02d", j)}
			if j < 19 { // of the last nothing can be said
				p.Kappa.Value = &κ
			}
			f.Pairs = append(f.Pairs, p)
		}
	}
	p, drawn := matrix(f)
	if !drawn || len(p.Rows) != 12 || p.Rows[0][0] != "A07" || p.Rows[11][0] != "A18" {
		t.Fatalf("drawn %v: %v", drawn, p.Rows)
	}
	if !strings.Contains(p.Desc, "the 12 of 20 annotators who agree least") {
		t.Error(p.Desc)
	}
	f.Pairs = f.Pairs[:1]
	if _, drawn := matrix(f); drawn {
		t.Error("one pair needs no matrix")
	}
}
