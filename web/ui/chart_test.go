package ui

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
)

var update = flag.Bool("update", false, "rewrite the golden files; look at them before you commit")

func ptr(v float64) *float64 { return &v }

// sampleCharts has every kind of chart, with difficult data.
func sampleCharts() map[string]Chart {
	return map[string]Chart{
		"confusion": ConfusionMatrix{ID: "confusion", Title: "Pairs of answers", Description: "Answers of ada and bo.",
			First: "ada", Second: "bo",
			Scale: []int{0, 1, 2}, Counts: [][]int{{120, 4, 0}, {3, 60, 9}, {0, 12, 30}}}.Chart(locale.English),
		"matrix": AgreementMatrix{ID: "matrix", Title: "By pair", Description: "κ of each pair.", Names: []string{"ada",
			"bo", "a-very-long-pseudonym"},
			Values: [][]*float64{{nil, ptr(0.61), ptr(-0.1)}, {ptr(0.61), nil, nil}, {ptr(-0.1), nil, nil}}}.Chart(
			locale.English),
		"histogram": Histogram{ID: "histogram", Title: "Answers of ada", Description: "Five points.",
			Scale: []int{1, 2, 3, 4, 5}, Counts: []int{0, 3, 17, 8, 1}}.Chart(locale.English),
		"drift": DriftChart{ID: "drift", Title: "Over time", Description: "Means of ten answers each.",
			Scale: []int{1, 2, 3, 4, 5},
			Steps: []DriftStep{{1, 10, 3.2, nil}, {11, 20, 3.5, nil}, {21, 30, 3, []int{21, 28}},
				{31, 40, 4.1, []int{36}}}}.Chart(locale.English),
	}
}

func renderSVG(t *testing.T, p Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := ChartSVG(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "><", ">\n<") + "\n"
}

func TestChart_SVG_MatchesGolden(t *testing.T) {
	t.Parallel()
	for name, p := range sampleCharts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, golden := renderSVG(t, p), filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; if this is intended, run go test ./web/ui -update and look at the result:\n%s",
					golden, got)
			}
		})
	}
}

func TestChart_SVG_WellFormed(t *testing.T) {
	t.Parallel()
	for name, p := range sampleCharts() {
		text := renderSVG(t, p)
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, want := range []string{`role="img"`, `<title id="` + p.ID + `-title">`, `<desc id="` + p.ID + `-desc">`,
			`aria-labelledby="` + p.ID + `-title ` + p.ID + `-desc"`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		}
		if strings.Contains(text, "style=") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s has a style or an invalid number:\n%s", name, text)
		}
	}
}

func TestChart_Table_MatchesColumns(t *testing.T) {
	t.Parallel()
	for name, p := range sampleCharts() {
		for _, row := range p.Rows {
			if len(row) != len(p.Columns) {
				t.Errorf("%s: a row has %d cells and the table %d columns", name, len(row), len(p.Columns))
			}
		}
		if len(p.Rows) == 0 {
			t.Errorf("%s has no table", name)
		}
	}
}

func TestHeatMap_BothThemes_Readable(t *testing.T) {
	t.Parallel()
	for percent := range 101 {
		share := float64(percent) / 100
		for name, theme := range map[string]heatTheme{"light": lightHeat, "dark": darkHeat} {
			text := theme.text
			if strings.Contains(heatTextClasses(share), name+"-on-accent") {
				text = theme.onAccent
			}
			if got := contrast(theme.blend(accentOpacity(share)), text); got < 4.5 {
				t.Errorf("%s at %v: a contrast of %.2f", name, share, got)
			}
		}
	}
}

func TestHeatMap_Colors_MatchCSS(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("../static/base.css")
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string][2]color{"color-background": {lightHeat.background, darkHeat.background},
		"color-accent": {lightHeat.accent, darkHeat.accent},
		"color-text":   {lightHeat.text, darkHeat.text}, "color-on-accent": {lightHeat.onAccent, darkHeat.onAccent}} {
		found := regexp.MustCompile(`--` + token + `: light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`).FindSubmatch(css)
		if found == nil || parseColor(found[1]) != want[0] || parseColor(found[2]) != want[1] {
			t.Errorf("--%s is %s", token, found)
		}
	}
}

func parseColor(text []byte) color {
	rgb := 0
	for _, digit := range text {
		rgb = rgb<<4 + strings.IndexByte("0123456789abcdef", digit)
	}
	return colorFromHex(rgb)
}
