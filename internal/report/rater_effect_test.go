package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
)

// newRiskStudy returns 60 items with an adjudicated answer, 10 of them with a risk that each annotator but the last
// reports: the last one misses some.
func newRiskStudy(t *testing.T, misses int, annotators ...string) *dataBuilder {
	t.Helper()
	d := newDataBuilder(t, "empathy")
	d.Adjudicated = map[project.ItemID]map[string]int{}
	for i := range 60 {
		id := d.addItem(nil)
		for n, name := range annotators {
			safety := 4 + i%2
			if i < 10 && (n < len(annotators)-1 || i >= misses) {
				safety = 1 + i%2
			}
			l := d.addLabel(id, name, study.Work, 1+i%5, 1+i*7%5, 1+i/5%5, safety, 1+i/3%5)
			if n == 0 {
				d.Adjudicated[id] = l.Values
			}
		}
	}
	return d
}

// effectTexts returns what the JSON and the summary say of rater effects.
func effectTexts(t *testing.T, r report.Report) map[string]string {
	t.Helper()
	encoded, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	finding := prose.Writer{Locale: locale.English}.Annotators(r)
	return map[string]string{"JSON": string(encoded), "summary": strings.Join(append([]string{finding.Text},
		finding.Notes...), " ")}
}

// TestRaterEffects_MissedRisks_AreStatedOnceFound has an annotator who misses none, some or most of the known risks.
func TestRaterEffects_MissedRisks_AreStatedOnceFound(t *testing.T) {
	t.Parallel()
	for misses, isFound := range map[int]bool{0: false, 2: false, 8: true} {
		texts := effectTexts(t, newRiskStudy(t, misses, "ada", "bo", "cy").build())
		for place, part := range map[string]string{"JSON": `"effect":"missed_risks","other":"","either":false,"references":true,"value":0.8,`,
			"summary": "1 of 3 annotators needs a look: cy (missed risks)."} {
			if strings.Contains(texts[place], part) != isFound {
				t.Errorf("%d of 10 missed: %s: %s", misses, place, texts[place][max(0, len(texts[place])-1500):])
			}
		}
		if strings.Contains(texts["summary"], "No annotator stands out. What would have been found: ") == isFound {
			t.Errorf("%d of 10 missed: %s", misses, texts["summary"])
		}
	}
}

// TestRaterEffects_ForcedAnswers_AreNoEqualAnswers has an annotator who gives every field 1 in two of three items, with
// the observation that forces it, with one that forces nothing or with none.
func TestRaterEffects_ForcedAnswers_AreNoEqualAnswers(t *testing.T) {
	t.Parallel()
	for observation, want := range map[string]bool{"": true, "truncated": true, "empty_or_nonsensical": false,
		"wrong_language": false} {
		d := newDataBuilder(t, "empathy")
		for i := range 90 {
			id := d.addItem(nil)
			varied := []int{1 + i%5, 1 + i*7%5, 1 + i/5%5, 4 + i%2, 1 + i/3%5}
			d.addLabel(id, "bo", study.Work, varied...)
			d.addLabel(id, "cy", study.Work, varied...)
			if i%3 == 0 {
				d.addLabel(id, "ada", study.Work, varied...)
				continue
			}
			if l := d.addLabel(id, "ada", study.Work, 1, 1, 1, 1, 1); observation != "" {
				l.Observations = []string{observation}
			}
		}
		for _, a := range d.build().Annotators {
			isFound := false
			for _, e := range a.RaterEffects {
				isFound = isFound || e.Effect == ratereffect.EqualAnswers
			}
			if isFound != (want && a.Name == "ada") {
				t.Errorf("%q: %s: %+v", observation, a.Name, a.RaterEffects)
			}
		}
	}
}
