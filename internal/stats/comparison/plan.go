package comparison

import "math"

// Assumptions are the expected properties of a study that compares two groups of equal size, both labeled by the same
// annotators.
type Assumptions struct {
	Kappa     float64 // expected agreement
	Deviation float64 // standard deviation of the answers
}

// powerMargin is the number of standard errors of the smallest difference that is shown with 80% power at the level of
// 5%.
const powerMargin = 1.959964 + 0.841621

// variance returns that of the mean of an item's labels: the share κ of the variance is the items' own.
func (a Assumptions) variance(labels int) float64 {
	return a.Deviation * a.Deviation * (a.Kappa + (1-a.Kappa)/float64(labels))
}

// PlanDetectable returns the smallest difference that so many items in both groups together, with so many labels each,
// show with 80% power.
func (a Assumptions) PlanDetectable(items, labels int) float64 {
	return powerMargin * math.Sqrt(4*a.variance(labels)/float64(items))
}

// PlanItems returns the fewest items in both groups together that show a difference with 80% power.
func (a Assumptions) PlanItems(difference float64, labels int) int {
	perGroup := math.Ceil(2 * a.variance(labels) * powerMargin * powerMargin / (difference * difference))
	return 2 * max(MinItems, int(perGroup))
}

// A Plan is a comparison of two groups before it is labeled.
type Plan struct {
	Overlap    int     `json:"overlap"` // labels of each item
	Items      int     `json:"items"`   // in both groups together
	Labels     int     `json:"labels"`
	Hours      float64 `json:"hours"`
	Difference float64 `json:"difference"` // detectable with 80% power
}

// PlanComparison returns the plan of so many items in both groups together, with so many labels each that take so many
// seconds.
func (a Assumptions) PlanComparison(items, labels int, seconds float64) Plan {
	return Plan{labels, items, items * labels, float64(items*labels) * seconds / 3600, a.PlanDetectable(items, labels)}
}
