package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/sentence"
)

// newLargeStudy returns a study with all that a report has texts on: fields on which annotators agree or
// do not, two to four groups, ties, decisions, a judge or two, and drawn items.
func newLargeStudy(t *testing.T, r *rand.Rand) *dataBuilder {
	d := newDataBuilder(t, []string{"empathy", "ambiguity", "rag-retrieval", "rag-grounding", "rag-generation"}[r.IntN(5)])
	names, groups := []string{"ada", "bo", "cy", "di"}[:2+r.IntN(3)], []string{"base", "new", "old", "small"}[:2+r.IntN(3)]
	d.Adjudicated = map[project.ItemID]map[string]int{}
	errorRates, shifts := make([]float64, len(d.Protocol.Fields)), make([]float64, len(d.Protocol.Fields))
	for f := range errorRates {
		errorRates[f], shifts[f] = []float64{0, 0.15, 0.4, 1}[r.IntN(4)], []float64{0, 0, 0.3, 0.6}[r.IntN(4)]
	}
	isConfounded, constant, judges := r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(3)
	draw := study.LabelDraw{Batch: "next", Judge: "judge 0"}
	answer := func(f, truth int, rate float64) int {
		scale := d.Protocol.Fields[f].Scale.Values()
		if r.Float64() < rate {
			return scale[r.IntN(len(scale))]
		}
		return scale[truth]
	}
	for i := range []int{12, 40, 90}[r.IntN(3)] {
		group := r.IntN(len(groups))
		id := d.addItem(func(item *study.ItemData) {
			item.Meta = map[string]string{"system": groups[group], "topic": []string{"x", "y"}[i%2]}
			item.RecordID, item.Rank = fmt.Sprint("r", i/3), 1+i%3
		})
		truths := make([]int, len(d.Protocol.Fields))
		for f := range truths {
			if truths[f] = r.IntN(len(d.Protocol.Fields[f].Scale)); group > 0 && r.Float64() < shifts[f] {
				truths[f] = len(d.Protocol.Fields[f].Scale) - 1
			}
		}
		isLabeled := r.IntN(5) > 0
		for n, name := range names {
			if !isLabeled || r.IntN(6) == 0 || isConfounded && n%2 != group%2 {
				continue
			}
			values := make([]int, len(truths))
			for f := range values {
				if values[f] = answer(f, truths[f], errorRates[f]); constant && n == 0 {
					values[f] = d.Protocol.Fields[f].Scale.Values()[0]
				}
			}
			d.addLabel(id, name, study.Work, values...)
			if r.IntN(12) == 0 {
				d.addLabel(id, name, study.Duplicate, values...)
			}
		}
		if isLabeled && r.IntN(8) == 0 {
			d.Adjudicated[id] = map[string]int{d.Protocol.Fields[0].Key: d.Protocol.Fields[0].Scale.Values()[truths[0]]}
		}
		for n := range judges {
			j := study.Judgment{ItemID: id, Judge: fmt.Sprint("judge ", n), Values: map[string]int{}}
			for f, field := range d.Protocol.Fields {
				j.Values[field.Key] = answer(f, truths[f], 0.3)
			}
			d.Judgments = append(d.Judgments, j)
		}
		if r.IntN(4) > 0 {
			draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: 0.5, IsDrawn: r.IntN(2) == 0})
		}
	}
	if judges > 0 && r.IntN(2) == 0 {
		d.Draws = []study.LabelDraw{draw}
	}
	return d
}

// textsOf returns the texts of a report by their place: those of the JSON output, of the summary and the
// lines of the terminal.
func textsOf(t *testing.T, r report.Report) map[string][]string {
	t.Helper()
	texts := map[string][]string{}
	for name, part := range map[string]any{"json": r, "summary": r.Summarize()} {
		data, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(data, &value); err != nil {
			t.Fatal(err)
		}
		addTexts(texts, name, value)
	}
	var terminal bytes.Buffer
	if err := r.WriteText(&terminal); err != nil {
		t.Fatal(err)
	}
	texts["terminal"] = strings.Split(terminal.String(), "\n")
	return texts
}

// addTexts adds the strings of a JSON value by their path.
func addTexts(texts map[string][]string, path string, value any) {
	switch v := value.(type) {
	case string:
		texts[path] = append(texts[path], v)
	case []any:
		for _, element := range v {
			addTexts(texts, path, element)
		}
	case map[string]any:
		for key, element := range v {
			addTexts(texts, path+"."+key, element)
		}
	}
}

// TestReport_Texts_HaveTwoSentences checks that no text of the JSON output, of the summary and of a line on
// the terminal has more than two sentences, in random studies. The guide is the protocol's own text, which
// the terminal and pages quote.
func TestReport_Texts_HaveTwoSentences(t *testing.T) {
	t.Parallel()
	r, long := rand.New(rand.NewPCG(81, 0)), map[int]int{}
	for n := range 75 {
		var d study.Data
		switch n % 6 {
		case 3:
			d = newJudgedStudy(t, r).Data
		case 4:
			d = newReasonStudy(t, r).Data
		case 5:
			d = newCauseStudy(t, r).Data
		default:
			d = newLargeStudy(t, r).Data
		}
		o := report.BuildOptions{Resamples: 20, Seed: 1, HideSmallGroups: n%4 == 0}
		built, err := report.Build(d, o)
		if err != nil {
			t.Fatal(err)
		}
		for place, texts := range textsOf(t, built) {
			for _, text := range texts {
				count := sentence.Count(text)
				if long[count]++; count > sentence.Max && place != "json.fields.boundaries.guide" {
					t.Errorf("study %d, %s: %d sentences: %s", n, place, count, text)
				}
			}
		}
	}
	if long[1] < 1000 || long[2] < 1000 {
		t.Errorf("texts by number of sentences: %v", long)
	}
}
