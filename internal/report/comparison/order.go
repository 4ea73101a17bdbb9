package comparison

import (
	"cmp"
	"slices"
)

// MinOrderedShare is the share of pairs of labels in one order from which drift of annotators and a difference of the
// groups look the same.
const MinOrderedShare = 0.9

// minOrderedLabels is the number of labels of each group from which their order is looked at.
const minOrderedLabels = 20

// setOrders sets the share of the pairs of labels of one annotator, one of a group and one of the baseline, in which
// that of the group was
// submitted later. Labels of one time count half.
func (c *Groups) setOrders(r *Result) {
	if c.IsOrderUnknown {
		return
	}
	later, all, counts := make([]float64, len(c.Values)), make([]float64, len(c.Values)), make([]int, len(c.Values))
	for annotator := range c.Annotators {
		labels := slices.Clone(c.ByAnnotator.At(int32(annotator)))
		slices.SortStableFunc(labels, func(x, y int32) int {
			return cmp.Compare(c.Work.SubmittedAt[x], c.Work.SubmittedAt[y])
		})
		before, of := 0, make([]int, len(c.Values)) // labels of the baseline so far; labels by group
		pairs := make([]float64, len(c.Values))
		for start := 0; start < len(labels); {
			end, now := start, make([]int, len(c.Values)) // labels of one time
			for ; end < len(labels) && c.Work.SubmittedAt[labels[end]] == c.Work.SubmittedAt[labels[start]]; end++ {
				if n := c.IndexOf[c.Work.Item[labels[end]]]; n >= 0 {
					now[c.Items[n].Group]++
				}
			}
			for group, n := range now {
				pairs[group] += float64(n) * (float64(before) + float64(now[0])/2)
				of[group] += n
			}
			before, start = before+now[0], end
		}
		for group := range later {
			later[group], all[group], counts[group] = later[group]+pairs[group],
				all[group]+float64(of[group])*float64(of[0]), counts[group]+of[group]
		}
	}
	for group := 1; group < len(r.Groups); group++ {
		if all[group] > 0 && min(counts[group], counts[0]) >= minOrderedLabels {
			r.Groups[group].LaterShare = new(later[group] / all[group])
		}
	}
}
