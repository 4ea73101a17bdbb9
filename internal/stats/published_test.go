package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// missingRating is a missing rating in the tables below.
const missingRating = -99

// newGridTable returns a table from one row for each annotator.
func newGridTable(t *testing.T, scale NumericScale, rows ...[]int) RatingTable {
	t.Helper()
	var ratings []Rating
	for g, row := range rows {
		for i, v := range row {
			if v != missingRating {
				ratings = append(ratings, Rating{Item: fmt.Sprintf("item%03d", i), Annotator: string(rune('A' + g)),
					Value: v})
			}
		}
	}
	return newTable(t, scale, ratings)
}

// newContingencyTable returns the table of two annotators from a contingency table.
func newContingencyTable(t *testing.T, scale NumericScale, counts ...[]int) RatingTable {
	t.Helper()
	var a, b []int
	for i, row := range counts {
		for j, n := range row {
			a = append(a, slices.Repeat([]int{scale[i]}, n)...)
			b = append(b, slices.Repeat([]int{scale[j]}, n)...)
		}
	}
	return newGridTable(t, scale, a, b)
}

// newCategoryCountTable returns a table from the number of annotators by item and category.
func newCategoryCountTable(t *testing.T, scale NumericScale, counts ...[]int) RatingTable {
	t.Helper()
	var ratings []Rating
	for i, row := range counts {
		g := 0
		for k, n := range row {
			for range n {
				ratings = append(ratings, Rating{Item: fmt.Sprint(i), Annotator: fmt.Sprintf("slot%02d", g),
					Value: scale[k]})
				g++
			}
		}
	}
	return newTable(t, scale, ratings)
}

func newTable(t *testing.T, scale NumericScale, ratings []Rating) RatingTable {
	t.Helper()
	table, err := NewRatingTable(scale, ratings)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// newKrippendorffTable returns example C of Krippendorff (2011): four observers, twelve
// units, seven missing ratings.
func newKrippendorffTable(t *testing.T) RatingTable {
	return newGridTable(t, NewRangeScale(1, 5),
		[]int{1, 2, 3, 3, 2, 1, 4, 1, 2, missingRating, missingRating, missingRating},
		[]int{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, missingRating, 3},
		[]int{missingRating, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, missingRating},
		[]int{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, missingRating})
}

// newFourRatersTable returns the same data as in Gwet's package irrCAC: the single rating of
// the last unit is the third observer's, which affects only coefficients by annotator.
func newFourRatersTable(t *testing.T) RatingTable {
	return newGridTable(t, NewRangeScale(1, 5),
		[]int{1, 2, 3, 3, 2, 1, 4, 1, 2, missingRating, missingRating, missingRating},
		[]int{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, missingRating, missingRating},
		[]int{missingRating, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3},
		[]int{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, missingRating})
}

// newFleiss1971Table returns table 1 of Fleiss (1971): 30 patients, 6 psychiatrists, 5 diagnoses.
func newFleiss1971Table(t *testing.T) RatingTable {
	return newCategoryCountTable(t, NewRangeScale(1, 5),
		[]int{0, 0, 0, 6, 0}, []int{0, 3, 0, 0, 3}, []int{0, 1, 4, 0, 1}, []int{0, 0, 0, 0, 6}, []int{0, 3, 0, 3, 0},
		[]int{2, 0, 4, 0, 0}, []int{0, 0, 4, 0, 2}, []int{2, 0, 3, 1, 0}, []int{2, 0, 0, 4, 0}, []int{0, 0, 0, 0, 6},
		[]int{1, 0, 0, 5, 0}, []int{1, 1, 0, 4, 0}, []int{0, 3, 3, 0, 0}, []int{1, 0, 0, 5, 0}, []int{0, 2, 0, 3, 1},
		[]int{0, 0, 5, 0, 1}, []int{3, 0, 0, 1, 2}, []int{5, 1, 0, 0, 0}, []int{0, 2, 0, 4, 0}, []int{1, 0, 2, 0, 3},
		[]int{0, 0, 0, 0, 6}, []int{0, 1, 0, 5, 0}, []int{0, 2, 0, 1, 3}, []int{2, 0, 0, 4, 0}, []int{1, 0, 0, 4, 1},
		[]int{0, 5, 0, 1, 0}, []int{4, 0, 0, 0, 2}, []int{0, 2, 0, 4, 0}, []int{1, 0, 5, 0, 0}, []int{0, 0, 0, 0, 6})
}

// newWikipediaTable returns the worked example of Fleiss' κ: 10 subjects, 14 raters.
func newWikipediaTable(t *testing.T) RatingTable {
	return newCategoryCountTable(t, NewRangeScale(1, 5),
		[]int{0, 0, 0, 0, 14}, []int{0, 2, 6, 4, 2}, []int{0, 0, 3, 5, 6}, []int{0, 3, 9, 2, 0}, []int{2, 2, 8, 1, 1},
		[]int{7, 7, 0, 0, 0}, []int{3, 2, 6, 3, 0}, []int{2, 5, 3, 2, 2}, []int{6, 5, 2, 1, 0}, []int{0, 2, 2, 3, 7})
}

func TestMeasures_MatchPublished(t *testing.T) {
	t.Parallel()
	sas := newContingencyTable(t, NewRangeScale(1, 3), []int{0, 4, 1}, []int{0, 8, 0}, []int{0, 1, 5})
	abstractors := newContingencyTable(t, NewRangeScale(1, 3), []int{13, 0, 0}, []int{0, 20, 7}, []int{0, 4, 56})
	for _, c := range []struct {
		source  string
		table   RatingTable
		measure Measure
		want    float64
		within  float64
	}{
		{"Krippendorff 2011, C: nominal", newKrippendorffTable(t), Alpha(NominalDistance), .743, .0005},
		{"Krippendorff 2011, C: ordinal", newKrippendorffTable(t), Alpha(OrdinalDistance), .815, .0005},
		{"Krippendorff 2011, C: interval", newKrippendorffTable(t), Alpha(IntervalDistance), .849, .0005},
		{"Gwet 2014, the same four raters: percent", newKrippendorffTable(t), PercentAgreement(), .81818, 1e-5},
		{"Gwet 2014, the same four raters: AC1", newKrippendorffTable(t), GwetAC1(), .77544, 1e-5},
		{"Gwet 2014, the same four raters: Fleiss", newKrippendorffTable(t), FleissKappa(), .76117, 1e-5},
		{"Gwet, overview of irrCAC, four raters: Conger", newFourRatersTable(t), CongerKappa(Unweighted), .76282,
			.000005},
		{"Fleiss 1971: κ", newFleiss1971Table(t), FleissKappa(), .430, .0005},
		{"Fleiss 1971: complete, so both variants are equal", newFleiss1971Table(t), FleissKappa2Plus(), .430, .0005},
		{"Wikipedia, Fleiss' kappa", newWikipediaTable(t), FleissKappa(), .210, .0005},
		{"Wikipedia, Fleiss' kappa: share of agreeing pairs", newWikipediaTable(t), PercentAgreement(), .378, .0005},
		{"Feinstein & Cicchetti 1990: balanced margins",
			newContingencyTable(t, NewRangeScale(0, 1), []int{40, 9}, []int{6, 45}), LightKappa(Unweighted), .70, .005},
		{"Feinstein & Cicchetti 1990: skewed margins", newContingencyTable(t, NewRangeScale(0, 1), []int{80, 10},
			[]int{5, 5}), LightKappa(Unweighted), .32, .005},
		{"Artstein & Poesio 2008, table 1", newContingencyTable(t, NewRangeScale(0, 1), []int{20, 20}, []int{10, 50}),
			LightKappa(Unweighted), .348, .0005},
		{"SAS/STAT, a 3×3 table: simple κ", sas, LightKappa(Unweighted), .4842, .00005},
		{"SAS/STAT, a 3×3 table: weighted κ", sas, LightKappa(Linear), .4701, .00005},
		{"Gwet 2014, two abstractors: Cohen", abstractors, LightKappa(Unweighted), .7964, .00005},
		{"Gwet 2014, two abstractors: Conger equals Cohen", abstractors, CongerKappa(Unweighted), .7964, .00005},
		{"Gwet 2014, two abstractors: AC1", abstractors, GwetAC1(), .8493, .00005},
		{"Gwet 2014, two abstractors: α", abstractors, Alpha(NominalDistance), .79726, .00001},
	} {
		t.Run(c.source, func(t *testing.T) {
			got := c.measure.Compute(c.table)
			if !got.Defined() || math.Abs(got.Value-c.want) > c.within {
				t.Errorf("got %v %s, want %v", got.Value, got.Undefined.Code, c.want)
			}
		})
	}
}

func TestPointEstimate_CountsBasis(t *testing.T) {
	t.Parallel()
	table := newKrippendorffTable(t)
	for _, c := range []struct {
		measure Measure
		want    PointEstimate
	}{
		{Alpha(NominalDistance), PointEstimate{Items: 11, Annotators: 4, Ratings: 40}},
		{FleissKappa(), PointEstimate{Items: 12, Annotators: 4, Ratings: 41}},
		{FleissKappa2Plus(), PointEstimate{Items: 11, Annotators: 4, Ratings: 40}},
	} {
		got := c.measure.Compute(table)
		if got.Value = 0; got != c.want {
			t.Errorf("%s %s: got %+v, want %+v", c.measure.Coefficient, c.measure.Variant, got, c.want)
		}
	}
}
