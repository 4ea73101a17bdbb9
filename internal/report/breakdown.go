package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Breakdown compares the items by their values in a metadata column, such as the
// experimental condition. Annotators never see the column.
type Breakdown struct {
	Column       string      `json:"column"`
	Groups       []Group     `json:"groups"`
	PairedBy     Pairing     `json:"paired_by"`     // empty: no items of two groups belong together
	Comparisons  int         `json:"comparisons"`   // pairs of groups times fields; p_holm accounts for those with an interval
	Excluded     int         `json:"excluded"`      // labeled items without a value in the column
	AllPairs     []GroupPair `json:"all_pairs"`     // every group with each other one; null with fewer than three groups
	DecidedItems int         `json:"decided_items"` // whose decision counts instead of the mean of their answers
	HiddenGroups int         `json:"hidden_groups"` // left out because they are small; see BuildOptions.HideSmallGroups
}

// A Group is the labeled items with one value in the column.
type Group struct {
	Value        string       `json:"value"`
	Items        int          `json:"items"`
	DrawnItems   int          `json:"drawn_items"` // drawn by expected gain: the figures are biased toward them
	LaterShare   *float64     `json:"later_share"` // of pairs of labels of one annotator, in which this group's is later than the baseline's; null with few labels
	Summary      string       `json:"summary"`     // what the comparison with the baseline shows; empty for the baseline
	Fields       []GroupField `json:"fields"`
	Verdicts     []Rate       `json:"verdicts"`
	Observations []Rate       `json:"observations"` // per label
}

// A GroupField is one field within a group.
type GroupField struct {
	Field            string                `json:"field"`
	Items            int                   `json:"items"` // with an answer
	PercentAgreement study.AgreementFigure `json:"percent_agreement"`
	Kappa            study.AgreementFigure `json:"kappa"`         // of the shared items, linear weights
	Alpha            study.AgreementFigure `json:"alpha"`         // ordinal; nominal for two points
	Mean             study.Number          `json:"mean"`          // over items, of each item's decision or mean answer
	AdjustedMean     study.Number          `json:"adjusted_mean"` // what annotators of mean severity would give
	Difference       *GroupDifference      `json:"difference"`    // null for the baseline
}

// The smallest group that HideSmallGroups keeps.
const (
	MinGroupItems      = 5
	MinGroupAnnotators = 2
)

// MaxGroups is the maximum number of values in a column to compare by.
const MaxGroups = 8

// findColumns returns the metadata columns with 2 to 8 values among labeled items.
// Names that suggest a condition come first.
func (s *builder) findColumns() []string {
	values := map[string]map[string]bool{}
	for _, item := range s.Labeled {
		for k, v := range s.AllItems[item].Meta {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
		}
	}
	columns := []string{}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[k]); n >= 2 && n <= MaxGroups {
			columns = append(columns, k)
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int { return rankConditionName(a) - rankConditionName(b) })
	return columns
}

// rankConditionName ranks names that suggest a condition first, exact matches before partial ones.
func rankConditionName(column string) int {
	names := []string{"condition", "system", "model", "prompt", "variant"}
	for i, name := range names {
		if strings.EqualFold(column, name) {
			return i
		}
	}
	for i, name := range names {
		if lower := strings.ToLower(column); strings.Contains(lower, name) && !strings.HasSuffix(lower, "_id") {
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

// A groupSelection is the groups of labeled items by a metadata column.
type groupSelection struct {
	column           string   // empty: no column to compare by
	values           []string // the first is the baseline
	sizes            map[string]*groupSize
	excluded, hidden int // labeled items without a value; groups left out because they are small
}

// selectGroups returns the groups of the requested column, else of the first of columns.
func (s *builder) selectGroups(requested string, columns []string) (g groupSelection, err error) {
	if g.column, err = chooseColumn(requested, columns); g.column == "" {
		return g, err
	}
	g.sizes = map[string]*groupSize{}
	for _, item := range s.Labeled {
		v := s.AllItems[item].Meta[g.column]
		if v == "" {
			g.excluded++
			continue
		}
		if g.sizes[v] == nil {
			g.sizes[v] = newGroupSize()
		}
		g.sizes[v].add(s, s.ByItem.At(item))
	}
	if s.hideSmallGroups {
		total := len(g.sizes)
		maps.DeleteFunc(g.sizes, func(_ string, size *groupSize) bool { return size.isSmall() })
		g.hidden = total - len(g.sizes)
	}
	g.values = slices.SortedFunc(maps.Keys(g.sizes), func(a, b string) int { return cmp.Or(rankBaselineValue(a)-rankBaselineValue(b), cmp.Compare(a, b)) })
	return g, nil
}

// compareGroups compares the selected groups; nil without a column.
func (s *builder) compareGroups(selection groupSelection) (*Breakdown, error) {
	if selection.column == "" {
		return nil, nil
	}
	b := &Breakdown{Column: selection.column, Excluded: selection.excluded, HiddenGroups: selection.hidden}
	if len(selection.values) == 0 {
		return b, nil
	}
	comparison := newGroupComparison(s, selection, s.Labeled)
	b.PairedBy, b.DecidedItems = comparison.pairedBy, comparison.countDecided()
	for i, v := range selection.values {
		g := comparison.newGroup(i)
		g.Items = selection.sizes[v].items
		b.Groups = append(b.Groups, g)
	}
	fields, pairs, errs := make([][]GroupField, len(s.fields)), make([][]*GroupDifference, len(s.fields)), make([]error, len(s.fields))
	study.InParallel(len(fields), func(i int) { fields[i], pairs[i], errs[i] = comparison.compareField(s.fields[i]) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i := range b.Groups {
		for _, f := range fields {
			b.Groups[i].Fields = append(b.Groups[i].Fields, f[i])
		}
	}
	comparison.setOrders(b)
	b.addPairs(s.fields, pairs)
	b.conclude(s.titles())
	return b, nil
}

// countDecided returns how many of the grouped items have a decision.
func (c *groupComparison) countDecided() (items int) {
	for _, i := range c.grouped {
		items += study.BoolToInt(len(c.Adjudicated[i.item.ID]) > 0)
	}
	return items
}

// DecisionNote says what the decisions of adjudication change; empty without one.
func (b *Breakdown) DecisionNote() string {
	if b.DecidedItems == 0 {
		return ""
	}
	return fmt.Sprintf("On %s, the decision counts instead of the mean of the answers. Adjusted differences are between answers.", study.Pluralize(b.DecidedItems, "item"))
}

// ShareNote says how a mean on a yes/no field differs from a rate; empty without such a field.
func (b *Breakdown) ShareNote() string {
	for _, g := range b.Groups {
		for _, f := range g.Fields {
			if f.Difference != nil && f.Difference.IsShare {
				return "On yes/no fields, a mean is that of the shares of a yes among the answers to each item; rates count an item by its majority."
			}
		}
	}
	return ""
}

// A groupSize counts the labeled items of a group and the annotators who labeled them.
type groupSize struct {
	items      int
	annotators map[int32]bool
}

func newGroupSize() *groupSize { return &groupSize{annotators: map[int32]bool{}} }

// add counts an item with these labels.
func (g *groupSize) add(s *builder, labels []int32) {
	g.items++
	for _, l := range labels {
		g.annotators[s.Work.Annotator[l]] = true
	}
}

func (g *groupSize) isSmall() bool {
	return g.items < MinGroupItems || len(g.annotators) < MinGroupAnnotators
}

// An itemMean is the value of one item in a field; see itemValue.
type itemMean struct {
	item *study.ItemData
	mean float64
}

// estimateMean returns the mean over items. Items of one record are resampled together. On a yes/no
// field it is a share with the interval of a rate, which allows for a yes that did not occur.
func (s *builder) estimateMean(q fieldTable, means []itemMean) study.Number {
	if len(means) == 0 {
		return study.MissingNumber(stats.NoAnswers)
	}
	if q.Scale.IsBinary() {
		return s.estimateShareMean(means)
	}
	values, sum := make([]float64, len(means)), 0.0
	var clusters []string
	if s.IsClustered() {
		clusters = make([]string, 0, len(means))
	}
	for i, m := range means {
		values[i], sum = m.mean, sum+m.mean
		if s.IsClustered() {
			clusters = append(clusters, s.ClusterOf(m.item))
		}
	}
	return study.NewNumber(sum/float64(len(means)), stats.Reason{}, stats.MeanInterval(values, clusters, "items", s.Options))
}

func (s *builder) estimateShareMean(means []itemMean) study.Number {
	units := make([]stats.UnitValue, len(means))
	for i, m := range means {
		units[i] = stats.UnitValue{Expected: stats.Certain(m.mean), Base: stats.Certain(1), Cluster: s.ClusterOf(m.item)}
	}
	share := stats.EstimateShare(units)
	if share.Interval.UnitName == "answers" {
		share.Interval.UnitName = "items"
	}
	return study.NewNumber(share.Value, share.Undefined, share.Interval)
}
