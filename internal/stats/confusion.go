package stats

// A ConfusionMatrix counts the answers of two annotators to their shared items.
type ConfusionMatrix struct {
	First, Second string
	Scale         NumericScale
	Counts        [][]int // by the first annotator's answer, then the second's, in scale order
	Items         int
}

// ConfusionMatrix returns the confusion matrix of two annotators.
func (t RatingTable) ConfusionMatrix(first, second string) ConfusionMatrix {
	c := ConfusionMatrix{First: first, Second: second, Scale: t.Scale, Counts: make([][]int, len(t.Scale))}
	for i := range c.Counts {
		c.Counts[i] = make([]int, len(t.Scale))
	}
	shared := t.Pair(first, second)
	c.Items = shared.Items()
	for i := range shared.items {
		_, categories := shared.row(i)
		a, b := categories[0], categories[1]
		if first > second {
			a, b = b, a
		}
		c.Counts[a][b]++
	}
	return c
}
