package stats

import "math"

// Wilson is the interval of a proportion of hits among n (Wilson 1927, JASA 22),
// at the level, such as 0.95. It holds where the n are independent of each other.
func Wilson(hits, n int, level float64) Interval {
	i := Interval{Level: level, Units: n, Of: "answers"}
	if n == 0 {
		i.Undefined = "there is nothing to take a share of"
		return i
	}
	z := normalQuantile((1 + level) / 2)
	total, p := float64(n), float64(hits)/float64(n)
	middle := p + z*z/(2*total)
	reach := z * math.Sqrt(p*(1-p)/total+z*z/(4*total*total))
	i.Low, i.High = max(0, (middle-reach)/(1+z*z/total)), min(1, (middle+reach)/(1+z*z/total))
	return i
}
