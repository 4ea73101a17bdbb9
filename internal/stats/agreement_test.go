package stats_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/stats"
)

const csvHeader = "item,annotator,dimension,value\n"

const wordsCSV = csvHeader + `x,A,tone,good
x,B,tone,good
y,A,tone,bad
y,B,tone,fair
z,A,tone,good
z,B,tone,bad
`

func readDimensions(t *testing.T, text string, declared ...string) []stats.Dimension {
	t.Helper()
	scales, err := stats.ParseDeclaredScales(declared)
	if err != nil {
		t.Fatal(err)
	}
	table, err := importer.ReadLongTable("f.csv", "", strings.NewReader(text), scales)
	if err != nil {
		t.Fatal(err)
	}
	return table.Dimensions
}

func computeFromCSV(t *testing.T, text string, declared ...string) stats.AgreementReport {
	t.Helper()
	return stats.ComputeAgreement(readDimensions(t, text, declared...), stats.IntervalOptions{Resamples: 100, Seed: 1})
}

const threeAnnotatorsCSV = csvHeader +
	"x,A,tone,1\nx,B,tone,2\ny,A,tone,3\ny,B,tone,3\nz,A,tone,2\nz,B,tone,2\nw,A,tone,1\nw,B,tone,1\nv,C,tone,1\n" +
	"x,A,safe,1\nx,B,safe,1\ny,A,safe,1\ny,B,safe,1\n"

func TestComputeAgreement_ListsAllMeasures(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range computeFromCSV(t, threeAnnotatorsCSV, "1..3").Results {
		if r.Dimension == "tone" {
			got = append(got, strings.TrimSpace(r.Coefficient+" "+r.Variant))
		}
	}
	want := []string{"percent_agreement"}
	for _, c := range []string{"cohen_kappa", "conger_kappa", "shared_kappa"} {
		want = append(want, c+" unweighted", c+" linear", c+" quadratic")
	}
	want = append(want, "fleiss_kappa all_items", "fleiss_kappa items_2plus", "alpha nominal", "alpha ordinal",
		"alpha interval",
		"gwet_ac1 declared_categories", "gwet_ac2 linear", "gwet_ac2 quadratic",
		"specific_agreement[1]", "specific_agreement[2]", "specific_agreement[3]")
	for _, pair := range []string{"pair_cohen[A|B]", "pair_cohen[A|C]", "pair_cohen[B|C]"} {
		want = append(want, pair+" unweighted", pair+" linear", pair+" quadratic")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAgreementReport_JSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(computeFromCSV(t, threeAnnotatorsCSV, "1..3"))
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Results []map[string]any }
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	keys := []string{"annotators", "coefficient", "constant_resamples", "dimension", "dropped_resamples", "high",
		"interval_over", "interval_undefined", "items", "low", "ratings", "undefined", "units", "value", "variant"}
	for _, r := range read.Results {
		if got := slices.Sorted(maps.Keys(r)); !slices.Equal(got, keys) {
			t.Errorf("%v has the keys %v", r["coefficient"], got)
		}
		if (r["value"] == nil) == (r["undefined"] == "") {
			t.Errorf("%v has the value %v and is undefined: %q", r["coefficient"], r["value"], r["undefined"])
		}
		if r["dimension"] == "safe" && r["coefficient"] == "alpha" &&
			r["undefined"] != "no_variation" {
			t.Errorf("safe: %v", r)
		}
		if r["coefficient"] == "pair_cohen[A|C]" && (r["undefined"] != "no_shared_item" ||
			r["items"] != 0.0) {
			t.Errorf("A and C: %v", r)
		}
	}
}

func TestAppliedScale_Undeclared_HasNote(t *testing.T) {
	t.Parallel()
	got := computeFromCSV(t, threeAnnotatorsCSV, "safe=0..1").Scales
	if got[0].Dimension != "safe" || !got[0].Declared || got[0].Note != "" {
		t.Errorf("safe: %+v", got[0])
	}
	if got[1].Declared || got[1].Note != stats.PointsInUse {
		t.Errorf("tone: %+v", got[1])
	}
}

func TestComputeAgreement_Words_NominalOnly(t *testing.T) {
	t.Parallel()
	a := computeFromCSV(t, wordsCSV)
	for _, r := range a.Results {
		ordered := slices.Contains([]string{"linear", "quadratic", "ordinal", "interval"}, r.Variant)
		if ordered != (r.Undefined == stats.UnorderedValues) || ordered == (r.Value != nil) || r.Items == 0 {
			t.Errorf("%s %s: %+v", r.Coefficient, r.Variant, r)
		}
	}
	scale := a.Scales[0]
	if !scale.Nominal || len(scale.Values) != 0 || !slices.Equal(scale.Names, []string{"bad", "fair", "good"}) {
		t.Errorf("the scale is %+v", scale)
	}
	if scale.Note != stats.UnorderedCategories {
		t.Errorf("the note is %q", scale.Note)
	}
}

func TestUndefined_NamesOnlyWord(t *testing.T) {
	t.Parallel()
	r := computeFromCSV(t, csvHeader+"x,A,tone,good\nx,B,tone,good\n").Results
	if want := (stats.Reason{Code: stats.NoVariation, Value: "good"}); r[1].Reason != want {
		t.Errorf("%s: %+v, want %+v", r[1].Coefficient, r[1].Reason, want)
	}
}

func TestAppliedScale_MixedValues_HasNote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]stats.ScaleNote{
		strings.Replace(wordsCSV, "fair", "3", 1): stats.UnorderedCategories,
		csvHeader + "x,A,d,2.5\nx,B,d,3\n":        stats.NumbersInUse,
		csvHeader + "x,A,d,1\nx,B,d,4\n":          stats.PointsInUse,
	} {
		if got := computeFromCSV(t, text).Scales[0].Note; got != want {
			t.Errorf("the note is %q, want %q", got, want)
		}
	}
	if got := computeFromCSV(t, csvHeader+"x,A,d,2.5\nx,B,d,3\n").Scales[0].Values; !slices.Equal(got,
		[]float64{2.5, 3}) {
		t.Errorf("the values are %v", got)
	}
}

func TestMeasures_Words_MatchNumbers(t *testing.T) {
	t.Parallel()
	replaceWords := func(bad, fair, good string) string {
		return strings.NewReplacer("bad", bad, "fair", fair, "good", good).Replace(wordsCSV)
	}
	numbers := readDimensions(t, replaceWords("1", "2", "3"), "1..3")
	nominal := readDimensions(t, wordsCSV)
	for name, same := range map[string][]stats.Dimension{
		"declared words": readDimensions(t, wordsCSV, "bad,fair,good"),
		"fractions":      readDimensions(t, replaceWords("0.1", "0.2", "0.3")),
		"words":          nominal,
	} {
		unordered := 0
		for _, m := range stats.AllMeasures() {
			got := stats.ComputeAgreement(same, stats.IntervalOptions{Resamples: 1}).Results
			i := slices.IndexFunc(got, func(r stats.AgreementResult) bool {
				return r.Coefficient == m.Coefficient &&
					r.Variant == m.Variant
			})
			if got[i].Undefined == stats.UnorderedValues {
				unordered++
				continue
			}
			if want := m.Compute(numbers[0].Table); got[i].Value == nil || *got[i].Value != want.Value ||
				m.Compute(same[0].Table) != want {
				t.Errorf("%s %s of %s is %+v, want %+v", m.Coefficient, m.Variant, name, got[i], want)
			}
		}
		if want := map[string]int{"words": 10}[name]; unordered != want {
			t.Errorf("%s: %d measures need an order, want %d", name, unordered, want)
		}
	}
}
