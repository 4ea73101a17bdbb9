package stats

import "slices"

// Columns are the ratings of a table by item and, within an item, by annotator.
type Columns struct {
	Items, Annotators []string // sorted
	ClusterOf         []int32  // item → cluster, from 0 without gaps, −1: none; nil without clusters
	RowStart          []int32  // item i has the ratings RowStart[i] to RowStart[i+1]
	AnnotatorOf       []int32  // rating → annotator
	CategoryOf        []uint8  // rating → index of its value on the scale
}

// Insert adds a rating to the last item, whose ratings begin at from.
func (c *Columns) Insert(from int, annotator int32, category uint8) {
	c.AnnotatorOf, c.CategoryOf = append(c.AnnotatorOf, annotator), append(c.CategoryOf, category)
	for i := len(c.AnnotatorOf) - 1; i > from && c.AnnotatorOf[i-1] > c.AnnotatorOf[i]; i-- {
		c.AnnotatorOf[i-1], c.AnnotatorOf[i] = c.AnnotatorOf[i], c.AnnotatorOf[i-1]
		c.CategoryOf[i-1], c.CategoryOf[i] = c.CategoryOf[i], c.CategoryOf[i-1]
	}
}

// NewColumnTable returns the table of columns, which it takes over. It does the same as
// NewRatingTable without a rating for each answer.
func NewColumnTable(scale NumericScale, c Columns) (RatingTable, error) {
	if err := scale.Validate(); err != nil {
		return RatingTable{}, err
	}
	t := RatingTable{Scale: scale, items: c.Items, rowStart: c.RowStart, annotatorOf: c.AnnotatorOf,
		categoryOf: c.CategoryOf}
	t.annotators = renumber(t.annotatorOf, c.Annotators)
	if c.ClusterOf == nil || slices.Max(append([]int32{-1}, c.ClusterOf...)) < 0 {
		return t, nil
	}
	n := slices.Max(c.ClusterOf) + 1
	for i, cluster := range c.ClusterOf {
		if cluster < 0 {
			c.ClusterOf[i] = n
			n++
		}
	}
	t.clusterOf, t.clusterCount = c.ClusterOf, int(n)
	return t, nil
}
