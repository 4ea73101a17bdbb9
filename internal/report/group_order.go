package report

import (
	"cmp"
	"fmt"
	"slices"
)

const (
	// minOrderedShare is the share of pairs of labels in one order from which drift of annotators and a difference of the groups look the same.
	minOrderedShare = 0.9
	// minOrderedLabels is the number of labels of each group from which their order is looked at.
	minOrderedLabels = 20
)

// setOrders sets the share of the pairs of labels of one annotator, one of a group and one of the baseline, in which that of the group was
// submitted later. Labels of one time count half.
func (c *groupComparison) setOrders(b *Breakdown) {
	if c.IsOrderUnknown {
		return
	}
	later, all, counts := make([]float64, len(c.values)), make([]float64, len(c.values)), make([]int, len(c.values))
	for annotator := range c.Annotators {
		labels := slices.Clone(c.ByAnnotator.At(int32(annotator)))
		slices.SortStableFunc(labels, func(x, y int32) int { return cmp.Compare(c.Work.SubmittedAt[x], c.Work.SubmittedAt[y]) })
		before, of := 0, make([]int, len(c.values)) // labels of the baseline so far; labels by group
		pairs := make([]float64, len(c.values))
		for start := 0; start < len(labels); {
			end, now := start, make([]int, len(c.values)) // labels of one time
			for ; end < len(labels) && c.Work.SubmittedAt[labels[end]] == c.Work.SubmittedAt[labels[start]]; end++ {
				if n := c.indexOf[c.Work.Item[labels[end]]]; n >= 0 {
					now[c.grouped[n].group]++
				}
			}
			for group, n := range now {
				pairs[group] += float64(n) * (float64(before) + float64(now[0])/2)
				of[group] += n
			}
			before, start = before+now[0], end
		}
		for group := range later {
			later[group], all[group], counts[group] = later[group]+pairs[group], all[group]+float64(of[group])*float64(of[0]), counts[group]+of[group]
		}
	}
	for group := 1; group < len(b.Groups); group++ {
		if all[group] > 0 && min(counts[group], counts[0]) >= minOrderedLabels {
			b.Groups[group].LaterShare = new(later[group] / all[group])
		}
	}
}

// OrderNote says which groups annotators labeled before or after the baseline; empty if groups were mixed.
func (b *Breakdown) OrderNote() string {
	var before, after []string
	for _, g := range b.Groups {
		switch {
		case g.LaterShare == nil:
		case *g.LaterShare >= minOrderedShare:
			after = append(after, g.Value)
		case *g.LaterShare <= 1-minOrderedShare:
			before = append(before, g.Value)
		}
	}
	var clauses []string
	if len(after) > 0 {
		clauses = append(clauses, quoteSome(after, "groups")+" after “"+b.Groups[0].Value+"”")
	}
	if len(before) > 0 {
		clauses = append(clauses, quoteSome(before, "groups")+" before “"+b.Groups[0].Value+"”")
	}
	if len(clauses) == 0 {
		return ""
	}
	return fmt.Sprintf("Annotators labeled nearly all items of %s, so a change of their standards over time would look like a difference: mix the groups in each batch.", joinNames(clauses))
}
