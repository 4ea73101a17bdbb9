package page

import (
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/agreement"
)

func TestVerdictOf_NamesMostUrgent(t *testing.T) {
	t.Parallel()
	field := func(v agreement.Verdict) project.KappaSoFar { return project.KappaSoFar{Verdict: string(v)} }
	for want, fields := range map[string][]project.KappaSoFar{
		"":                          {},
		"meets the target (2 of 2)": {field(agreement.Meets), field(agreement.Meets)},
		"open (1 of 2)":             {field(agreement.Meets), field(agreement.Open)},
		"too few items (1 of 1)":    {field(agreement.TooFewItems)},
		"meets the target (1 of 2)": {field(agreement.TooFewItems), field(agreement.Meets)},
		"below the target (1 of 3)": {field(agreement.Meets), field(agreement.BelowTarget), field(agreement.Open)},
	} {
		if got, _ := verdictOf(locale.English, project.Summary{Agreement: fields}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
