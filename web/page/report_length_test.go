package page_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/sentence"
	"github.com/labelwright/labelwright/web/page"
)

// buildRandomReport builds the report of random labels and judgments of two to four groups. Annotators
// disagree more on some fields than on others, and some items are drawn.
func buildRandomReport(t *testing.T, r *rand.Rand) page.ReportData {
	t.Helper()
	builtin := protocol.Builtin()
	p := builtin[r.IntN(len(builtin))]
	d := study.Data{Project: "p", Protocol: p}
	draw := study.LabelDraw{Batch: "next", Judge: "judge 0"}
	groups, annotators, judges, errors := 2+r.IntN(3), 2+r.IntN(3), r.IntN(3), make([]float64, len(p.Fields))
	for f := range errors {
		errors[f] = []float64{0, 0.2, 0.5, 1}[r.IntN(4)]
	}
	answers := func(truth int) map[string]int {
		values := map[string]int{}
		for f, field := range p.Fields {
			scale := field.Scale.Values()
			if values[field.Key] = scale[truth%len(scale)]; r.Float64() < errors[f] {
				values[field.Key] = scale[r.IntN(len(scale))]
			}
		}
		return values
	}
	for i := range []int{15, 60, 120}[r.IntN(3)] {
		id, truth := project.ItemID(i+1), r.IntN(5)+i%groups
		d.Items = append(d.Items, study.ItemData{ID: id, SourceID: fmt.Sprint("i", i), RecordID: fmt.Sprint("r", i/3), Rank: 1 + i%3, TextLength: 100 + i,
			Facts: protocol.Facts{"multi_turn": true}, Meta: map[string]string{"system": fmt.Sprint("s", i%groups)}})
		isLabeled := r.IntN(5) > 0
		for a := range annotators {
			if !isLabeled {
				break
			}
			d.Labels = append(d.Labels, study.Label{ID: int64(len(d.Labels) + 1), ItemID: id, Annotator: fmt.Sprint("a-", a), Kind: study.Work, Values: answers(truth), ActiveMS: 60_000})
		}
		for j := range judges {
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: fmt.Sprint("judge ", j), Values: answers(truth)})
		}
		draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: 0.5, IsDrawn: r.IntN(2) == 0})
	}
	if judges > 0 && r.IntN(2) == 0 {
		d.Draws = []study.LabelDraw{draw}
	}
	built, err := report.Build(d, report.BuildOptions{Resamples: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return reportData(&built)
}

// textElements are the elements with texts of a page, and the text of pictures.
const textElements = "p, li, dd, td, th, h2, h3, caption, summary, .figure-title, svg title, svg desc"

// TestReportPages_Texts_HaveTwoSentences checks that no paragraph, list entry, cell, caption or description
// of the report's pages has more than two sentences. The exceptions are the Methods section, which explains
// how figures are computed, and elements that contain paragraphs of their own. The text of a link is no sentence.
func TestReportPages_Texts_HaveTwoSentences(t *testing.T) {
	t.Parallel()
	r, long := rand.New(rand.NewPCG(91, 0)), map[int]int{}
	for n := range 60 {
		d := buildRandomReport(t, r)
		if n%3 == 0 {
			d = newRandomPage(r).ReportData
		}
		pages := map[string]templ.Component{"summary": page.Report(d), "full": page.ReportDetails(d, page.FullPart),
			"consensus": page.Consensus(page.ConsensusData{ReportData: d, List: listData(1)})}
		for _, a := range d.Report.Annotators {
			pages[a.Name] = page.Annotator(page.AnnotatorData{ReportData: d, Name: a.Name})
		}
		proposal := report.LabelProposal{Items: make([]report.ProposedItem, 201), Candidates: make([]study.DrawCandidate, 300), Labeled: r.IntN(2)}
		pages["next"] = page.NextLabels(page.NextLabelsData{Project: project.Project{Key: "p"}, Judges: []string{"critic"}, Proposal: &proposal})
		for name, component := range pages {
			for _, e := range renderPage(t, component).FindAll(textElements) {
				if e.Attr("class") == "methods-note" || len(e.FindAll("p, li, dd, table, svg")) > 0 {
					continue
				}
				text := e.Text()
				for _, link := range e.FindAll("a") {
					text = strings.TrimSpace(strings.Replace(text, link.Text(), "", 1))
				}
				count := sentence.Count(text)
				if long[count]++; count > sentence.Max {
					t.Errorf("report %d, %s: %d sentences: %s", n, name, count, text)
				}
			}
		}
	}
	if long[1] < 1000 || long[2] < 300 {
		t.Errorf("texts by number of sentences: %v", long)
	}
}
