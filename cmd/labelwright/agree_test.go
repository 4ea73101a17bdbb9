package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// runCommand runs a command line and returns its exit code and output.
func runCommand(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var o bytes.Buffer
	var e syncBuffer // the log of every command that runs in this process goes there
	code = run(t.Context(), args, streams{in: strings.NewReader(stdin), out: &o, err: &e})
	return code, o.String(), e.contents()
}

// logLine matches a line of the log.
var logLine = regexp.MustCompile(`(?m)^\{"time":.*\n`)

// numericTable has a dimension with one disagreement in four items, and one without variation.
const numericTable = `item,annotator,dimension,value
u1,ada,shown,1
u1,bo,shown,1
u2,ada,shown,2
u2,bo,shown,2
u3,ada,shown,3
u3,bo,shown,3
u4,ada,shown,3
u4,bo,shown,1
u1,ada,safety,5
u1,bo,safety,5
u2,ada,safety,5
u2,bo,safety,5
`

func runAgree(t *testing.T, stdin string, args ...string) stats.AgreementReport {
	t.Helper()
	code, stdout, stderr := runCommand(t, stdin, append([]string{"agree", "--all", "--format", "json"}, args...)...)
	if code != exitOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var a stats.AgreementReport
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func findResult(t *testing.T, a stats.AgreementReport, dimension, coefficient, variant string) stats.AgreementResult {
	t.Helper()
	for _, r := range a.Results {
		if r.Dimension == dimension && r.Coefficient == coefficient && r.Variant == variant {
			return r
		}
	}
	t.Fatalf("no %s %s of %s", coefficient, variant, dimension)
	return stats.AgreementResult{}
}

func TestAgree_NoFigure_HasReason(t *testing.T) {
	t.Parallel()
	a := runAgree(t, numericTable, "-", "--scale", "1..5", "--scale", "shown=1..3")
	κ := findResult(t, a, "shown", "cohen_kappa", "unweighted")
	if κ.Value == nil || math.Abs(*κ.Value-7.0/11) > 1e-12 || κ.Items != 4 || κ.Low != nil ||
		κ.IntervalUndefined != stats.TooFewUnits || κ.IntervalOver != "items" || κ.Units != 4 {
		t.Errorf("κ of shown is %+v, want 7/11 on 4 items without an interval", κ)
	}
	if pair := findResult(t, a, "shown", "pair_cohen[ada|bo]", "linear"); pair.Value == nil {
		t.Errorf("the pair has no κ: %+v", pair)
	}
	undefined := findResult(t, a, "safety", "cohen_kappa", "linear")
	if undefined.Value != nil || undefined.Low != nil || undefined.Undefined != stats.NoVariation {
		t.Errorf("κ of safety is %+v, want a reason instead of a value", undefined)
	}
}

func TestAgree_SameSeed_SameIntervals(t *testing.T) {
	t.Parallel()
	_, first, _ := runCommand(t, numericTable, "agree", "-", "--seed", "7")
	_, second, _ := runCommand(t, numericTable, "agree", "-", "--seed", "7")
	if first != second || !strings.Contains(first, "shown") {
		t.Errorf("the same seed gives\n%s\nand\n%s", first, second)
	}
}

func TestAgree_Text_ShowsReasons(t *testing.T) {
	t.Parallel()
	code, out, _ := runCommand(t, numericTable, "agree", "-", "--scale", "1..5", "--all")
	for _, want := range []string{"safety, scale 1..5", "cohen_kappa",
		"every answer is 5, and agreement needs answers that vary", "not of annotators"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit %d without %q:\n%s", code, want, out)
		}
	}
	if strings.Contains(out, "NaN") {
		t.Error("the output contains NaN")
	}
}

func TestAgree_NoScale_StatesAssumption(t *testing.T) {
	t.Parallel()
	_, out, _ := runCommand(t, numericTable, "agree", "-")
	if !strings.Contains(out, "no scale is declared for shown") {
		t.Errorf("the assumed scale is not stated:\n%s", out)
	}
}

func TestAgree_BadFile_NamesPlaces(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "labels.csv")
	if err := os.WriteFile(path, []byte("item,annotator,dimension,value\nu1,ada,shown,7\nu1,,shown,2\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	code, out, err := runCommand(t, "", "agree", path, "--scale", "1..5")
	if code != exitFailed || out != "" || !strings.Contains(err, path+":2:value: 7 is not on the scale 1..5") ||
		!strings.Contains(err, path+":3:annotator: ") || !strings.Contains(err, "Fix the file") {
		t.Errorf("exit %d, out %q, err:\n%s", code, out, err)
	}
}

func TestAgree_Error_ExitCode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		code int
		part string
	}{
		"missing file":     {[]string{"nowhere.csv"}, exitFailed, "nowhere.csv"},
		"no file argument": {nil, exitUsage, "file"},
		"invalid scale":    {[]string{"-", "--scale", "5"}, exitUsage, "is not a scale"},
		"duplicate scale": {[]string{"-", "--scale", "1..5", "--scale", "1..4"}, exitUsage,
			"second time"},
		"zero resamples":                {[]string{"-", "--resamples", "0"}, exitUsage, "--resamples 0"},
		"unknown format":                {[]string{"-", "--format", "xml"}, exitUsage, "format"},
		"scale of an unknown dimension": {[]string{"-", "--scale", "other=1..5"}, exitFailed, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, err := runCommand(t, numericTable, append([]string{"agree"}, tt.args...)...)
			if code != tt.code || !strings.Contains(err, tt.part) {
				t.Errorf("exit %d, want %d: %s", code, tt.code, err)
			}
		})
	}
}

func TestAgree_PublishedData_Matches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, scale, dimension, coefficient, variant string
		want                                         float64
	}{
		{"kripp2011", "1..5", "value", "alpha", "nominal", 0.743421},
		{"kripp2011", "1..5", "value", "alpha", "ordinal", 0.815388},
		{"pragmata_ref12", "0..1", "label", "alpha", "nominal", 0.490741},
		{"irr_diagnoses", "1..5", "diagnosis", "fleiss_kappa", "all_items", 0.430245},
		{"gk_multi_rater", "1..5", "emotion", "alpha", "ordinal", -0.0796},
	} {
		t.Run(tt.file+" "+tt.variant, func(t *testing.T) {
			t.Parallel()
			path := require.SharedData(t, "agreement", tt.file+".csv")
			r := findResult(t, runAgree(t, "", path, "--scale", tt.scale, "--resamples", "50"), tt.dimension,
				tt.coefficient, tt.variant)
			if r.Value == nil || math.Abs(*r.Value-tt.want) > 1e-4 {
				t.Errorf("%s %s is %s (%s), want %v", tt.coefficient, tt.variant, formatFigure(r.Value),
					r.Undefined, tt.want)
			}
		})
	}
}

const wordTable = `item,annotator,dimension,value
u1,ada,tone,cold
u1,bo,tone,cold
u2,ada,tone,warm
u2,bo,tone,kind
u3,ada,tone,kind
u3,bo,tone,kind
`

func TestAgree_UnorderedWords_NominalOnly(t *testing.T) {
	t.Parallel()
	code, out, err := runCommand(t, wordTable, "agree", "-", "--all")
	for _, want := range []string{"tone, unordered categories cold, kind, warm", "fleiss_kappa", "gwet_ac1",
		"as --scale \"tone=low,middle,high\""} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit %d without %q: %s\n%s", code, want, err, out)
		}
	}
	if strings.Contains(out, "quadratic") || strings.Contains(out, "ordinal") {
		t.Errorf("figures for ordered answers are printed:\n%s", out)
	}
}

func TestAgree_OrderedWords_AllFigures(t *testing.T) {
	t.Parallel()
	a := runAgree(t, wordTable, "-", "--scale", "tone=cold,kind,warm", "--resamples", "10")
	if κ := findResult(t, a, "tone", "cohen_kappa", "linear"); κ.Value == nil ||
		math.Abs(*κ.Value-0.5714285714) > 1e-9 {
		t.Errorf("linear κ is %s (%s), want 4/7", formatFigure(κ.Value), κ.Undefined)
	}
	if !a.Scales[0].Declared || a.Scales[0].Nominal {
		t.Errorf("scale %+v", a.Scales[0])
	}
	_, out, _ := runCommand(t, wordTable, "agree", "-", "--scale", "cold,kind,warm")
	if !strings.Contains(out, "tone, scale cold, kind, warm") {
		t.Errorf("the scale is not printed:\n%s", out)
	}
}

// Without --all there are four coefficients, whose weights are those of the scale.
func TestAgree_Default_FourCoefficients(t *testing.T) {
	t.Parallel()
	for scale, want := range map[string]string{
		"":                       "percent_agreement:, conger_kappa:unweighted, alpha:nominal, gwet_ac1:declared_categories",
		"tone=cold,kind,warm":    "percent_agreement:, conger_kappa:linear, alpha:ordinal, gwet_ac2:linear",
		"shown=1..3 safety=1..5": "percent_agreement:, conger_kappa:linear, alpha:interval, gwet_ac2:linear",
	} {
		args, table := []string{"agree", "-", "--format", "json", "--resamples", "10"}, wordTable
		for _, s := range strings.Fields(scale) {
			args = append(args, "--scale", s)
		}
		if strings.Contains(scale, "shown") {
			table = numericTable
		}
		_, out, stderr := runCommand(t, table, args...)
		var a stats.AgreementReport
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatal(err, stderr)
		}
		var names []string
		for _, r := range a.Results {
			if r.Dimension == a.Scales[0].Dimension {
				names = append(names, r.Coefficient+":"+r.Variant)
			}
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("scale %q: %s, want %s", scale, got, want)
		}
	}
}
