package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Breakdown compares the items by their values in a metadata column, such as the
// experimental condition. Annotators never see the column.
type Breakdown struct {
	Column       string  `json:"column"`
	Groups       []Group `json:"groups"`
	Excluded     int     `json:"excluded"`      // labeled items without a value in the column
	HiddenGroups int     `json:"hidden_groups"` // left out because they are small; see BuildOptions.HideSmallGroups
}

// A Group is the labeled items with one value in the column.
type Group struct {
	Value        string       `json:"value"`
	Items        int          `json:"items"`
	Fields       []GroupField `json:"fields"`
	Verdicts     []Rate       `json:"verdicts"`
	Observations []Rate       `json:"observations"` // per label
}

// A GroupField is one field within a group.
type GroupField struct {
	Field            string           `json:"field"`
	PercentAgreement AgreementFigure  `json:"percent_agreement"`
	Kappa            AgreementFigure  `json:"kappa"` // Conger's, linear weights
	Alpha            AgreementFigure  `json:"alpha"` // ordinal; nominal for two points
	Mean             Number           `json:"mean"`  // over items, of each item's mean answer
	Difference       *GroupDifference `json:"difference"`
}

// A GroupDifference is the mean of a group minus that of the baseline group.
type GroupDifference struct {
	Baseline string `json:"baseline"`
	Number
	PairedItems int `json:"paired_items"` // items matched between the groups and compared in pairs; 0: unpaired
}

// The smallest group that HideSmallGroups keeps.
const (
	MinGroupItems      = 5
	MinGroupAnnotators = 2
)

// maxGroups is the maximum number of values in a column to compare by.
const maxGroups = 8

// findColumns returns the metadata columns with 2 to 8 values among labeled items.
// Names that suggest a condition come first.
func (s *study) findColumns() []string {
	values := map[string]map[string]bool{}
	for id := range s.byItem {
		for k, v := range s.itemsByID[id].Meta {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
		}
	}
	columns := []string{}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[k]); n >= 2 && n <= maxGroups {
			columns = append(columns, k)
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int { return rankConditionName(a) - rankConditionName(b) })
	return columns
}

// rankConditionName ranks names that suggest a condition first, exact matches before partial ones.
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

// rankBaselineValue returns 0 for a value that suggests a baseline, else 1.
func rankBaselineValue(value string) int {
	for _, name := range []string{"base", "control", "vanilla", "reference"} {
		if strings.Contains(strings.ToLower(value), name) {
			return 0
		}
	}
	return 1
}

// chooseColumn returns the requested column, else the first of columns; empty if there is none.
func chooseColumn(requested string, columns []string) (string, error) {
	switch {
	case requested == "" && len(columns) == 0:
		return "", nil
	case requested == "":
		return columns[0], nil
	case !slices.Contains(columns, requested):
		return "", errColumn(requested, columns)
	}
	return requested, nil
}

// A groupComparison computes a Breakdown. The baseline is the value that the others are compared with.
type groupComparison struct {
	*study
	column, baseline string
}

func (s *study) compareGroups(requested string, columns []string) (*Breakdown, error) {
	column, err := chooseColumn(requested, columns)
	if column == "" {
		return nil, err
	}
	b, sizes := &Breakdown{Column: column}, map[string]*groupSize{}
	for id, labels := range s.byItem {
		v := s.itemsByID[id].Meta[column]
		if v == "" {
			b.Excluded++
			continue
		}
		if sizes[v] == nil {
			sizes[v] = &groupSize{annotators: map[string]bool{}}
		}
		sizes[v].add(labels)
	}
	if s.hideSmallGroups {
		total := len(sizes)
		maps.DeleteFunc(sizes, func(_ string, g *groupSize) bool { return g.isSmall() })
		b.HiddenGroups = total - len(sizes)
	}
	if len(sizes) == 0 {
		return b, nil
	}
	values := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(rankBaselineValue(a)-rankBaselineValue(b), cmp.Compare(a, b)) })
	comparison := groupComparison{s, column, values[0]}
	for _, v := range values {
		g, err := comparison.computeGroup(v)
		if err != nil {
			return nil, err
		}
		g.Items = sizes[v].items
		b.Groups = append(b.Groups, g)
	}
	return b, nil
}

// A groupSize counts the labeled items of a group and the annotators who labeled them.
type groupSize struct {
	items      int
	annotators map[string]bool
}

func (g *groupSize) add(labels []*Label) {
	g.items++
	for _, l := range labels {
		g.annotators[l.Annotator] = true
	}
}

func (g *groupSize) isSmall() bool {
	return g.items < MinGroupItems || len(g.annotators) < MinGroupAnnotators
}

func (c groupComparison) isIn(item *ItemData, value string) bool { return item.Meta[c.column] == value }

func (c groupComparison) computeGroup(value string) (Group, error) {
	include, m := func(i *ItemData) bool { return c.isIn(i, value) }, metrics{study: c.study}
	g := Group{Value: value, Observations: m.computeObservationRates(include)}
	g.Verdicts, _ = m.computeVerdictRates(include)
	for _, q := range c.fields {
		f, err := c.computeGroupField(q, include)
		if err != nil {
			return Group{}, err
		}
		if value != c.baseline {
			f.Difference = c.compareWithBaseline(q, value)
		}
		g.Fields = append(g.Fields, f)
	}
	return g, nil
}

func (c groupComparison) computeGroupField(q fieldTable, include func(*ItemData) bool) (GroupField, error) {
	t, err := stats.CollectRatingTable(q.scale, c.filterRatings(q.Key, func(l *Label) bool { return include(c.itemsByID[l.ItemID]) }))
	if err != nil {
		return GroupField{}, err
	}
	figures := figuresFromEstimates(stats.ComputeEstimates(t, c.options, stats.PercentAgreement(), stats.CongerKappa(stats.Linear), stats.SuitableAlpha(q.scale)))
	return GroupField{Field: q.Key, PercentAgreement: figures[0], Kappa: figures[1], Alpha: figures[2], Mean: c.estimateMean(c.computeItemMeans(q, include))}, nil
}

// An itemMean is the mean answer to one item.
type itemMean struct {
	item *ItemData
	mean float64
}

// computeItemMeans returns the mean answer of each item to include.
func (s *study) computeItemMeans(q fieldTable, include func(*ItemData) bool) (means []itemMean) {
	for _, id := range s.labeledItems() {
		sum, values := 0.0, s.answersTo(id, q.Key)
		for _, v := range values {
			sum += float64(v)
		}
		if item := s.itemsByID[id]; len(values) > 0 && include(item) {
			means = append(means, itemMean{item, sum / float64(len(values))})
		}
	}
	return means
}

// estimateMean returns the mean over items. Items of one record are resampled together.
func (s *study) estimateMean(means []itemMean) Number {
	if len(means) == 0 {
		return missingNumber(stats.NoAnswers)
	}
	values, sum := make([]float64, len(means)), 0.0
	var clusters []string
	for i, m := range means {
		values[i], sum = m.mean, sum+m.mean
		if s.isClustered {
			clusters = append(clusters, s.cluster(m.item))
		}
	}
	return newNumber(sum/float64(len(means)), stats.Reason{}, stats.MeanInterval(values, clusters, "items", s.options))
}

// compareWithBaseline compares two groups: in pairs if any items match between them, else as wholes.
func (c groupComparison) compareWithBaseline(q fieldTable, value string) *GroupDifference {
	means := c.computeItemMeans(q, func(i *ItemData) bool { return c.isIn(i, c.baseline) || c.isIn(i, value) })
	difference := &GroupDifference{Baseline: c.baseline}
	if paired := c.pairedMeans(means, value); len(paired) > 0 {
		means, difference.PairedItems = paired, len(paired)
	}
	values, isSecond := make([]float64, len(means)), make([]bool, len(means))
	var pairKeys []string
	for i, m := range means {
		values[i], isSecond[i] = m.mean, c.isIn(m.item, value)
		if difference.PairedItems > 0 {
			pairKeys = append(pairKeys, m.item.MatchKey)
		}
	}
	contrast := stats.CompareConditions(values, isSecond, pairKeys, c.options)
	difference.Number = newNumber(contrast.Difference, contrast.Undefined, contrast.Interval)
	return difference
}

// pairedMeans returns the means of items whose match key occurs in both groups.
func (c groupComparison) pairedMeans(means []itemMean, value string) (paired []itemMean) {
	groupsByKey := map[string][2]bool{}
	for _, m := range means {
		groups := groupsByKey[m.item.MatchKey]
		groups[boolToInt(c.isIn(m.item, value))] = true
		groupsByKey[m.item.MatchKey] = groups
	}
	for _, m := range means {
		if m.item.MatchKey != "" && groupsByKey[m.item.MatchKey] == [2]bool{true, true} {
			paired = append(paired, m)
		}
	}
	return paired
}

func boolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}
