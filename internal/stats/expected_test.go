package stats

import (
	"github.com/labelwright/labelwright/internal/require"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// expectedRows is the number of reference figures of each coefficient, all of which must be
// checked.
var expectedRows = map[string]int{
	"alpha": 135, "alpha_bootstrap95_lower": 87, "alpha_bootstrap95_upper": 87,
	"cohen_kappa": 69, "pair_cohen": 798, "conger_kappa": 44, "light_kappa_complete_items": 32,
	"fleiss_kappa_complete_items": 33, "fleiss_kappa_generalised_all_items": 45,
	"fleiss_kappa_generalised_items_2plus": 9,
	"gwet_ac1":                             90, "gwet_ac1_items_2plus": 9, "gwet_ac2": 50, "percent_agreement": 45,
}

func TestMeasures_MatchReference(t *testing.T) {
	t.Parallel()
	dir := require.SharedData(t, "agreement")
	scales := readScales(t, dir)
	tables := map[string]map[string]RatingTable{}
	checked := map[string]int{}
	for _, r := range readRecords(t, filepath.Join(dir, "expected.csv")) {
		name := r["dataset"]
		if tables[name] == nil {
			tables[name] = readDataset(t, dir, name, scales[name])
		}
		coefficient, _, _ := strings.Cut(r["coefficient"], "[")
		checked[coefficient]++
		if strings.HasPrefix(coefficient, "alpha_bootstrap95") {
			continue // checked by TestInterval_MatchesReferenceBootstrap
		}
		checkEstimate(t, r, computeExpectedFigure(t, tables[name][r["dimension"]], r))
	}
	if !maps.Equal(checked, expectedRows) {
		t.Errorf("checked %v, want %v", checked, expectedRows)
	}
}

func TestInterval_MatchesReferenceBootstrap(t *testing.T) {
	t.Parallel()
	dir := require.SharedData(t, "agreement")
	scales := readScales(t, dir)
	intervals := map[string]Interval{}
	checked := 0
	for _, r := range readRecords(t, filepath.Join(dir, "expected.csv")) {
		if !strings.HasPrefix(r["coefficient"], "alpha_bootstrap95") {
			continue
		}
		checked++
		key := r["dataset"] + " " + r["dimension"]
		if _, done := intervals[key+" nominal"]; !done {
			table := readDataset(t, dir, r["dataset"], scales[r["dataset"]])[r["dimension"]]
			for _, e := range ComputeEstimates(table, IntervalOptions{Resamples: 4000, Seed: 7}, Alpha(NominalDistance),
				Alpha(OrdinalDistance), Alpha(IntervalDistance)) {
				intervals[key+" "+e.Variant] = e.Interval
			}
		}
		i := intervals[key+" "+r["variant"]]
		got := i.High
		if strings.HasSuffix(r["coefficient"], "lower") {
			got = i.Low
		}
		if want, tolerance := parseNumber(t, r["value"]), parseNumber(t, r["tolerance"]); !i.Defined() ||
			math.Abs(got-want) > tolerance {
			t.Errorf("%s %s %s is %.4f %s, want %v ± %v", key, r["coefficient"], r["variant"], got, i.Undefined.Code,
				want, tolerance)
		}
	}
	if checked != 174 {
		t.Errorf("%d interval bounds were checked, want 174", checked)
	}
}

func checkEstimate(t *testing.T, r map[string]string, got PointEstimate) {
	t.Helper()
	figureName := strings.Join([]string{r["dataset"], r["dimension"], r["coefficient"], r["variant"]}, " ")
	if r["value"] == "undefined" {
		if got.Defined() {
			t.Errorf("%s is %v, want undefined", figureName, got.Value)
		}
		return
	}
	want, tolerance := parseNumber(t, r["value"]), parseNumber(t, r["tolerance"])
	if !got.Defined() {
		t.Errorf("%s is undefined (%s), want %v", figureName, got.Undefined.Code, want)
	} else if math.Abs(got.Value-want) > tolerance {
		t.Errorf("%s is %.10f, want %v ± %v", figureName, got.Value, want, tolerance)
	}
}

func parseNumber(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// computeExpectedFigure computes the figure of a row of expected.csv.
func computeExpectedFigure(t *testing.T, table RatingTable, r map[string]string) PointEstimate {
	t.Helper()
	name, variant := r["coefficient"], r["variant"]
	if pair, ok := strings.CutPrefix(name, "pair_cohen["); ok {
		annotators := strings.Split(strings.TrimSuffix(pair, "]"), "|")
		shared := table.Pair(annotators[0], annotators[1])
		if n := strings.TrimPrefix(annotators[2], "n="); n != strconv.Itoa(shared.Items()) {
			t.Errorf("%s %s: %s and %s share %d items, want %s", r["dataset"], r["dimension"], annotators[0],
				annotators[1], shared.Items(), n)
		}
		return LightKappa(Weighting(variant)).Compute(shared)
	}
	switch name {
	case "percent_agreement":
		return PercentAgreement().Compute(table)
	case "cohen_kappa":
		return LightKappa(Weighting(variant)).Compute(table)
	case "light_kappa_complete_items":
		return LightKappa(Unweighted).Compute(table.completeItems())
	case "conger_kappa":
		return CongerKappa(Unweighted).Compute(table)
	case "fleiss_kappa_complete_items":
		return FleissKappa().Compute(table.completeItems())
	case "fleiss_kappa_generalised_all_items":
		return FleissKappa().Compute(table)
	case "fleiss_kappa_generalised_items_2plus":
		return FleissKappa2Plus().Compute(table)
	case "alpha":
		return Alpha(Distance(variant)).Compute(table)
	case "gwet_ac1_items_2plus":
		return GwetAC1().Compute(table.Paired())
	case "gwet_ac1":
		if variant == "observed_categories" {
			return GwetAC1().Compute(table.OnUsedScale())
		}
		return GwetAC1().Compute(table)
	case "gwet_ac2":
		return GwetAC2(Weighting(variant)).Compute(table)
	}
	t.Fatalf("expected.csv has the unknown coefficient %s", name)
	return PointEstimate{}
}

// completeItems returns the table of the items that every annotator labeled.
func (t RatingTable) completeItems() RatingTable { return t.withMinRatings(len(t.annotators)) }
