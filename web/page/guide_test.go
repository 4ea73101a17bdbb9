package page_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// The guide has all that annotators must know, also if they never open a panel: each
// observation with its guidance, how labels are compared, and the target.
func TestGuide_Builtin_HasAllGuidance(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		session := project.SessionFacts{HiddenDuplicates: 10}
		text := renderPage(t, page.Guide(page.GuideData{Protocol: p,
			Project: page.Project{Session: &session}})).Text()
		want := []string{"The first 20 items may take longer", "Up to 10 items come a second time",
			"Your labels are compared", "κ of at least 0.4"}
		for _, o := range p.Observations {
			want = append(want, o.Title, o.Guidance)
		}
		for _, f := range p.Fields {
			want = append(append(append(want, f.Boundaries...), f.Reward...), f.Penalize...)
			if len(f.DecisionTree) > 0 {
				want = append(want, "take the highest that fits")
			}
		}
		for _, s := range want {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the guide does not have %q", p.Key, s)
			}
		}
		if strings.Contains(text, "personal data have been removed") {
			t.Errorf("%s: promises that personal data have been removed", p.Key)
		}
	}
}
