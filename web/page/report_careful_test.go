package page_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/ratereffect"
)

// Annotators who agree almost always give equal answers to all fields without copying.
func TestReport_AlmostAllAgree_NoneCopied(t *testing.T) {
	t.Parallel()
	for n := range 20 {
		s := story{name: strings.Repeat("x", n), protocol: "empathy", items: 120, overlap: 2, annotators: 4,
			errorRate: 0.05}
		for _, a := range s.build(t).Report.Annotators {
			for _, found := range a.RaterEffects {
				if found.Effect == ratereffect.Copied {
					t.Errorf("study %d: %+v", n, found)
				}
			}
		}
	}
}
