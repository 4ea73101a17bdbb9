package report

import (
	"iter"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// modelGroups is the number of groups of records that are left out in turn, each with a new
// fit of the model.
const modelGroups = 20

// setModelIntervals replaces the intervals of rates that a model's posteriors are in. The
// model is fitted again without each group of records (Tukey's jackknife by groups; Kott 2001,
// Journal of Official Statistics 17).
func (s metrics) setModelIntervals(groups []MetricGroup) {
	groups = slices.DeleteFunc(slices.Clone(groups), func(m MetricGroup) bool { return m.Name == ObservationMetrics })
	if !s.hasModel() || len(groups) == 0 {
		return
	}
	without := make([][][]float64, len(groups)) // group → rate → values
	for g := range groups {
		without[g] = make([][]float64, len(groups[g].Rates))
	}
	groupOf := s.assignModelGroups()
	for n := range modelGroups {
		replicate := s.without(func(item int32) bool { return groupOf[item] == n })
		for g, m := range groups {
			for i, units := range replicate.unitsOf(m) {
				if sum := stats.SumUnits(units); sum.Undefined.Code == "" {
					without[g][i] = append(without[g][i], sum.Value)
				}
			}
		}
	}
	for g := range groups {
		for i := range groups[g].Rates {
			groups[g].Rates[i].setInterval(without[g][i])
		}
	}
}

// assignModelGroups numbers the groups of labeled records, or of items where none share a record,
// by item.
func (s *study) assignModelGroups() []int {
	groups, groupOf := map[string]int{}, make([]int, len(s.items))
	for _, item := range s.labeled {
		key := s.recordKey(item)
		if _, isKnown := groups[key]; !isKnown {
			groups[key] = len(groups) % modelGroups
		}
	}
	for item := range s.items {
		groupOf[item] = groups[s.recordKey(int32(item))]
	}
	return groupOf
}

// recordKey identifies the record of an item, or the item where none share a record.
func (s *study) recordKey(item int32) string {
	if record := s.cluster(s.items[item]); record != "" {
		return "record " + record
	}
	return "item " + s.items[item].SourceID
}

// without returns the metrics of the labels without some items, with the models that are fitted to
// these. Its units are those of the rest.
func (s metrics) without(isLeftOut func(item int32) bool) metrics {
	rest := *s.study
	rest.isLeftOut, rest.fields = isLeftOut, slices.Clone(s.fields)
	rest.labeled = slices.DeleteFunc(slices.Clone(s.labeled), isLeftOut)
	inParallel(len(s.consensus.fits), func(i int) {
		f := s.consensus.fits[i]
		if !f.isFitted() {
			return
		}
		items := s.fields[f.fields[0]].items
		fit := f.fit.RefitWithout(func(row int) bool { return isLeftOut(items[row]) })
		for place, number := range f.fields {
			fitted := *s.fields[number].consensus.fitted
			fitted.posteriors = f.posteriorsOf(fit, place)
			rest.fields[number].consensus.fitted = &fitted
		}
	})
	return metrics{&rest, s.topK}
}

// unitsOf returns what items or queries add to each rate of a group.
func (s metrics) unitsOf(m MetricGroup) (units []iter.Seq[stats.UnitValue]) {
	var queries []queryChunks
	if m.Name == RetrievalMetrics {
		queries = s.groupChunksByQuery()
	}
	for _, rate := range m.Rates {
		switch m.Name {
		case RetrievalMetrics:
			units = append(units, valuesOf(s.queryUnits(stats.RetrievalFigure(rate.Name), queries, func(*queryChunks, ExclusionReason) {})))
		case VerdictMetrics:
			units = append(units, valuesOf(s.verdictUnits(s.verdictRule(rate.Name), includeAll, func(int32) {})))
		default:
			units = append(units, valuesOf(s.answerUnits(rate.Name)))
		}
	}
	return units
}

// valuesOf returns the second values of a sequence.
func valuesOf[K, V any](seq iter.Seq2[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range seq {
			if !yield(v) {
				return
			}
		}
	}
}

// setInterval replaces the interval by that of the values without each group.
func (r *Rate) setInterval(values []float64) {
	if r.Value == nil || len(values) < modelGroups {
		return
	}
	if i, ok := stats.GroupJackknifeShare(*r.Value, values); ok {
		r.Number = newNumber(*r.Value, stats.Reason{}, i)
	}
}
