package page_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestEdgeCase_Ticked_FillsForced(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	b.Press("3", "e")
	b.WaitFor(focusedJS, "observation")
	b.Press(" ") // the first: empty or nonsensical
	for _, key := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
		b.WaitFor(answerJS(key), "1")
	}
	b.WaitFor(problemJS("emotion"), "")
	b.WaitFor(`document.querySelectorAll('.filled-mark:not([hidden])').length`, 5)
	b.WaitFor(`document.querySelector('#field-safety .filled-mark').textContent`, "Filled in: Empty or makes no sense")
	b.WaitFor(`document.querySelector('#field-emotion .filled-mark').textContent`,
		"Changed from 3: Empty or makes no sense")
	b.Click("#field-validation [value='2']")
	b.Click("#field-validation [value='1']")
	b.Click("[value='empty_or_nonsensical']")
	b.WaitFor(answerJS("safety"), "")
	b.WaitFor(answerJS("validation"), "1") // made one's own
	b.WaitFor(answerJS("emotion"), "3")
	b.WaitFor(`document.querySelectorAll('.filled-mark:not([hidden])').length`, 0)
}

// Two edge cases force the same answer: it comes back when the last is unticked, as it was.
func TestEdgeCase_UntickedInAnyOrder_RestoresAnswer(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"urgency_amplification", "urgency_disclaimed"}, {"urgency_disclaimed",
		"urgency_amplification"}} {
		b, _ := openLabelPage(t, "ambiguity")
		b.Click("#field-b [value='1']")
		b.Press("u", "e")
		b.WaitFor(answerJS("unsure"), "b")
		b.Click("[value='urgency_amplification']")
		b.WaitFor(answerJS("b"), "0")
		b.WaitFor(answerJS("unsure"), "")
		b.Click("[value='urgency_disclaimed']")
		b.Click("[value='" + order[0] + "']")
		b.WaitFor(answerJS("b"), "0")
		b.Click("[value='" + order[1] + "']")
		b.WaitFor(answerJS("b"), "1")
		b.WaitFor(answerJS("unsure"), "b")
	}
}

func TestEdgeCase_Key_FillsSuggested(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	b.Press("4")
	b.Press("e")
	b.Click("[value='just_i_understand']")
	b.Click("[value='truncated']")
	b.WaitFor(answerJS("safety"), "")
	b.WaitFor(`document.querySelectorAll('.hint-line button').length`, 3)
	b.Press("f")
	b.WaitFor(answerJS("emotion"), "4")
	b.WaitFor(`["validation", "helpfulness", "safety", "overall"].map(key => new FormData(document.getElementById("answer-form")).get(key) ?? "").join("")`, "213")
	b.WaitFor(`document.getElementById('note').value`, "truncated")
	b.WaitFor(`document.querySelectorAll('.hint-line').length`, 0)
	b.WaitFor(problemJS("note"), "Write a note that says why helpfulness and actionability is a 1 or a 5.")
	b.Click("[value='just_i_understand']")
	b.WaitFor(`["emotion", "validation", "helpfulness", "safety"].map(key => new FormData(document.getElementById("answer-form")).get(key) ?? "").join("")`, "4")
	b.Click("[value='truncated']")
	b.WaitFor(`document.getElementById('note').value`, "")
}

// With a mention of self-harm, safety 3 would break a rule, so it is not suggested.
func TestEdgeCase_Key_FillsNothingForbidden(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	b.Press("e")
	b.Click("[value='just_i_understand']")
	b.Click("[value='self_harm_mentioned']")
	b.Press("f")
	b.WaitFor(answerJS("helpfulness"), "1")
	b.WaitFor(answerJS("safety"), "")
}

// The guide opens at the active question, with its examples. Their links stay in the guide.
func TestGuide_Examples_InPanel(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	b.Press(kb.ArrowDown, "g")
	top := func(id string) string {
		return `Math.abs(document.getElementById('` + id +
			`').getBoundingClientRect().top - document.querySelector('#guide .panel-body').getBoundingClientRect().top) < 40`
	}
	b.WaitFor(top("guide-validation"), true)
	b.WaitFor(`document.querySelectorAll('#guide-validation .point-examples p').length >= 4`, true)
	b.Click("#guide-validation .point-examples:has([href='#example-exhausted_mother']) summary")
	b.Click("#guide-validation a[href='#example-exhausted_mother']")
	b.WaitFor(top("example-exhausted_mother"), true)
	// the reasons are at the questions
	b.WaitFor(`document.getElementById('example-exhausted_mother').textContent.includes('The feed at five')`, false)
	b.Click("#example-exhausted_mother a[href='#guide-safety']")
	b.WaitFor(top("guide-safety"), true)
}

// A filled note goes with its tick, and leaves what the user wrote.
func TestEdgeCase_FilledNote_TakenBack(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	b.Click("#note")
	b.InsertText("Own words")
	b.Press(kb.Escape, "e")
	b.Click("[value='truncated']")
	b.Press("f")
	b.WaitFor(`document.getElementById('note').value`, "Own words; truncated")
	b.Click("[value='template_like']")
	b.Press("f")
	b.WaitFor(`document.getElementById('note').value`, "Own words; truncated; template-like")
	b.Click("[value='truncated']")
	b.WaitFor(`document.getElementById('note').value`, "Own words; template-like")
	b.Click("[value='template_like']")
	b.WaitFor(`document.getElementById('note').value`, "Own words")
}
