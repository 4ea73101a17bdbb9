package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Breakdown sets the values of a metadata column beside each other, such as
// conditions. Annotators never see the column.
type Breakdown struct {
	Column   string  `json:"column"`
	Groups   []Group `json:"groups"`
	Excluded int     `json:"left_out"` // labelled items without a value in the column
}

// A Group is the items with one value in the column.
type Group struct {
	Value        string       `json:"value"`
	Items        int          `json:"items"` // with a label
	Fields       []GroupField `json:"fields"`
	Verdicts     []Rate       `json:"verdicts"`
	Observations []Rate       `json:"observations"` // of its labels
}

// A GroupField is one field within a group.
type GroupField struct {
	Field            string           `json:"field"`
	PercentAgreement AgreementFigure  `json:"percent"`
	Kappa            AgreementFigure  `json:"kappa"` // linear-weighted, Conger's
	Alpha            AgreementFigure  `json:"alpha"` // ordinal; nominal of a binary field
	Mean             Number           `json:"mean"`  // over items, of the mean of their answers
	Difference       *GroupDifference `json:"difference"`
}

// An GroupDifference is the mean of a group less that of the first, which is one that
// sounds like a baseline where there is one.
type GroupDifference struct {
	Baseline string `json:"first"`
	Number
	PairedItems int `json:"paired"` // items that have a twin in the first group, compared within; 0: groups as wholes
}

// maxGroups is up to how many values a column may have to be compared by.
const maxGroups = 8

// findColumns returns the metadata columns with two to eight values among labelled
// items, those that sound like conditions first.
func (s *study) findColumns() []string {
	values := map[string]map[string]bool{}
	for id := range s.labelsByItem {
		for k, v := range s.itemsByID[id].Meta {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
		}
	}
	found := []string{}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[k]); n >= 2 && n <= maxGroups {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return rankConditionName(a) - rankConditionName(b) })
	return found
}

// rankConditionName ranks names that sound like conditions first: those that are
// such a word before those that contain one.
func rankConditionName(column string) int {
	names := []string{"condition", "system", "model", "variant"}
	for i, name := range names {
		if strings.EqualFold(column, name) {
			return i
		}
	}
	for i, name := range names {
		if strings.Contains(strings.ToLower(column), name) {
			return len(names) + i
		}
	}
	return 2 * len(names)
}

// rankBaselineValue is 0 of a value that sounds like what others are compared with.
func rankBaselineValue(value string) int {
	for _, name := range []string{"base", "control", "vanilla", "reference"} {
		if strings.Contains(strings.ToLower(value), name) {
			return 0
		}
	}
	return 1
}

func (s *study) compareGroups(columns []string) (*Breakdown, error) {
	column := s.column
	switch {
	case column == "" && len(columns) == 0:
		return nil, nil
	case column == "":
		column = columns[0]
	case !slices.Contains(columns, column):
		return nil, fault.Invalid.Errorf("The items cannot be compared by “%s”: that takes metadata with 2 to %d values. There is: %s.",
			column, maxGroups, orNone(strings.Join(columns, ", ")))
	}
	b := &Breakdown{Column: column}
	idsByValue := map[string][]project.ItemID{}
	for id := range s.labelsByItem {
		if v := s.itemsByID[id].Meta[column]; v != "" {
			idsByValue[v] = append(idsByValue[v], id)
		} else {
			b.Excluded++
		}
	}
	values := slices.SortedFunc(maps.Keys(idsByValue), func(a, b string) int { return cmp.Or(rankBaselineValue(a)-rankBaselineValue(b), cmp.Compare(a, b)) })
	for _, v := range values {
		isInGroup := func(i *ItemData) bool { return i.Meta[column] == v }
		g := Group{Value: v, Items: len(idsByValue[v]), Verdicts: s.computeVerdictRates(isInGroup), Observations: s.computeObservationRates(isInGroup)}
		for _, q := range s.fields {
			f, err := s.computeGroupField(q, column, v)
			if err != nil {
				return nil, err
			}
			if v != values[0] {
				f.Difference = s.compareWithBaseline(q, column, values[0], v)
			}
			g.Fields = append(g.Fields, f)
		}
		b.Groups = append(b.Groups, g)
	}
	return b, nil
}

func orNone(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func (s *study) computeGroupField(q fieldTable, column, value string) (GroupField, error) {
	t, err := stats.CollectRatingTable(q.scale, s.filterRatings(q.Key, func(l *Label) bool { return s.itemsByID[l.ItemID].Meta[column] == value }))
	if err != nil {
		return GroupField{}, err
	}
	distance := stats.OrdinalDistance
	if !q.isOrdered() {
		distance = stats.NominalDistance
	}
	figures := figuresFromEstimates(stats.ComputeEstimates(t, s.options, stats.PercentAgreement(), stats.CongerKappa(stats.Linear), stats.Alpha(distance)))
	means, clusters := s.computeItemMeans(q, func(i *ItemData) bool { return i.Meta[column] == value })
	return GroupField{Field: q.Key, PercentAgreement: figures[0], Kappa: figures[1], Alpha: figures[2], Mean: s.estimateMean(means, clusters)}, nil
}

// An itemMean is the mean of the answers of one item.
type itemMean struct {
	item *ItemData
	mean float64
}

// computeItemMeans returns the mean answer of each wanted item, and what they share.
func (s *study) computeItemMeans(q fieldTable, include func(*ItemData) bool) (means []itemMean, clusters []string) {
	for _, id := range slices.Sorted(maps.Keys(s.labelsByItem)) {
		item, sum, n := s.itemsByID[id], 0.0, 0.0
		for _, l := range s.labelsByItem[id] {
			if v, ok := s.workLabels[l].Values[q.Key]; ok {
				sum, n = sum+float64(v), n+1
			}
		}
		if n > 0 && include(item) {
			means, clusters = append(means, itemMean{item, sum / n}), append(clusters, s.cluster(item))
		}
	}
	if !s.isClustered {
		clusters = nil
	}
	return means, clusters
}

func (s *study) estimateMean(means []itemMean, clusters []string) Number {
	if len(means) == 0 {
		return newNumber(0, "there are no answers yet", stats.Interval{})
	}
	values, sum := make([]float64, len(means)), 0.0
	for i, m := range means {
		values[i], sum = m.mean, sum+m.mean
	}
	return newNumber(sum/float64(len(means)), "", stats.MeanInterval(values, clusters, "items", s.options))
}

// compareWithBaseline compares two groups. Items that differ only in what is judged are
// drawn together, so that the comparison is within them.
func (s *study) compareWithBaseline(q fieldTable, column, first, second string) *GroupDifference {
	means, _ := s.computeItemMeans(q, func(i *ItemData) bool { return i.Meta[column] == first || i.Meta[column] == second })
	difference := &GroupDifference{Baseline: first}
	sidesByPair := map[string][2]bool{}
	for _, m := range means {
		sides := sidesByPair[m.item.MatchKey]
		sides[boolToInt(m.item.Meta[column] == second)] = true
		sidesByPair[m.item.MatchKey] = sides
	}
	isPaired := func(i *ItemData) bool { return i.MatchKey != "" && sidesByPair[i.MatchKey] == [2]bool{true, true} }
	for _, m := range means {
		if isPaired(m.item) {
			difference.PairedItems++
		}
	}
	var values []float64
	var isSecond []bool
	var pairKeys []string
	for _, m := range means {
		if difference.PairedItems == 0 || isPaired(m.item) {
			values, isSecond = append(values, m.mean), append(isSecond, m.item.Meta[column] == second)
			pairKeys = append(pairKeys, m.item.MatchKey)
		}
	}
	if difference.PairedItems == 0 {
		pairKeys = nil
	}
	contrast := stats.CompareConditions(values, isSecond, pairKeys, s.options)
	difference.Number = newNumber(contrast.Difference, contrast.Undefined, contrast.Interval)
	return difference
}

func boolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}
