package mixed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// newStudy returns labels of items under two conditions, three labels each by a few annotators.
// Annotators with an even number see more of the first condition.
func newStudy(items, annotators int, r *rand.Rand) Data {
	d := Data{Annotators: annotators, Conditions: 2}
	severity := make([]float64, annotators)
	for g := range severity {
		severity[g] = 0.5 * r.NormFloat64()
	}
	for i := range items {
		level := 0.6 * r.NormFloat64()
		for n := range 3 {
			annotator := int32((2*(i/2) + n + i%2*(n%2)) % annotators)
			value := 3 + 0.5*float64(i%2) + level + severity[annotator] + 0.5*r.NormFloat64()
			d.Labels = append(d.Labels, Label{Record: int32(i / 2), Item: int32(i), Annotator: annotator,
				Condition: int32(i % 2), Value: value})
		}
	}
	return d
}

// TestInfluences_EqualLeavingOneOut compares the influence of a record with the difference
// without the record, computed with the same ratios.
func TestInfluences_EqualLeavingOneOut(t *testing.T) {
	t.Parallel()
	d := newStudy(400, 5, rand.New(rand.NewPCG(1, 2)))
	m, reason := Fit(d)
	if reason != "" {
		t.Fatal(reason)
	}
	influences, mean := m.Influences(m.Difference(0, 1)), 0.0
	for _, v := range influences {
		mean += v / float64(len(influences))
	}
	if difference := m.Estimate(m.Difference(0, 1)).Value; math.Abs(mean-difference) > 1e-9 {
		t.Errorf("mean influence %g, want the difference %g", mean, difference)
	}
	for record := range int32(10) {
		rest := Data{Annotators: d.Annotators, Conditions: 2}
		for _, l := range d.Labels {
			if l.Record != record {
				rest.Labels = append(rest.Labels, l)
			}
		}
		without, _ := newBlocks(rest).solve(m.ratios)
		moved := (m.Means[1] - m.Means[0]) - (without.means[1] - without.means[0])
		if predicted := (influences[record] - mean) / float64(len(influences)); math.Abs(
			moved-predicted) > 0.1*math.Abs(moved)+1e-4 {
			t.Errorf("record %d moves the difference by %g, predicted %g", record, moved, predicted)
		}
	}
}

func TestFit_Impossible_SaysWhy(t *testing.T) {
	t.Parallel()
	label := func(item, annotator, condition int32, value float64) Label {
		return Label{Record: item, Item: item, Annotator: annotator, Condition: condition, Value: value}
	}
	var confounded, single, constant, offset []Label
	for i := range int32(20) {
		confounded = append(confounded, label(i, i%2, i%2, float64(i%3)))
		single = append(single, label(i, 0, i%2, float64(i%3)))
		constant = append(constant, label(i, i/2%2, i%2, 1))
		offset = append(offset, label(i, 0, i%2, float64(i%3)), label(i, 1, i%2, float64(i%3)+1))
	}
	for _, tt := range []struct {
		labels []Label
		want   stats.ReasonCode
	}{{confounded, ConfoundedAnnotators}, {single, OneAnnotator}, {constant, stats.NoVariation},
		{offset, NothingUnexplained}, {confounded[:2], FewLabels}, {nil, FewLabels}} {
		if _, reason := Fit(Data{Labels: tt.labels, Annotators: 2, Conditions: 2}); reason != tt.want {
			t.Errorf("reason %q, want %q", reason, tt.want)
		}
	}
}

// TestFit_ManyLabels_SamplesVariances fits more labels than the variances come from.
func TestFit_ManyLabels_SamplesVariances(t *testing.T) {
	t.Parallel()
	m, reason := Fit(newStudy(2*MaxVarianceLabels/3, 12, rand.New(rand.NewPCG(3, 4))))
	if reason != "" {
		t.Fatal(reason)
	}
	n := len(m.variance.labels)
	if difference := m.Estimate(m.Difference(0, 1)); n < MaxVarianceLabels*9/10 || n > MaxVarianceLabels*11/10 ||
		math.Abs(difference.Value-0.5) > 4*difference.Error || difference.Error > 0.02 {
		t.Errorf("%d labels, difference %+v", n, difference)
	}
	if math.Abs(m.Item-0.36) > 0.03 || math.Abs(m.Residual-0.25) > 0.02 {
		t.Errorf("variances: item %g, residual %g", m.Item, m.Residual)
	}
}

// TestFit_AnnotatorsWhoAgree_IntervalsCover simulates studies without a difference, in which annotators never or hardly
// ever disagree. studies/interval has more of them.
func TestFit_AnnotatorsWhoAgree_IntervalsCover(t *testing.T) {
	t.Parallel()
	const studies = 80
	for _, itemsOfRecord := range []int{1, 3} {
		for _, changed := range []float64{0, 0.01} {
			r, differences := rand.New(rand.NewPCG(2, uint64(1000*changed))), 0
			for range studies {
				m, reason := Fit(newAgreeingStudy(2, itemsOfRecord, changed, r))
				if reason != "" {
					t.Fatal(reason)
				}
				if m.Estimate(m.Difference(0, 1)).PValue < 0.05 {
					differences++
				}
			}
			if share := float64(differences) / studies; share > 0.05+2.6*math.Sqrt(0.05*0.95/studies) {
				t.Errorf("records of %d, %g of labels changed: a difference in %.3f of studies without one",
					itemsOfRecord, changed, share)
			}
		}
	}
}

// newAgreeingStudy returns labels of 60 items under two conditions that are equal but for a share that is changed by
// one point.
func newAgreeingStudy(annotators, itemsOfRecord int, changed float64, r *rand.Rand) Data {
	d := Data{Annotators: annotators, Conditions: 2}
	for record := range 60 / itemsOfRecord {
		level := r.NormFloat64()
		for i := range itemsOfRecord {
			value := min(max(math.Round(3+level+0.7*r.NormFloat64()), 1), 5)
			for g := range annotators {
				l := Label{Record: int32(record), Item: int32(itemsOfRecord*record + i), Annotator: int32(g),
					Condition: int32(record % 2), Value: value}
				if r.Float64() < changed {
					l.Value = min(max(value+float64(2*r.IntN(2)-1), 1), 5)
				}
				d.Labels = append(d.Labels, l)
			}
		}
	}
	return d
}

// TestJackknife_UnequalVariances_Covers simulates studies without a difference, in which the smaller group has the
// larger variance: the interval of the model, which assumes equal ones, then misses 0 in a fifth of them.
func TestJackknife_UnequalVariances_Covers(t *testing.T) {
	t.Parallel()
	r, pooled, robust, studies := rand.New(rand.NewPCG(8, 9)), 0, 0, 500
	for range studies {
		d := Data{Annotators: 2, Conditions: 2}
		for i := range int32(60) {
			condition := int32(0)
			if i%5 == 0 {
				condition = 1
			}
			value := 3 + (0.5+float64(condition))*r.NormFloat64()
			for g := range int32(2) {
				d.Labels = append(d.Labels, Label{Record: i, Item: i, Annotator: g, Condition: condition, Value: value +
					0.2*r.NormFloat64()})
			}
		}
		m, reason := Fit(d)
		if reason != "" {
			t.Fatal(reason)
		}
		difference := m.Difference(0, 1)
		if m.Estimate(difference).PValue < 0.05 {
			pooled++
		}
		if Jackknife(m.Influences(difference)).PValue < 0.05 {
			robust++
		}
	}
	t.Logf("p below 0.05 in %d and %d of %d studies", pooled, robust, studies)
	if 10*pooled < studies || 11*robust > studies {
		t.Errorf("p below 0.05 in %d and %d of %d studies", pooled, robust, studies)
	}
}
