package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// CompareJudges returns the judges of a report, without the rest of it.
func CompareJudges(d study.Data, o BuildOptions) ([]judging.Judge, error) {
	s, err := newBuilder(d, o)
	if err != nil {
		return nil, err
	}
	groups, err := comparison.Select(s.Study, o.Column, comparison.FindColumns(s.Study), o.HideSmallGroups)
	if err != nil {
		return nil, err
	}
	return s.compareJudges(groups), nil
}

// compareJudges compares each judge with the annotators.
func (s *builder) compareJudges(groups comparison.Selection) []judging.Judge {
	byJudge, numberOf := map[string][]judging.Answer{}, map[string]int32{}
	for _, j := range s.Judgments {
		if number, isKnown := s.NumberOf[j.ItemID]; isKnown {
			name := s.AllItems[number].SourceID
			numberOf[name] = number
			byJudge[j.Judge] = append(byJudge[j.Judge], judging.Answer{Item: name, Values: j.Values,
				Rationale: j.Rationale})
		}
	}
	in := judging.Input{Column: groups.Column, Groups: groups.Values, Options: judge.Options{Epsilon: s.epsilon,
		Intervals: s.Options}, Items: func(name string) judging.Item {
		number := numberOf[name]
		item := s.AllItems[number]
		found := judging.Item{ID: item.ID, Cluster: len(s.AllItems) + int(number), IsKeptOut: s.KeptOut[item.ID],
			Group: -1}
		if s.IsClustered() && s.RecordOf[number] >= 0 {
			found.Cluster = int(s.RecordOf[number])
		}
		if groups.Column != "" {
			found.Group = slices.Index(groups.Values, item.Meta[groups.Column])
		}
		return found
	}}
	for _, q := range s.fields {
		in.Fields = append(in.Fields, stats.Dimension{Name: q.Key, Table: q.Table, Declared: true})
	}
	names := slices.SortedFunc(maps.Keys(byJudge), cmp.Compare[string])
	judges := make([]judging.Judge, len(names))
	study.InParallel(len(names), func(i int) { judges[i] = judging.Compare(in, names[i], byJudge[names[i]]) })
	return judges
}
