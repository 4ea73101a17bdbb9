package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/ratereffect"
)

// An effectTally counts the tests for rater effects of all annotators.
type effectTally struct {
	tests, found         int
	untested, untestable int          // untested: not enough data
	impossible           []string     // names of the effects that cannot be tested
	noticeable           []missedRisk // that no test finds, but that need a look
}

// A missedRisk is how many risks that others report an annotator does not.
type missedRisk struct {
	annotator string
	ratereffect.Result
}

func tallyEffects(annotators []Annotator) (t effectTally) {
	for _, a := range annotators {
		for _, e := range a.RaterEffects {
			t.tests++
			switch e.State {
			case ratereffect.Found:
				t.found++
			case ratereffect.NotEnoughData:
				t.untested++
			case ratereffect.Untestable:
				t.untestable++
				if name := e.Name.Text(); !slices.Contains(t.impossible, name) {
					t.impossible = append(t.impossible, name)
				}
			}
			if e.Result.IsNoticeable() {
				t.noticeable = append(t.noticeable, missedRisk{a.Name, e.Result})
			}
		}
	}
	return t
}

// describe returns what the tests show where they find nothing: first what needs a look all the same.
func (t effectTally) describe(annotators int) Finding {
	texts := keepTexts(describeMissedRisks(t.noticeable), t.impossibleText())
	next := NextStep{Kind: StepSeeDetails, Text: "Compare the annotators."}
	if len(t.noticeable) > 0 {
		next = NextStep{Kind: StepSeeAnnotator, Subject: t.noticeable[0].annotator, Text: seeAnnotatorText(t.noticeable[0].annotator)}
	}
	if len(texts) == 0 {
		texts = []string{noEffectsText(annotators)}
	}
	return Finding{texts[0], keepTexts(append(texts[1:], untestedText(t.tests, t.untested))...), next}
}

// impossibleText names the effects that no labels like these can show, and what the other tests show if
// they find nothing; empty without one.
func (t effectTally) impossibleText() string {
	if t.untestable == 0 {
		return ""
	}
	if negative := t.tests - t.untested - t.untestable; t.found == 0 && negative > 0 {
		return fmt.Sprintf("%s of %s found no rater effect; %s cannot be done with these labels: %s.", formatCount(negative), pluralize(t.tests, "test"), formatCount(t.untestable), joinNames(t.impossible))
	}
	return fmt.Sprintf("%s of %s cannot be done with these labels: %s.", formatCount(t.untestable), pluralize(t.tests, "test"), joinNames(t.impossible))
}

// OpenEffectTexts name what the tests for rater effects leave open and needs a look: missed risks and
// effects that cannot be tested.
func OpenEffectTexts(annotators []Annotator) []string {
	t := tallyEffects(annotators)
	return keepTexts(describeMissedRisks(t.noticeable), t.impossibleText())
}

// IsOpen reports whether a test leaves open something that needs a look.
func (e RaterEffect) IsOpen() bool {
	return e.State == ratereffect.Untestable || e.Result.Undefined == ratereffect.UnverifiedItems || e.Result.IsNoticeable()
}

// describeMissedRisks names the annotators who missed risks, and how many; empty without one.
func describeMissedRisks(list []missedRisk) string {
	if len(list) == 0 {
		return ""
	}
	if len(list) == 1 {
		return list[0].describe()
	}
	var parts []string
	for _, m := range list[:min(len(list), maxNamedAnnotators)] {
		parts = append(parts, fmt.Sprintf("%s (%s of %s)", m.annotator, formatCount(m.Misses), pluralize(m.ItemCount, "item")))
	}
	if more := len(list) - maxNamedAnnotators; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s reported no risk in some items where others or known answers did: read these items.", joinNames(parts))
}

// describe states the misses of one annotator, and what their test shows.
func (m missedRisk) describe() string {
	text := m.Message()
	return m.annotator + " " + strings.ToLower(text[:1]) + text[1:]
}
