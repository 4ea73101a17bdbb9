package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
)

// An AnnotatorFinding is what is noticeable about an annotator.
type AnnotatorFinding struct {
	Name    string
	Fields  []string             // titles of those on which the annotator lowers agreement
	Effects []ratereffect.Effect // found
	IsOpen  bool                 // nothing shows whether the annotator or those compared with are right
}

// AnnotatorFindings returns the annotators with a rater effect or who lower the agreement, the most urgent first.
func (r Report) AnnotatorFindings() (found []AnnotatorFinding) {
	for _, a := range r.Annotators {
		f := AnnotatorFinding{Name: a.Name, IsOpen: true}
		for _, field := range r.Fields {
			if slices.Contains(field.CausingAnnotators(), a.Name) {
				f.Fields, f.IsOpen = append(f.Fields, field.Title), false
			}
		}
		for _, e := range a.RaterEffects {
			f.Effects, f.IsOpen = append(f.Effects, e.Effect), f.IsOpen && e.IsEither
		}
		if len(f.Fields)+len(f.Effects) > 0 {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b AnnotatorFinding) int {
		return cmp.Or(study.BoolToInt(len(b.Fields) > 0)-study.BoolToInt(len(a.Fields) > 0),
			study.BoolToInt(a.IsOpen)-study.BoolToInt(b.IsOpen),
			cmp.Compare(len(b.Effects), len(a.Effects)))
	})
	return found
}

// MainGroup returns the index of the group that a summary compares with the first one: the first that
// is shown to differ, if there is any.
func (b *Breakdown) MainGroup() int {
	return max(1, slices.IndexFunc(b.Groups, func(g comparison.Group) bool {
		return slices.ContainsFunc(g.Fields, func(f comparison.GroupField) bool {
			return f.Difference != nil && f.Difference.IsShown()
		})
	}))
}

// TitleOf returns the title of a field.
func (r Report) TitleOf(key string) string {
	f, _ := r.Field(key)
	return f.Title
}

// HasRange reports whether ties leave more than one value.
func (r Rate) HasRange() bool {
	return r.Ties > 0 && r.Lowest != nil && *r.Lowest < *r.Highest
}

// MainRates returns the group of metrics that a summary shows, and its main rate.
func (r Report) MainRates() (group MetricGroup, main Rate, ok bool) {
	for _, m := range r.Metrics {
		if rate, ok := m.MainRate(); ok {
			return m, rate, true
		}
	}
	return group, main, false
}

// MainRate returns the first rate with a value; of observations, the most frequent one.
func (m MetricGroup) MainRate() (main Rate, ok bool) {
	for _, rate := range m.Rates {
		if rate.Value != nil && (!ok || m.Name == ObservationMetrics && *rate.Value > *main.Value) {
			main, ok = rate, true
		}
	}
	return main, ok
}

// IncompleteQueries returns how many queries have unlabeled chunks.
func (m MetricGroup) IncompleteQueries() int {
	for _, e := range m.Excluded {
		if e.Reason == UnlabeledChunks {
			return e.Count
		}
	}
	return 0
}
