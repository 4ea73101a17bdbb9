package comparison

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/report/study"
)

// The smallest group that Select keeps.
const (
	MinGroupItems      = 5
	MinGroupAnnotators = 2
)

// MaxGroups is the maximum number of values in a column to compare by.
const MaxGroups = 8

// FindColumns returns the metadata columns with 2 to 8 values among labeled items.
// Names that suggest a condition come first.
func FindColumns(s *study.Study) []string {
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

// A Selection is the groups of labeled items by a metadata column.
type Selection struct {
	Column   string   // empty: no column to compare by
	Values   []string // the first is the baseline
	Hidden   int      // groups left out because they are small
	excluded int      // labeled items without a value
	sizes    map[string]*GroupSize
}

// Select returns the groups of the requested column, else of the first of columns. It can leave out small groups, in
// which single
// answers could be recognized.
func Select(s *study.Study, requested string, columns []string, hideSmallGroups bool) (g Selection, err error) {
	if g.Column, err = chooseColumn(requested, columns); g.Column == "" {
		return g, err
	}
	g.sizes = map[string]*GroupSize{}
	for _, item := range s.Labeled {
		v := s.AllItems[item].Meta[g.Column]
		if v == "" {
			g.excluded++
			continue
		}
		if g.sizes[v] == nil {
			g.sizes[v] = NewGroupSize()
		}
		g.sizes[v].Add(s, s.ByItem.At(item))
	}
	if hideSmallGroups {
		total := len(g.sizes)
		maps.DeleteFunc(g.sizes, func(_ string, size *GroupSize) bool { return size.IsSmall() })
		g.Hidden = total - len(g.sizes)
	}
	g.Values = slices.SortedFunc(maps.Keys(g.sizes), func(a, b string) int {
		return cmp.Or(rankBaselineValue(a)-rankBaselineValue(b), cmp.Compare(a, b))
	})
	return g, nil
}

// A GroupSize counts the labeled items of a group and the annotators who labeled them.
type GroupSize struct {
	items      int
	annotators map[int32]bool
}

// NewGroupSize returns an empty count.
func NewGroupSize() *GroupSize { return &GroupSize{annotators: map[int32]bool{}} }

// Add counts an item with these labels.
func (g *GroupSize) Add(s *study.Study, labels []int32) {
	g.items++
	for _, l := range labels {
		g.annotators[s.Work.Annotator[l]] = true
	}
}

// IsSmall reports whether single answers could be recognized.
func (g *GroupSize) IsSmall() bool {
	return g.items < MinGroupItems || len(g.annotators) < MinGroupAnnotators
}

// errColumn reports a column that the report cannot compare by.
func errColumn(column string, columns []string) error {
	if len(columns) == 0 {
		return fault.Invalid.Errorf("Cannot compare by “%s”: no metadata column has 2 to %d values among the labeled items.", column, MaxGroups)
	}
	return fault.Invalid.Errorf("Cannot compare by “%s”: it needs 2 to %d values among the labeled items. Choose one of these columns: %s.", column, MaxGroups, strings.Join(columns, ", "))
}
