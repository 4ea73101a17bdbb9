package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/htmltest"
	"github.com/labelwright/labelwright/web/page"
)

func TestPoints_Name_StartsWithValue(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		data := newLabelData(t, p.Key)
		d := renderPage(t, page.Label(data))
		for _, f := range p.ApplicableFields(data.Facts) {
			set := d.FindOne("#field-" + f.Key)
			if set.Data != "fieldset" || set.FindOne("legend").Text() != f.Title ||
				!strings.Contains(set.Text(), f.Question) {
				t.Errorf("%s %s: the fieldset has not title and question", p.Key, f.Key)
			}
			points := set.FindAll(".point")
			if len(points) != len(f.Scale) {
				t.Fatalf("%s %s: %d points, want %d", p.Key, f.Key, len(points), len(f.Scale))
			}
			for i, point := range points {
				want := strings.TrimSpace(point.FindOne("input[type='radio']").Attr("value")) + ", "
				if got := strings.Join(strings.Fields(strings.ReplaceAll(point.RawText(), " ,", ",")),
					" "); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, f.Scale[i].Anchor) {
					t.Errorf("%s %s: a point is named %q, want %q first and the anchor last", p.Key, f.Key, got, want)
				}
			}
		}
	}
}

func TestQuestions_NotApplicable_Omitted(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "ambiguity")
	if n := len(renderPage(t, page.Label(data)).FindAll(".question")); n != 6 {
		t.Errorf("two turns of the assistant: %d questions, want 6", n)
	}
	data.Facts = protocol.Facts{}
	d := renderPage(t, page.Label(data))
	if len(d.FindAll("#field-d")) != 0 || len(d.FindAll(".question")) != 5 {
		t.Error("one turn of the assistant: the question about drift is still there")
	}
}

func TestLabel_Refused_KeepsInput(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Protocol.AllowsBetween = true
	data.Answers = protocol.Answers{
		Values: map[string]int{"emotion": 5, "safety": 2}, Note: " ",
		Observations: []string{"framed_as_consult"}, Unsure: []string{"safety"},
	}
	data.Problems = data.Protocol.Check(data.Facts, data.Answers)
	d := renderPage(t, page.Label(data))
	for _, selector := range []string{"[name='emotion'][value='5'][checked]", "[name='safety'][value='2'][checked]",
		"[value='framed_as_consult'][checked]", "[name='unsure'][value='safety'][checked]"} {
		d.FindOne(selector)
	}
	if len(d.FindAll("input[type='radio'][checked]")) != 2 || d.FindOne("#note").RawText() != " " {
		t.Error("what was typed is not what is there")
	}
	for key, invalid := range map[string]string{"emotion": "false", "validation": "true", "safety": "false"} {
		if got := d.FindOne("#field-" + key).Attr("aria-invalid"); got != invalid {
			t.Errorf("%s: aria-invalid=%q, want %q", key, got, invalid)
		}
	}
	if got := d.FindOne("#problem-note").Text(); got != data.Problems.MessagesFor("note")[0] {
		t.Errorf("at the note: %q", got)
	}
	if got := d.FindOne("#problem-general").Text(); !strings.HasPrefix(got, "Makes medical or diagnostic claims: ") {
		t.Errorf("apart: %q", got)
	}
	if !d.FindOne("#field-validation").HasAttr("data-active") {
		t.Error("the first question with a problem is not the active one")
	}
}

func TestEdgeCases_Groups_BySubject(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Label(newLabelData(t, "empathy")))
	if got := strings.Join(htmltest.Texts(d.FindAll("#edge-cases legend")),
		", "); got != "The response, The person's message" {
		t.Errorf("the groups are %s", got)
	}
	if n := len(d.FindAll("form#answer-form input[name='observation']")); n != 12 {
		t.Errorf("%d edge cases, want 12", n)
	}
}

func TestLabel_Form_MatchesContract(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Token = "tok"
	d := renderPage(t, page.Label(data))
	form := d.FindOne("form#answer-form")
	if form.Attr("action") != "/work/tok" || form.Attr("method") != "post" ||
		form.Attr("data-draft-url") != "/work/tok/draft" {
		t.Error("the form goes elsewhere")
	}
	if got := strings.Join(htmltest.Texts(form.FindAll("button")),
		", "); got != "Submit, Skip, Ask lead, Take a break" {
		t.Errorf("the buttons are %s", got)
	}
	if form.FindOne("#skip").Attr("formaction") != "/work/tok/skip" ||
		form.FindOne("#take-break").Attr("formaction") != "/work/tok/break" {
		t.Error("the other buttons go elsewhere")
	}
	for _, name := range []string{"note", "active_ms", "idle_ms"} {
		form.FindOne("[name='" + name + "']")
	}
	for _, reason := range []string{"invalid_or_unrealistic", "unclear", "outside_expertise", "distressing"} {
		d.FindOne("#skip-dialog [name='reason'][value='" + reason + "']")
	}
}

func TestLabel_Duplicate_LooksSame(t *testing.T) {
	t.Parallel()
	first, again := newLabelData(t, "empathy"), newLabelData(t, "empathy")
	first.Token, again.Token = "aaaa", "bbbb"
	one, two := renderPage(t, page.Label(first)), renderPage(t, page.Label(again))
	var a, b strings.Builder
	_ = html.Render(&a, one.Node)
	_ = html.Render(&b, two.Node)
	if strings.ReplaceAll(a.String(), "aaaa", "bbbb") != b.String() {
		t.Error("two presentations differ by more than their token")
	}
}

func TestLabel_HostileText_Escaped(t *testing.T) {
	t.Parallel()
	evil := `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	data := newLabelData(t, "rag-retrieval")
	data.Project.Title, data.Answers.Note = evil, evil
	data.Project.SupportURL = "javascript:alert(1)"
	data.Content = project.Content{"query": {Text: evil},
		"chunk": {Chunks: []project.Chunk{{Source: evil, Text: evil}}}}
	data.Problems = protocol.Problems{{Key: "note", Message: evil}, {Key: evil, Message: evil}}
	d := renderPage(t, page.Label(data))
	checkPolicy(d)
	if len(d.FindAll("img")) != 0 || d.FindOne("#note").RawText() != evil || d.FindOne("#problem-note").Text() != evil {
		t.Error("a text became markup")
	}
	for _, a := range d.FindAll("a[href]") {
		if strings.HasPrefix(a.Attr("href"), "javascript") {
			t.Error("a link runs a script")
		}
	}
}
