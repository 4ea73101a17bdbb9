package stats

// IntervalOf returns the interval of any figure of n items. value computes it
// with item i counted times[i] times, and says false where it has no value;
// what names the items ("queries"). cluster names what each item shares with
// others; nil where every item stands alone.
func IntervalOf(n int, cluster []string, what string, o Options, value func(times []float64) (float64, bool)) Interval {
	kind := make([]int32, n)
	all := counted{times: make([]float64, n), value: value}
	for i := range kind {
		kind[i] = int32(i)
		all.times[i] = 1
	}
	if _, ok := value(all.times); !ok {
		return Interval{Undefined: "there is no figure to be sure of"}
	}
	number, clusters := numbered(cluster)
	if cluster != nil {
		what = "clusters of " + what
	}
	return o.intervals(unitsOf(kind, number, n, clusters), what, all, 1)[0]
}

// counted is a statistic of how often each item was drawn.
type counted struct {
	times []float64
	value func(times []float64) (float64, bool)
}

func (c counted) like() statistic                { return counted{make([]float64, len(c.times)), c.value} }
func (c counted) clear()                         { clear(c.times) }
func (c counted) add(item int32, weight float64) { c.times[item] += weight }

func (c counted) values(into []drawn) {
	v, ok := c.value(c.times)
	into[0] = drawn{value: v}
	if !ok {
		into[0].lacks = lacksOverlap
	}
}

// numbered gives each distinct name a number, in order of appearance.
func numbered(names []string) ([]int32, int) {
	if names == nil {
		return nil, 0
	}
	x := index{of: map[string]int32{}}
	numbers := make([]int32, len(names))
	for i, name := range names {
		numbers[i] = x.number(name)
	}
	return numbers, len(x.names)
}

// MeanInterval is the interval of the mean of the values, Expanded unless another
// Method is asked for; cluster and what are IntervalOf's.
func MeanInterval(values []float64, cluster []string, what string, o Options) Interval {
	return meanInterval(values, nil, cluster, what, o)
}

// meanInterval is that of the mean of the values, or where second is given of the
// mean of the second ones less that of the others.
func meanInterval(values []float64, second []bool, cluster []string, what string, o Options) Interval {
	if o.Method == "" {
		o.Method = Expanded
	}
	n := len(values)
	if n == 0 {
		return Interval{Undefined: "there is no figure to be sure of"}
	}
	kind, all := make([]int32, n), &means{}
	place := map[valued]int32{}
	for i, v := range values {
		at := valued{v, second != nil && second[i]}
		k, seen := place[at]
		if !seen {
			k = int32(len(all.kinds))
			place[at] = k
			all.kinds = append(all.kinds, at)
		}
		kind[i] = k
		all.add(k, 1)
	}
	all.compared = second != nil
	number, clusters := numbered(cluster)
	if cluster != nil {
		what = "clusters of " + what
	}
	return o.intervals(unitsOf(kind, number, len(all.kinds), clusters), what, all, 1)[0]
}

// valued is what a mean needs to know of an item.
type valued struct {
	value  float64
	second bool
}

// means is the statistic of the mean of values, or of the difference of two.
type means struct {
	kinds    []valued
	compared bool
	sum, n   [2]float64
}

func (m *means) like() statistic { return &means{kinds: m.kinds, compared: m.compared} }
func (m *means) clear()          { m.sum, m.n = [2]float64{}, [2]float64{} }

func (m *means) add(kind int32, weight float64) {
	k := m.kinds[kind]
	at := int(one(k.second))
	m.sum[at], m.n[at] = m.sum[at]+weight*k.value, m.n[at]+weight
}

func (m *means) values(into []drawn) {
	switch {
	case m.n[0] < tiny || m.compared && m.n[1] < tiny:
		into[0] = drawn{lacks: lacksOverlap}
	case !m.compared:
		into[0] = drawn{value: m.sum[0] / m.n[0]}
	default:
		into[0] = drawn{value: m.sum[1]/m.n[1] - m.sum[0]/m.n[0]}
	}
}

func weightedMean(values, times []float64) (float64, bool) {
	sum, n := 0.0, 0.0
	for i, v := range values {
		sum, n = sum+times[i]*v, n+times[i]
	}
	if n == 0 {
		return 0, false
	}
	return sum / n, true
}
