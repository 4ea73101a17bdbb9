package page

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

func TestVerdictOf_NamesMostUrgent(t *testing.T) {
	t.Parallel()
	field := func(o report.Outcome, annotatorsFirst bool) project.KappaSoFar {
		return project.KappaSoFar{Outcome: string(o), AnnotatorsFirst: annotatorsFirst}
	}
	for want, fields := range map[string][]project.KappaSoFar{
		"":                         {},
		"go":                       {field(report.Go, false), field(report.Go, false)},
		"go for 1 of 2 fields":     {field(report.Go, false), field(report.NotEnoughData, false)},
		"not enough data":          {field(report.NotEnoughData, false)},
		"no verdict":               {field(report.NotEnoughData, false), field(report.NoVariation, false)},
		"rewrite 2 fields":         {field(report.Rewrite, false), field(report.Rewrite, false), field(report.Revise, false)},
		"revise 1 field":           {field(report.Revise, false), field(report.Go, false)},
		"ask annotators: 2 fields": {field(report.Rewrite, true), field(report.NotEnoughData, true), field(report.Rewrite, false)},
	} {
		if got, _ := verdictOf(project.Summary{Agreement: fields}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
