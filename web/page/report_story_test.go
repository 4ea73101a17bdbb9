package page_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/page"
)

// A story is a simulated study that a summary must tell shortly.
type story struct {
	name       string
	protocol   string
	items      int
	overlap    int
	annotators int
	errorRate  float64
	judge      bool
	groups     bool
	answer     func(r *rand.Rand, annotator, truth, point int) int // the point that an annotator gives; nil: as seen
}

// stories are the situations that leads meet.
var stories = []story{
	{name: "no labels", protocol: "empathy", annotators: 2},
	{name: "nine items", protocol: "empathy", items: 9, overlap: 2, annotators: 2},
	{name: "one label each", protocol: "empathy", items: 60, overlap: 1, annotators: 3},
	{name: "all agree", protocol: "empathy", items: 120, overlap: 2, annotators: 4, errorRate: 0.05},
	{name: "nobody agrees", protocol: "empathy", items: 120, overlap: 2, annotators: 4, errorRate: 1},
	{name: "at the target", protocol: "empathy", items: 120, overlap: 2, annotators: 4, errorRate: 0.55},
	{name: "one careless", protocol: "empathy", items: 120, overlap: 3, annotators: 5, errorRate: 0.2,
		answer: func(r *rand.Rand, annotator, _, point int) int {
			if annotator == 0 {
				return r.IntN(5)
			}
			return point
		}},
	{name: "one swapped", protocol: "empathy", items: 120, overlap: 3, annotators: 4, errorRate: 0.1,
		answer: func(_ *rand.Rand, annotator, _, point int) int {
			if annotator == 0 {
				return 4 - point
			}
			return point
		}},
	{name: "one answer", protocol: "empathy", items: 120, overlap: 2, annotators: 3, answer: func(r *rand.Rand, _, _,
		_ int) int {
		return 4 - r.IntN(20)/19
	}},
	{name: "two systems", protocol: "empathy", items: 120, overlap: 2, annotators: 4, errorRate: 0.2, groups: true},
	{name: "a judge", protocol: "empathy", items: 120, overlap: 2, annotators: 4, errorRate: 0.2, judge: true,
		groups: true},
	{name: "retrieval", protocol: "rag-retrieval", items: 120, overlap: 2, annotators: 4, errorRate: 0.15,
		groups: true},
}

func (s story) build(t testing.TB) page.ReportData {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(len(s.name))))
	p := builtinProtocol(t, s.protocol)
	d := study.Data{Project: "p", Protocol: p}
	answers := func(annotator, truth int) map[string]int {
		values := map[string]int{}
		for _, f := range p.Fields {
			scale := f.Scale.Values()
			point := truth * len(scale) / 5
			if r.Float64() < s.errorRate {
				point = r.IntN(len(scale))
			}
			if s.answer != nil {
				point = s.answer(r, annotator, truth, point)
			}
			values[f.Key] = scale[point]
		}
		return values
	}
	for i := range s.items {
		id, truth := project.ItemID(i+1), r.IntN(5)
		item := study.ItemData{ID: id, SourceID: fmt.Sprint("i", i), RecordID: fmt.Sprint("r", i/3), Rank: 1 + i%3,
			TextLength: 200}
		if s.groups {
			item.Meta = map[string]string{"system": []string{"apollo", "borea"}[i%2]}
			truth = max(truth-i%2, 0)
		}
		d.Items = append(d.Items, item)
		for n := range s.overlap {
			annotator := (i + n) % s.annotators
			d.Labels = append(d.Labels, study.Label{ID: int64(len(d.Labels) + 1), ItemID: id, Annotator: fmt.Sprint("a",
				annotator), Kind: study.Work,
				Values: answers(annotator, truth), ActiveMS: 60_000,
				SubmittedAt: time.Unix(1_700_000_000+60*int64(len(d.Labels)), 0).UTC()})
		}
		if s.judge {
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "judge", Values: answers(-1, truth)})
		}
	}
	built, err := report.Build(d, report.BuildOptions{Resamples: 100, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return page.ReportData{Project: project.Project{Key: "p", Title: "Pilot", Protocol: p}, Batches: []string{"one"},
		Report: &built}
}

func buildStory(t testing.TB, name string) page.ReportData {
	t.Helper()
	return stories[slices.IndexFunc(stories, func(s story) bool { return s.name == name })].build(t)
}

// parts are the pages of the report below the summary.
var parts = []page.ReportPart{page.AgreementPart, page.AnnotatorsPart, page.ComparisonPart, page.MetricsPart,
	page.JudgesPart, page.MethodsPart}

// TestReport_Stories_AreShort holds the budgets of words in both languages: of the summary, of each other page and of
// the terminal. Too
// few data have the shortest summaries.
func TestReport_Stories_AreShort(t *testing.T) {
	t.Parallel()
	const maxSummary, maxPage, maxLines = 250, 1000, 60
	for _, l := range locale.Offered {
		var few, enough []int
		var told strings.Builder
		for _, s := range stories {
			d := s.build(t)
			blocks := blocksOf(t, l, page.Report(d))
			n := countWords(blocks)
			if n > maxSummary {
				t.Errorf("%s, %s: the summary has %d words: %s", s.name, l.Tag(), n, strings.Join(blocks, "\n"))
			}
			for _, part := range parts {
				if n := countWords(blocksOf(t, l, page.ReportDetails(d, part))); n > maxPage {
					t.Errorf("%s, %s: %s has %d words", s.name, l.Tag(), part, n)
				}
			}
			if s.items*s.overlap < 100 {
				few = append(few, n)
			} else {
				enough = append(enough, n)
			}
			var terminal strings.Builder
			if err := (prose.Writer{Locale: l}).WriteReport(&terminal, *d.Report); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(terminal.String(), "\n"); n > maxLines {
				t.Errorf("%s: %d lines on a terminal", s.name, n)
			}
			fmt.Fprintf(&told, "=== %s (%d words)\n%s\n\n--- report\n%s\n", s.name, n, strings.Join(blocks, "\n"),
				terminal.String())
		}
		if slices.Max(few) >= slices.Min(enough) {
			t.Errorf("%s: too few data take %v words, other studies %v", l.Tag(), few, enough)
		}
		if dir := os.Getenv("STORIES_DIR"); dir != "" { // to read them
			if err := os.WriteFile(dir+"/stories-"+l.Tag()+".txt", []byte(told.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReport_Stories_SayNothingTwice checks that no page has a sentence twice.
func TestReport_Stories_SayNothingTwice(t *testing.T) {
	t.Parallel()
	sentences := 0
	for _, s := range stories {
		d := s.build(t)
		pages := map[string]templ.Component{"summary": page.Report(d)}
		for _, part := range parts {
			pages[string(part)] = page.ReportDetails(d, part)
		}
		for name, c := range pages {
			for _, l := range locale.Offered {
				seen := map[string]bool{}
				for _, block := range blocksOf(t, l, c) {
					for _, text := range strings.SplitAfter(block, ". ") {
						text = strings.TrimSpace(text)
						if sentences++; strings.HasSuffix(text, ".") && seen[text] && countWords([]string{text}) > 3 {
							t.Errorf("%s, %s, %s: twice: %s", s.name, name, l.Tag(), text)
						}
						seen[text] = true
					}
				}
			}
		}
	}
	if sentences < 1000 {
		t.Errorf("only %d sentences", sentences)
	}
}

// TestReport_JSON_HasOnlyCodes checks that no text of a report's JSON is a sentence: each is a code, or of the protocol
// or the data.
func TestReport_JSON_HasOnlyCodes(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`^[a-z0-9_]*$|^specific_agreement\[\d+\]$`)
	for _, s := range stories {
		d := s.build(t)
		known := map[string]bool{d.Report.Protocol: true}
		p := d.Project.Protocol
		for _, f := range p.Fields {
			known[f.Title] = true
		}
		for _, o := range p.Observations {
			known[o.Title] = true
		}
		for _, v := range p.Verdicts {
			known[v.Title] = true
		}
		text, err := json.Marshal(d.Report)
		if err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal(text, &decoded); err != nil {
			t.Fatal(err)
		}
		var walk func(path string, v any)
		walk = func(path string, v any) {
			switch v := v.(type) {
			case map[string]any:
				for key, inner := range v {
					walk(path+"."+key, inner)
				}
			case []any:
				for _, inner := range v {
					walk(path, inner)
				}
			case string:
				if !code.MatchString(v) && !known[v] {
					t.Errorf("%s: %s is %q", s.name, path, v)
				}
			}
		}
		walk("", decoded)
	}
}

func countWords(texts []string) (n int) {
	word := regexp.MustCompile(`[\pL\pN%.,−–]+`)
	for _, text := range texts {
		n += len(word.FindAllString(text, -1))
	}
	return n
}

// blocksOf returns the texts of the main part of a page, without those of tables, forms and navigation: one for each
// paragraph,
// heading or entry of a list.
func blocksOf(t *testing.T, l *locale.Locale, c templ.Component) (blocks []string) {
	t.Helper()
	var b strings.Builder
	if err := c.Render(locale.With(t.Context(), l), &b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	flush := func() {
		if block := strings.Join(strings.Fields(text.String()), " "); block != "" {
			blocks = append(blocks, block)
		}
		text.Reset()
	}
	var walk func(n *html.Node, isMain bool)
	walk = func(n *html.Node, isMain bool) {
		isBlock := false
		if n.Type == html.ElementNode {
			switch n.Data {
			case "table", "svg", "nav", "form", "script", "style", "head":
				return
			case "main":
				isMain = true
			}
			for _, a := range n.Attr {
				if a.Key == "class" && (strings.Contains(a.Val, "forest-row") ||
					strings.Contains(a.Val, "visually-hidden") || strings.Contains(a.Val, "figure-link")) {
					return // a table, or not seen
				}
			}
			isBlock = !slices.Contains([]string{"a", "b", "bdi", "strong", "small", "em"}, n.Data)
		}
		if isBlock {
			flush()
		}
		if n.Type == html.TextNode && isMain {
			text.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, isMain)
		}
		if isBlock {
			flush()
		}
	}
	walk(root, false)
	return blocks
}
