package report

import (
	"iter"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// modelGroups is the largest number of groups of records that are left out in turn, each with a new
// fit of the model.
const modelGroups = 20

// setModelIntervals replaces the intervals of rates that use a model. The
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
	groupOf, groupCount := s.assignModelGroups()
	for n := range groupCount {
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
			if r := &groups[g].Rates[i]; s.usesModel(r.Name) {
				r.setInterval(without[g][i], groupCount)
			}
		}
	}
}

// assignModelGroups numbers the groups of labeled records, or of items where none share a record,
// by item.
func (s *study) assignModelGroups() (numbers []int, count int) {
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
	return groupOf, min(len(groups), modelGroups)
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
		joint := &jointFit{f.modeledFields, fit.Posteriors}
		for place, number := range f.fields {
			fitted := *s.fields[number].consensus.fitted
			fitted.posteriors = f.posteriorsOf(fit, place)
			if fitted.joint != nil {
				fitted.joint = joint
			}
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

// setInterval replaces the interval by that of the values without each group, of which as many must be defined. Too few groups
// give none.
func (r *Rate) setInterval(values []float64, groups int) {
	if r.Value == nil || len(values) < groups {
		return
	}
	if groups < stats.MinIntervalUnits {
		few := stats.Reason{Code: stats.TooFewUnits, Min: stats.MinIntervalUnits, UnitName: "records"}
		r.Number = newNumber(*r.Value, stats.Reason{}, stats.Interval{Undefined: few})
		return
	}
	if i, ok := stats.GroupJackknifeShare(*r.Value, values); ok {
		r.Number = newNumber(*r.Value, stats.Reason{}, i)
	}
}
