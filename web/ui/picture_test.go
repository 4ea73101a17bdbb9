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
)

var update = flag.Bool("update", false, "write the golden pictures anew, to be looked at before they are kept")

func at(v float64) *float64 { return &v }

// pictures is every kind of picture, with what is awkward for it.
func pictures() map[string]Picture {
	return map[string]Picture{
		"spans": Spans{ID: "spans", Title: "Agreement per field", Desc: "κ of two fields against the target of 0.40.", To: 1, Target: at(0.4), Rows: []Span{
			{Label: "Recognition of <feelings>", Value: at(0.55), Low: at(0.31), High: at(0.75), N: "40 items"},
			{Label: "Below nothing", Value: at(-0.12), Low: at(-0.33), High: at(0.1), N: "40 items"},
			{Label: "Safety", Missing: "every answer is 5"},
			{Label: "A field whose title is longer than the picture is wide", Value: at(1), N: "1 item"},
		}}.Picture(),
		"bars": Spans{ID: "bars", Title: "Rates", Desc: "Two rates.", To: 1, Bars: true, Percent: true, Rows: []Span{
			{Label: "On the topic", Value: at(0.8), Low: at(0.53), High: at(1)}, {Label: "Misleading", Value: at(0)}}}.Picture(),
		"confusion": Confusion{ID: "confusion", Title: "Who said what", Desc: "Answers of ada and bo.", First: "ada", Second: "bo",
			Scale: []int{0, 1, 2}, Counts: [][]int{{120, 4, 0}, {3, 60, 9}, {0, 12, 30}}}.Picture(),
		"matrix": Matrix{ID: "matrix", Title: "Every two", Desc: "κ of each pair.", Names: []string{"ada", "bo", "a-very-long-pseudonym"},
			Values: [][]*float64{{nil, at(0.61), at(-0.1)}, {at(0.61), nil, nil}, {at(-0.1), nil, nil}}}.Picture(),
		"histogram": Histogram{ID: "histogram", Title: "Answers of ada", Desc: "Five points.", Scale: []int{1, 2, 3, 4, 5}, Counts: []int{0, 3, 17, 8, 1}}.Picture(),
		"drift": Drift{ID: "drift", Title: "Over time", Desc: "Means of ten answers each.", Scale: []int{1, 2, 3, 4, 5},
			Steps: []Step{{1, 10, 3.2, false}, {11, 20, 3.5, false}, {21, 30, 3, false}, {31, 40, 4.1, true}}}.Picture(),
		"shift": Spans{ID: "shift", Title: "new less base", Desc: "Two differences.", Signed: true, Rows: []Span{
			{Label: "Feelings", Value: at(-0.4), Low: at(-1.2), High: at(0.3), N: "12 items"}, {Label: "Safety", Value: at(1.6), Low: at(1.1), High: at(2.2)}}}.Picture(),
		"differences": Differences{ID: "differences", Title: "A model and people", Desc: "Differences against means.", Scale: []int{1, 2, 3, 4, 5}, Less: "model less people",
			Bias: 0.38, Low: at(-1.48), High: at(2.24), Sure: &[2]float64{0.2, 0.56}, Dots: []Difference{{3, 0, 40}, {3.5, 1, 12}, {2.25, -0.5, 3}, {4, 2, 1}}}.Picture(),
		"differences-few": Differences{ID: "differences-few", Title: "A model and people", Desc: "Differences without limits.", Scale: []int{0, 1}, Less: "model less people",
			Bias: 0, Dots: []Difference{{0.5, 1, 1}, {0.5, -1, 1}}}.Picture(),
		"course": Course{ID: "course", Title: "Over time", Desc: "κ of three stretches.", Target: at(0.4), Stretches: []Stretch{
			{From: "2 Jan 2026", To: "9 Jan 2026", Value: at(0.31), Low: at(-0.05), High: at(0.6), N: "18 items"},
			{From: "9 Jan 2026", To: "20 Jan 2026", Missing: "every answer is 5", N: "18 items"},
			{From: "20 Jan 2026", To: "2 Feb 2026", Value: at(0.72), N: "18 items"}}}.Picture(),
		"course-means": Course{ID: "course-means", Title: "Means over time", Desc: "Means of three stretches.", Scale: []int{1, 2, 3, 4, 5}, Stretches: []Stretch{
			{From: "2 Jan 2026", To: "9 Jan 2026", Value: at(3.1), Low: at(2.8), High: at(3.4), N: "30 items"},
			{From: "9 Jan 2026", To: "20 Jan 2026", Value: at(5), N: "30 items", Mark: "wording, revision 2"},
			{From: "20 Jan 2026", To: "2 Feb 2026", Value: at(1), Low: at(1), High: at(1.2), N: "31 items"}}}.Picture(),
	}
}

func svg(t *testing.T, p Picture) string {
	t.Helper()
	var b bytes.Buffer
	if err := Svg(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "><", ">\n<") + "\n"
}

func TestPicturesAreDrawnAsTheyWere(t *testing.T) {
	t.Parallel()
	for name, p := range pictures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, golden := svg(t, p), filepath.Join("testdata", name+".svg")
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
				t.Errorf("%s differs from what was looked at; if it is meant to, go test ./web/ui -update, and look at it:\n%s", golden, got)
			}
		})
	}
}

func TestPicturesAreWellFormedNamedAndOfNoStyleOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, p := range pictures() {
		text := svg(t, p)
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, want := range []string{`role="img"`, `<title id="` + p.ID + `-title">`, `<desc id="` + p.ID + `-desc">`, `aria-labelledby="` + p.ID + `-title ` + p.ID + `-desc"`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		}
		if strings.Contains(text, "style=") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s has a style or a number that is none:\n%s", name, text)
		}
	}
}

func TestEveryPictureHasTheTableBehindIt(t *testing.T) {
	t.Parallel()
	for name, p := range pictures() {
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

func TestAFigureThatIsMissingHasItsReasonInTheTable(t *testing.T) {
	t.Parallel()
	if row := pictures()["spans"].Rows[2]; row[1] != "–" || row[2] != "every answer is 5" {
		t.Errorf("the row is %q", row)
	}
}

func TestWhatStandsOnAHeatMapCanBeReadInBothThemes(t *testing.T) {
	t.Parallel()
	for percent := range 101 {
		share := float64(percent) / 100
		for name, theme := range map[string]heatTheme{"light": lightHeat, "dark": darkHeat} {
			text := theme.ink
			if strings.Contains(overHeat(share), name+"-on") {
				text = theme.onAccent
			}
			if got := contrast(theme.ground(depth(share)), text); got < 4.5 {
				t.Errorf("%s at %v: a contrast of %.2f", name, share, got)
			}
		}
	}
}

func TestHeatMapsKnowTheTokensOfTheStyleSheet(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("../static/base.css")
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string][2]colour{"paper": {lightHeat.paper, darkHeat.paper}, "accent": {lightHeat.accent, darkHeat.accent},
		"ink": {lightHeat.ink, darkHeat.ink}, "on-accent": {lightHeat.onAccent, darkHeat.onAccent}} {
		found := regexp.MustCompile(`--` + token + `: light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`).FindSubmatch(css)
		if found == nil || parsed(found[1]) != want[0] || parsed(found[2]) != want[1] {
			t.Errorf("--%s is %s", token, found)
		}
	}
}

func parsed(text []byte) colour {
	rgb := 0
	for _, digit := range text {
		rgb = rgb<<4 + strings.IndexByte("0123456789abcdef", digit)
	}
	return hex(rgb)
}
