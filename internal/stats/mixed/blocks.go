package mixed

import "math"

// ratios are the variances of annotators, records and items, divided by that of the error.
type ratios [3]float64

const (
	annotatorRatio = iota
	recordRatio
	itemRatio
)

// blocks are sums from which the cross products under any ratios are computed without reading
// the labels again. Columns are the annotators, the conditions, and the values − center.
//
// Let W be the covariance of the labels without annotators, divided by the error's variance. It
// has a block for each record, whose inverse is known (Sherman & Morrison 1950). With t the sum
// of the columns over an item of n labels, b the sum of t/(1+nθi) over the items of a record, and
// s the sum of n/(1+nθi), the cross product M'W⁻¹M is
//
//	M'M − Σ θi/(1+nθi) tt' over items − Σ θr/(1+sθr) bb' over records.
type blocks struct {
	annotators, conditions int
	labels                 []Label
	center                 float64
	plain                  []float64   // M'M
	sizes                  []float64   // numbers of labels that items have
	itemCounts             []float64   // by size
	itemSums               [][]float64 // by size: Σ tt'
	recordCount            int
	records                recordSums
	// whether the variances can be estimated apart from the error's
	hasAnnotators, hasRecords, hasItems bool
}

// recordSums are the sums of the columns over each record, by the size of its items. There are
// none unless records have several items.
type recordSums struct {
	itemStart, entryStart []int32 // record → its first place in the next two
	items                 []int32 // by size
	entries               []entry
}

type entry struct {
	column, size int32
	value        float64
}

func (b *blocks) width() int { return b.annotators + b.conditions + 1 }

func newBlocks(d Data) *blocks {
	b := &blocks{annotators: d.Annotators, conditions: d.Conditions, labels: d.Labels}
	for _, l := range d.Labels {
		b.center += l.Value / float64(len(d.Labels))
	}
	b.plain = make([]float64, b.width()*b.width())
	scratch := newSparse(b.width())
	for _, l := range d.Labels {
		b.hasAnnotators = b.hasAnnotators || l.Annotator != d.Labels[0].Annotator
		b.addLabel(scratch, l)
		scratch.addProduct(b.plain, 1)
		scratch.clear()
	}
	if b.hasRecords = hasSeveralItems(d.Labels); b.hasRecords {
		b.records.reserve(d.Labels)
	}
	for record := range eachRun(d.Labels, func(l Label) int32 { return l.Record }) {
		b.records.begin(b.hasRecords)
		items := 0
		for item := range eachRun(record, func(l Label) int32 { return l.Item }) {
			b.addItem(scratch, item)
			items++
		}
		b.hasItems = b.hasItems || len(record) > items
		b.recordCount++
	}
	b.records.begin(b.hasRecords) // the end of the last one
	return b
}

// variance returns that of the values.
func (b *blocks) variance() float64 {
	last := len(b.plain) - 1
	return b.plain[last] / float64(len(b.labels))
}

// hasSeveralItems reports whether a record has more than one item.
func hasSeveralItems(labels []Label) bool {
	for i := range labels {
		if i > 0 && labels[i].Record == labels[i-1].Record && labels[i].Item != labels[i-1].Item {
			return true
		}
	}
	return false
}

// reserve allocates memory for the records of labels: about as many entries as labels, and those
// of the condition and of the value.
func (r *recordSums) reserve(labels []Label) {
	n := 1
	for range eachRun(labels, func(l Label) int32 { return l.Record }) {
		n++
	}
	r.itemStart, r.entryStart, r.items = make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	r.entries = make([]entry, 0, min(len(labels), 4*n)+2*n)
}

// begin starts a record, if records are kept.
func (r *recordSums) begin(isKept bool) {
	if isKept {
		r.itemStart, r.entryStart = append(r.itemStart, int32(len(r.items))),
			append(r.entryStart, int32(len(r.entries)))
	}
}

// components returns the ratios to estimate.
func (b *blocks) components() (list []int) {
	if b.hasAnnotators {
		list = append(list, annotatorRatio)
	}
	if b.hasRecords {
		list = append(list, recordRatio)
	}
	if b.hasItems {
		list = append(list, itemRatio)
	}
	return list
}

// addLabel adds the columns of a label.
func (b *blocks) addLabel(s *sparse, l Label) {
	s.add(l.Annotator, 1)
	s.add(int32(b.annotators)+l.Condition, 1)
	s.add(int32(b.annotators+b.conditions), l.Value-b.center)
}

// addItem adds the labels of an item to its size and to the last record.
func (b *blocks) addItem(scratch *sparse, labels []Label) {
	size := b.sizeIndex(float64(len(labels)))
	b.itemCounts[size]++
	for _, l := range labels {
		b.addLabel(scratch, l)
	}
	scratch.addProduct(b.itemSums[size], 1)
	if b.hasRecords {
		b.records.addItem(int32(size), scratch)
	}
	scratch.clear()
}

// addItem adds an item to the last record.
func (r *recordSums) addItem(size int32, sums *sparse) {
	from := int(r.itemStart[len(r.itemStart)-1])
	for len(r.items)-from <= int(size) {
		r.items = append(r.items, 0)
	}
	r.items[from+int(size)]++
	for _, column := range sums.columns {
		r.add(entry{column, size, sums.values[column]})
	}
}

func (r *recordSums) add(e entry) {
	for i := int(r.entryStart[len(r.entryStart)-1]); i < len(r.entries); i++ {
		if r.entries[i].column == e.column && r.entries[i].size == e.size {
			r.entries[i].value += e.value
			return
		}
	}
	r.entries = append(r.entries, e)
}

func (b *blocks) sizeIndex(size float64) int {
	for i, s := range b.sizes {
		if s == size {
			return i
		}
	}
	b.sizes, b.itemCounts = append(b.sizes, size), append(b.itemCounts, 0)
	b.itemSums = append(b.itemSums, make([]float64, b.width()*b.width()))
	return len(b.sizes) - 1
}

// crossProduct returns M'W⁻¹M, of which the upper triangle is set, and log |W|.
func (b *blocks) crossProduct(θ ratios) (product []float64, logDeterminant float64) {
	product = append(product, b.plain...)
	shrunk := make([]float64, len(b.sizes)) // 1/(1+nθi)
	for i, n := range b.sizes {
		shrunk[i] = 1 / (1 + n*θ[itemRatio])
		logDeterminant -= b.itemCounts[i] * math.Log(shrunk[i])
		addScaled(product, b.itemSums[i], -θ[itemRatio]*shrunk[i])
	}
	if θ[recordRatio] == 0 {
		return product, logDeterminant
	}
	scratch := newSparse(b.width())
	for n := range b.recordCount {
		sum := 0.0
		for i, items := range b.records.items[b.records.itemStart[n]:b.records.itemStart[n+1]] {
			sum += float64(items) * b.sizes[i] * shrunk[i]
		}
		for _, e := range b.records.entries[b.records.entryStart[n]:b.records.entryStart[n+1]] {
			scratch.add(e.column, e.value*shrunk[e.size])
		}
		scratch.addProduct(product, -θ[recordRatio]/(1+θ[recordRatio]*sum))
		scratch.clear()
		logDeterminant += math.Log1p(θ[recordRatio] * sum)
	}
	return product, logDeterminant
}

func addScaled(into, values []float64, factor float64) {
	if factor == 0 {
		return
	}
	for i, v := range values {
		into[i] += factor * v
	}
}

// A sparse is a vector with few columns set.
type sparse struct {
	values  []float64
	isSet   []bool
	columns []int32
}

func newSparse(width int) *sparse {
	return &sparse{values: make([]float64, width), isSet: make([]bool, width)}
}

func (s *sparse) add(column int32, value float64) {
	if !s.isSet[column] {
		s.isSet[column], s.columns = true, append(s.columns, column)
	}
	s.values[column] += value
}

func (s *sparse) clear() {
	for _, c := range s.columns {
		s.values[c], s.isSet[c] = 0, false
	}
	s.columns = s.columns[:0]
}

// addProduct adds factor · ss' to the upper triangle of a matrix.
func (s *sparse) addProduct(matrix []float64, factor float64) {
	width := int32(len(s.values))
	for _, i := range s.columns {
		v := factor * s.values[i]
		row := matrix[i*width : (i+1)*width]
		for _, j := range s.columns {
			if i <= j {
				row[j] += v * s.values[j]
			}
		}
	}
}

// eachRun yields the runs of labels with an equal key.
func eachRun(labels []Label, key func(Label) int32) func(yield func([]Label) bool) {
	return func(yield func([]Label) bool) {
		for start := 0; start < len(labels); {
			end := start + 1
			for end < len(labels) && key(labels[end]) == key(labels[start]) {
				end++
			}
			if !yield(labels[start:end]) {
				return
			}
			start = end
		}
	}
}
