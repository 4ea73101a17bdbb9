package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Breakdown sets the values of a metadata column beside each other, such as
// conditions. Annotators never see the column.
type Breakdown struct {
	Column string  `json:"column"`
	Groups []Group `json:"groups"`
	Left   int     `json:"left_out"` // labelled items without a value in the column
}

// A Group is the items with one value in the column.
type Group struct {
	Value    string       `json:"value"`
	Items    int          `json:"items"` // with a label
	Fields   []GroupField `json:"fields"`
	Verdicts []Rate       `json:"verdicts"`
	Observed []Rate       `json:"observations"` // of its labels
}

// A GroupField is one field within a group.
type GroupField struct {
	Field      string   `json:"field"`
	Percent    Figure   `json:"percent"`
	Kappa      Figure   `json:"kappa"` // linear-weighted, Conger's
	Alpha      Figure   `json:"alpha"` // ordinal; nominal of a binary field
	Mean       Number   `json:"mean"`  // over items, of the mean of their answers
	Difference *Against `json:"difference"`
}

// An Against is the mean of a group less that of the first, which is one that
// sounds like a baseline where there is one.
type Against struct {
	First string `json:"first"`
	Number
	Paired int `json:"paired"` // items that have a twin in the first group, compared within; 0: groups as wholes
}

// mostGroups is up to how many values a column may have to be compared by.
const mostGroups = 8

// columns returns the metadata columns with two to eight values among labelled
// items, those that sound like conditions first.
func (s *study) columns() []string {
	values := map[string]map[string]bool{}
	for id := range s.on {
		for k, v := range s.items[id].Meta {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
		}
	}
	found := []string{}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[k]); n >= 2 && n <= mostGroups {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return conditionLike(a) - conditionLike(b) })
	return found
}

// conditionLike ranks names that sound like conditions first: those that are
// such a word before those that contain one.
func conditionLike(column string) int {
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

// baseLike is 0 of a value that sounds like what others are compared with.
func baseLike(value string) int {
	for _, name := range []string{"base", "control", "vanilla", "reference"} {
		if strings.Contains(strings.ToLower(value), name) {
			return 0
		}
	}
	return 1
}

func (s *study) breakdown(columns []string) (*Breakdown, error) {
	column := s.by
	switch {
	case column == "" && len(columns) == 0:
		return nil, nil
	case column == "":
		column = columns[0]
	case !slices.Contains(columns, column):
		return nil, fault.Invalid.Says("The items cannot be compared by “%s”: that takes metadata with 2 to %d values. There is: %s.",
			column, mostGroups, orNothing(strings.Join(columns, ", ")))
	}
	b := &Breakdown{Column: column}
	of := map[string][]int64{}
	for id := range s.on {
		if v := s.items[id].Meta[column]; v != "" {
			of[v] = append(of[v], id)
		} else {
			b.Left++
		}
	}
	values := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(baseLike(a)-baseLike(b), cmp.Compare(a, b)) })
	for _, v := range values {
		in := func(i *Item) bool { return i.Meta[column] == v }
		g := Group{Value: v, Items: len(of[v]), Verdicts: s.verdicts(in), Observed: s.observedIn(in)}
		for _, q := range s.fields {
			f, err := s.groupField(q, column, v)
			if err != nil {
				return nil, err
			}
			if v != values[0] {
				f.Difference = s.against(q, column, values[0], v)
			}
			g.Fields = append(g.Fields, f)
		}
		b.Groups = append(b.Groups, g)
	}
	return b, nil
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func (s *study) groupField(q question, column, value string) (GroupField, error) {
	t, err := stats.TableOf(q.scale, s.ratings(q.Key, func(l *Label) bool { return s.items[l.ItemID].Meta[column] == value }))
	if err != nil {
		return GroupField{}, err
	}
	distance := stats.OrdinalDistance
	if !q.ordered() {
		distance = stats.NominalDistance
	}
	found := figuresOf(stats.Estimates(t, s.o, stats.PercentAgreement(), stats.CongerKappa(stats.Linear), stats.Alpha(distance)))
	means, clusters := s.means(q, func(i *Item) bool { return i.Meta[column] == value })
	return GroupField{Field: q.Key, Percent: found[0], Kappa: found[1], Alpha: found[2], Mean: s.mean(means, clusters)}, nil
}

// An itemMean is the mean of the answers of one item.
type itemMean struct {
	item *Item
	mean float64
}

// means returns the mean answer of each wanted item, and what they share.
func (s *study) means(q question, wanted func(*Item) bool) (means []itemMean, clusters []string) {
	for _, id := range slices.Sorted(maps.Keys(s.on)) {
		item, sum, n := s.items[id], 0.0, 0.0
		for _, l := range s.on[id] {
			if v, ok := s.work[l].Values[q.Key]; ok {
				sum, n = sum+float64(v), n+1
			}
		}
		if n > 0 && wanted(item) {
			means, clusters = append(means, itemMean{item, sum / n}), append(clusters, s.cluster(item))
		}
	}
	if !s.clustered {
		clusters = nil
	}
	return means, clusters
}

func (s *study) mean(means []itemMean, clusters []string) Number {
	if len(means) == 0 {
		return numberOf(0, "there are no answers yet", stats.Interval{})
	}
	values, sum := make([]float64, len(means)), 0.0
	for i, m := range means {
		values[i], sum = m.mean, sum+m.mean
	}
	return numberOf(sum/float64(len(means)), "", stats.MeanInterval(values, clusters, "items", s.o))
}

// against compares two groups. Items that differ only in what is judged are
// drawn together, so that the comparison is within them.
func (s *study) against(q question, column, first, second string) *Against {
	means, _ := s.means(q, func(i *Item) bool { return i.Meta[column] == first || i.Meta[column] == second })
	a := &Against{First: first}
	both := map[string][2]bool{}
	for _, m := range means {
		seen := both[m.item.Same]
		seen[at(m.item.Meta[column] == second)] = true
		both[m.item.Same] = seen
	}
	paired := func(i *Item) bool { return i.Same != "" && both[i.Same] == [2]bool{true, true} }
	for _, m := range means {
		if paired(m.item) {
			a.Paired++
		}
	}
	var values []float64
	var isSecond []bool
	var pairs []string
	for _, m := range means {
		if a.Paired == 0 || paired(m.item) {
			values, isSecond = append(values, m.mean), append(isSecond, m.item.Meta[column] == second)
			pairs = append(pairs, m.item.Same)
		}
	}
	if a.Paired == 0 {
		pairs = nil
	}
	c := stats.ContrastOf(values, isSecond, pairs, s.o)
	a.Number = numberOf(c.Difference, c.Undefined, c.Interval)
	return a
}

func at(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
