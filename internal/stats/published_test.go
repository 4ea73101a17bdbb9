package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// none is a missing judgement in the tables below.
const none = -99

// grid makes a table of one row for each annotator.
func grid(t *testing.T, scale Scale, rows ...[]int) Table {
	t.Helper()
	var ratings []Rating
	for g, row := range rows {
		for i, v := range row {
			if v != none {
				ratings = append(ratings, Rating{Item: fmt.Sprintf("item%03d", i), Annotator: string(rune('A' + g)), Value: v})
			}
		}
	}
	return tableOf(t, scale, ratings)
}

// crossed makes a table of two annotators from their contingency table.
func crossed(t *testing.T, scale Scale, counts ...[]int) Table {
	t.Helper()
	var a, b []int
	for i, row := range counts {
		for j, n := range row {
			a = append(a, slices.Repeat([]int{scale[i]}, n)...)
			b = append(b, slices.Repeat([]int{scale[j]}, n)...)
		}
	}
	return grid(t, scale, a, b)
}

// chosen makes a table from how many annotators chose each category, by item.
func chosen(t *testing.T, scale Scale, counts ...[]int) Table {
	t.Helper()
	var ratings []Rating
	for i, row := range counts {
		g := 0
		for k, n := range row {
			for range n {
				ratings = append(ratings, Rating{Item: fmt.Sprint(i), Annotator: fmt.Sprintf("slot%02d", g), Value: scale[k]})
				g++
			}
		}
	}
	return tableOf(t, scale, ratings)
}

func tableOf(t *testing.T, scale Scale, ratings []Rating) Table {
	t.Helper()
	table, err := NewTable(scale, ratings)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// krippendorff is the example C of Krippendorff (2011): four observers, twelve
// units, seven judgements missing.
func krippendorff(t *testing.T) Table {
	return grid(t, Range(1, 5),
		[]int{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
		[]int{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
		[]int{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
		[]int{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none})
}

// fourRaters is the same as Gwet's package irrCAC carries it: the lone rating of the
// last unit is the third observer's, which only a coefficient of annotators can see.
func fourRaters(t *testing.T) Table {
	return grid(t, Range(1, 5),
		[]int{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
		[]int{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, none},
		[]int{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3},
		[]int{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none})
}

// fleiss1971 is table 1 of Fleiss (1971): 30 patients, 6 psychiatrists, 5 diagnoses.
func fleiss1971(t *testing.T) Table {
	return chosen(t, Range(1, 5),
		[]int{0, 0, 0, 6, 0}, []int{0, 3, 0, 0, 3}, []int{0, 1, 4, 0, 1}, []int{0, 0, 0, 0, 6}, []int{0, 3, 0, 3, 0},
		[]int{2, 0, 4, 0, 0}, []int{0, 0, 4, 0, 2}, []int{2, 0, 3, 1, 0}, []int{2, 0, 0, 4, 0}, []int{0, 0, 0, 0, 6},
		[]int{1, 0, 0, 5, 0}, []int{1, 1, 0, 4, 0}, []int{0, 3, 3, 0, 0}, []int{1, 0, 0, 5, 0}, []int{0, 2, 0, 3, 1},
		[]int{0, 0, 5, 0, 1}, []int{3, 0, 0, 1, 2}, []int{5, 1, 0, 0, 0}, []int{0, 2, 0, 4, 0}, []int{1, 0, 2, 0, 3},
		[]int{0, 0, 0, 0, 6}, []int{0, 1, 0, 5, 0}, []int{0, 2, 0, 1, 3}, []int{2, 0, 0, 4, 0}, []int{1, 0, 0, 4, 1},
		[]int{0, 5, 0, 1, 0}, []int{4, 0, 0, 0, 2}, []int{0, 2, 0, 4, 0}, []int{1, 0, 5, 0, 0}, []int{0, 0, 0, 0, 6})
}

// wikipedia is the worked example of Fleiss' κ: 10 subjects, 14 raters.
func wikipedia(t *testing.T) Table {
	return chosen(t, Range(1, 5),
		[]int{0, 0, 0, 0, 14}, []int{0, 2, 6, 4, 2}, []int{0, 0, 3, 5, 6}, []int{0, 3, 9, 2, 0}, []int{2, 2, 8, 1, 1},
		[]int{7, 7, 0, 0, 0}, []int{3, 2, 6, 3, 0}, []int{2, 5, 3, 2, 2}, []int{6, 5, 2, 1, 0}, []int{0, 2, 2, 3, 7})
}

func TestPublishedFigures(t *testing.T) {
	t.Parallel()
	sas := crossed(t, Range(1, 3), []int{0, 4, 1}, []int{0, 8, 0}, []int{0, 1, 5})
	abstractors := crossed(t, Range(1, 3), []int{13, 0, 0}, []int{0, 20, 7}, []int{0, 4, 56})
	for _, c := range []struct {
		source  string
		table   Table
		measure Measure
		want    float64
		within  float64
	}{
		{"Krippendorff 2011, C: nominal", krippendorff(t), Alpha(NominalDistance), .743, .0005},
		{"Krippendorff 2011, C: ordinal", krippendorff(t), Alpha(OrdinalDistance), .815, .0005},
		{"Krippendorff 2011, C: interval", krippendorff(t), Alpha(IntervalDistance), .849, .0005},
		{"Gwet 2014, the same four raters: percent", krippendorff(t), PercentAgreement(), .81818, 1e-5},
		{"Gwet 2014, the same four raters: AC1", krippendorff(t), GwetAC1(), .77544, 1e-5},
		{"Gwet 2014, the same four raters: Fleiss", krippendorff(t), FleissKappa(), .76117, 1e-5},
		{"Gwet, irrCAC's overview, four raters: Conger", fourRaters(t), CongerKappa(Unweighted), .76282, .000005},
		{"Fleiss 1971: κ", fleiss1971(t), FleissKappa(), .430, .0005},
		{"Fleiss 1971: complete, so both variants are one", fleiss1971(t), FleissKappa2Plus(), .430, .0005},
		{"Wikipedia, Fleiss' kappa", wikipedia(t), FleissKappa(), .210, .0005},
		{"Wikipedia, Fleiss' kappa: share of agreeing pairs", wikipedia(t), PercentAgreement(), .378, .0005},
		{"Feinstein & Cicchetti 1990: balanced margins", crossed(t, Range(0, 1), []int{40, 9}, []int{6, 45}), LightKappa(Unweighted), .70, .005},
		{"Feinstein & Cicchetti 1990: skewed margins", crossed(t, Range(0, 1), []int{80, 10}, []int{5, 5}), LightKappa(Unweighted), .32, .005},
		{"Artstein & Poesio 2008, table 1", crossed(t, Range(0, 1), []int{20, 20}, []int{10, 50}), LightKappa(Unweighted), .348, .0005},
		{"SAS/STAT, a 3×3 table: simple κ", sas, LightKappa(Unweighted), .4842, .00005},
		{"SAS/STAT, a 3×3 table: weighted κ", sas, LightKappa(Linear), .4701, .00005},
		{"Gwet 2014, two abstractors: Cohen", abstractors, LightKappa(Unweighted), .7964, .00005},
		{"Gwet 2014, two abstractors: Conger is Cohen", abstractors, CongerKappa(Unweighted), .7964, .00005},
		{"Gwet 2014, two abstractors: AC1", abstractors, GwetAC1(), .8493, .00005},
		{"Gwet 2014, two abstractors: α", abstractors, Alpha(NominalDistance), .79726, .00001},
	} {
		t.Run(c.source, func(t *testing.T) {
			got := c.measure.Of(c.table)
			if !got.Defined() || math.Abs(got.Value-c.want) > c.within {
				t.Errorf("got %v %s, want %v", got.Value, got.Undefined, c.want)
			}
		})
	}
}

func TestUndefinedIsAReason(t *testing.T) {
	t.Parallel()
	same := grid(t, Range(1, 5), []int{5, 5, 5}, []int{5, 5, 5})
	apart := grid(t, Range(1, 5), []int{1, 2, none, none}, []int{none, none, 3, 4})
	oneSame := grid(t, Range(1, 5), []int{5, 5, 5}, []int{5, 5, 5}, []int{4, 5, 3})
	for _, c := range []struct {
		name    string
		table   Table
		measure Measure
		want    string
	}{
		{"one answer everywhere", same, Alpha(OrdinalDistance), "every answer is 5: there is no variation to agree on"},
		{"one answer everywhere", same, LightKappa(Linear), "every answer is 5: there is no variation to agree on"},
		{"one answer everywhere", same, CongerKappa(Linear), "every answer is 5: there is no variation to agree on"},
		{"one answer everywhere", same, FleissKappa(), "every answer is 5: there is no variation to agree on"},
		{"no shared item", apart, PercentAgreement(), "no item was judged by two annotators: there is nothing to compare"},
		{"no shared item", apart, GwetAC1(), "no item was judged by two annotators: there is nothing to compare"},
		{"one annotator", grid(t, Range(1, 5), []int{1, 2}), Alpha(NominalDistance), "only A has answered: agreement needs two annotators"},
		{"no answer", grid(t, Range(1, 5)), FleissKappa2Plus(), "there are no answers yet"},
		{"one pair without variation", oneSame, LightKappa(Linear), "every answer that A and B both gave is 5"},
		{"variation only outside the shared items", grid(t, Range(1, 5), []int{5, 5, 2}, []int{5, 5, none}), Alpha(NominalDistance), "every answer to an item that two annotators judged is 5"},
	} {
		got := c.measure.Of(c.table)
		if got.Value != 0 || !strings.HasPrefix(got.Undefined, c.want) {
			t.Errorf("%s, %s: got %v %q, want %q", c.name, c.measure.Coefficient, got.Value, got.Undefined, c.want)
		}
	}
}

func TestAFigureCountsWhatItUsed(t *testing.T) {
	t.Parallel()
	table := krippendorff(t)
	for _, c := range []struct {
		measure Measure
		want    Figure
	}{
		{Alpha(NominalDistance), Figure{Items: 11, Annotators: 4, Ratings: 40}},
		{FleissKappa(), Figure{Items: 12, Annotators: 4, Ratings: 41}},
		{FleissKappa2Plus(), Figure{Items: 11, Annotators: 4, Ratings: 40}},
	} {
		got := c.measure.Of(table)
		if got.Value = 0; got != c.want {
			t.Errorf("%s %s: got %+v, want %+v", c.measure.Coefficient, c.measure.Variant, got, c.want)
		}
	}
}
