package stats

import (
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// expectedRows is how many figures of each coefficient are checked; the test
// fails when a figure is left out.
var expectedRows = map[string]int{
	"alpha": 135, "alpha_bootstrap95_lower": 87, "alpha_bootstrap95_upper": 87,
	"cohen_kappa": 69, "pair_cohen": 798, "conger_kappa": 44, "light_kappa_complete_items": 32,
	"fleiss_kappa_complete_items": 33, "fleiss_kappa_generalised_all_items": 45, "fleiss_kappa_generalised_items_2plus": 9,
	"gwet_ac1": 90, "gwet_ac1_items_2plus": 9, "gwet_ac2": 50, "percent_agreement": 45,
}

func TestFiguresAgreeWithIndependentImplementations(t *testing.T) {
	t.Parallel()
	dir := shared(t, "agreement")
	scales := scalesOf(t, dir)
	tables := map[string]map[string]Table{}
	checked := map[string]int{}
	for _, r := range records(t, filepath.Join(dir, "expected.csv")) {
		name := r["dataset"]
		if tables[name] == nil {
			tables[name] = readDataset(t, dir, name, scales[name])
		}
		coefficient, _, _ := strings.Cut(r["coefficient"], "[")
		checked[coefficient]++
		if strings.HasPrefix(coefficient, "alpha_bootstrap95") {
			continue // checked below, all ends of a table in one go
		}
		compare(t, r, figureNamed(t, tables[name][r["dimension"]], r))
	}
	if !maps.Equal(checked, expectedRows) {
		t.Errorf("checked %v, want %v", checked, expectedRows)
	}
}

// TestAgreeGivesTheExpectedFiguresUnderTheirNames reads the same rows from what
// programs are given.
func TestAgreeGivesTheExpectedFiguresUnderTheirNames(t *testing.T) {
	t.Parallel()
	dir := shared(t, "agreement")
	scales := scalesOf(t, dir)
	sharedItems := regexp.MustCompile(`\|n=\d+\]`)
	renamed := map[string]string{
		"fleiss_kappa_generalised_all_items": "fleiss_kappa all_items", "fleiss_kappa_generalised_items_2plus": "fleiss_kappa items_2plus",
		"conger_kappa": "conger_kappa unweighted",
	}
	given, checked := map[string]map[string]Figure{}, 0
	for _, r := range records(t, filepath.Join(dir, "expected.csv")) {
		name := r["dataset"]
		if given[name] == nil {
			given[name] = namedFigures(readDataset(t, dir, name, scales[name]))
		}
		coefficient := sharedItems.ReplaceAllString(r["coefficient"], "]") + " " + r["variant"]
		if other, ok := renamed[r["coefficient"]]; ok {
			coefficient = other
		}
		if f, ok := given[name][r["dimension"]+" "+coefficient]; ok {
			compare(t, r, f)
			checked++
		}
	}
	if want := 135 + 69 + 798 + 44 + 45 + 9 + 45 + 50 + 45; checked != want {
		t.Errorf("%d rows were found under their names, want %d", checked, want)
	}
}

// namedFigures returns what Agree gives, by dimension, coefficient and variant.
func namedFigures(tables map[string]Table) map[string]Figure {
	named := map[string]Figure{}
	for dimension, table := range tables {
		for _, r := range Agree(Long{Dimensions: []Dimension{{Name: dimension, Table: table, Declared: true}}}, Options{Resamples: 1}).Results {
			f := Figure{Undefined: r.Undefined}
			if r.Value != nil {
				f.Value = *r.Value
			}
			named[strings.Join([]string{dimension, r.Coefficient, r.Variant}, " ")] = f
		}
	}
	return named
}

func TestIntervalsAgreeWithAnIndependentBootstrap(t *testing.T) {
	t.Parallel()
	dir := shared(t, "agreement")
	scales := scalesOf(t, dir)
	ends := map[string]Interval{}
	checked := 0
	for _, r := range records(t, filepath.Join(dir, "expected.csv")) {
		if !strings.HasPrefix(r["coefficient"], "alpha_bootstrap95") {
			continue
		}
		checked++
		what := r["dataset"] + " " + r["dimension"]
		if _, done := ends[what+" nominal"]; !done {
			table := readDataset(t, dir, r["dataset"], scales[r["dataset"]])[r["dimension"]]
			for _, e := range Estimates(table, Options{Resamples: 4000, Seed: 7}, Alpha(NominalDistance), Alpha(OrdinalDistance), Alpha(IntervalDistance)) {
				ends[what+" "+e.Variant] = e.Interval
			}
		}
		i := ends[what+" "+r["variant"]]
		got := i.High
		if strings.HasSuffix(r["coefficient"], "lower") {
			got = i.Low
		}
		if want, within := number(t, r["value"]), number(t, r["tolerance"]); !i.Defined() || math.Abs(got-want) > within {
			t.Errorf("%s %s %s is %.4f %s, want %v ± %v", what, r["coefficient"], r["variant"], got, i.Undefined, want, within)
		}
	}
	if checked != 174 {
		t.Errorf("%d ends were checked, want 174", checked)
	}
}

func compare(t *testing.T, r map[string]string, got Figure) {
	t.Helper()
	what := strings.Join([]string{r["dataset"], r["dimension"], r["coefficient"], r["variant"]}, " ")
	if r["value"] == "undefined" {
		if got.Defined() {
			t.Errorf("%s is %v, want undefined", what, got.Value)
		}
		return
	}
	want, tolerance := number(t, r["value"]), number(t, r["tolerance"])
	if !got.Defined() {
		t.Errorf("%s is undefined (%s), want %v", what, got.Undefined, want)
	} else if math.Abs(got.Value-want) > tolerance {
		t.Errorf("%s is %.10f, want %v ± %v", what, got.Value, want, tolerance)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// figureNamed computes the figure that a row of expected.csv names.
func figureNamed(t *testing.T, table Table, r map[string]string) Figure {
	t.Helper()
	name, variant := r["coefficient"], r["variant"]
	if pair, ok := strings.CutPrefix(name, "pair_cohen["); ok {
		who := strings.Split(strings.TrimSuffix(pair, "]"), "|")
		shares := table.Pair(who[0], who[1])
		if n := strings.TrimPrefix(who[2], "n="); n != strconv.Itoa(shares.Items()) {
			t.Errorf("%s %s: %s and %s share %d items, want %s", r["dataset"], r["dimension"], who[0], who[1], shares.Items(), n)
		}
		return LightKappa(Weighting(variant)).Of(shares)
	}
	switch name {
	case "percent_agreement":
		return PercentAgreement().Of(table)
	case "cohen_kappa":
		return LightKappa(Weighting(variant)).Of(table)
	case "light_kappa_complete_items":
		return LightKappa(Unweighted).Of(table.Complete())
	case "conger_kappa":
		return CongerKappa(Unweighted).Of(table)
	case "fleiss_kappa_complete_items":
		return FleissKappa().Of(table.Complete())
	case "fleiss_kappa_generalised_all_items":
		return FleissKappa().Of(table)
	case "fleiss_kappa_generalised_items_2plus":
		return FleissKappa2Plus().Of(table)
	case "alpha":
		return Alpha(Distance(variant)).Of(table)
	case "gwet_ac1_items_2plus":
		return GwetAC1().Of(table.Paired())
	case "gwet_ac1":
		if variant == "observed_categories" {
			return GwetAC1().Of(table.observed())
		}
		return GwetAC1().Of(table)
	case "gwet_ac2":
		return GwetAC2(Weighting(variant)).Of(table)
	}
	t.Fatalf("expected.csv names %s, which is not known", name)
	return Figure{}
}

// observed returns the table on the scale of the values that were used.
func (t Table) observed() Table {
	used := make([]bool, len(t.Scale))
	for _, c := range t.cat {
		used[c] = true
	}
	var scale Scale
	place := make([]uint8, len(t.Scale))
	for c, v := range t.Scale {
		place[c] = uint8(len(scale))
		if used[c] {
			scale = append(scale, v)
		}
	}
	t.Scale, t.cat = scale, slices.Clone(t.cat)
	for i, c := range t.cat {
		t.cat[i] = place[c]
	}
	return t
}
