package page_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/htmltest"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/static"
	"github.com/labelwright/labelwright/web/ui"
)

var (
	annotator = ui.Visitor{Name: "Ada <b>", Role: account.Annotator}
	projectX  = page.Project{Title: "Pilot", SupportURL: "https://support.example/"}
)

// pages is every page that annotators meet, with what is typical for it.
func pages(t testing.TB) map[string]templ.Component {
	t.Helper()
	all := map[string]templ.Component{
		"/sign-in":    page.SignIn(page.SignInData{Email: "ada@example.org", Next: "/work", Problem: "The e-mail or the password is not right."}),
		"/invitation": page.Invitation(page.InvitationData{Path: "/invitations/x", Name: "Ada", Email: "ada@example.org", Least: 12, Problems: []string{"That is shorter than 12 characters."}}),
		"/first":      page.First(page.FirstData{Path: "/first/x", Name: "Ada", Least: 12, Problem: "“ada” is not an e-mail address."}),
		"/account":    page.Account(page.AccountData{Visitor: annotator, Email: "ada@example.org", Least: 12, Changed: true}),
		"/failed":     page.Failed(page.FailedData{Title: "Not found", Says: "There is nothing here.", Request: "abc-1", Visitor: annotator}),
		"/home":       page.WorkHome(page.WorkHomeData{Visitor: annotator, Queues: []page.Queue{{Batch: "3", Project: projectX, Progress: page.Progress{Done: 37, Total: 160}, Pace: page.Pace{Own: 74, From: 60, To: 90}, Guide: "/work/guide"}, {Project: projectX, Stage: "Calibration", Waits: "Your lead looks at your calibration first."}}}),
		"/empty":      page.WorkHome(page.WorkHomeData{Visitor: annotator}),
		"/break":      page.Break(page.BreakData{Visitor: annotator, Project: projectX, Left: 5 * time.Minute, Early: "/work/break/end"}),
		"/rested":     page.Break(page.BreakData{Visitor: annotator, Early: "/work/break/end"}),
		"/done":       page.Done(page.DoneData{Visitor: annotator, Project: projectX, Progress: page.Progress{Done: 160, Total: 160}}),
		"/warning":    page.ContentWarning(page.ContentWarningData{Token: "t", Project: projectX, Warning: builtin(t, "empathy").Plan.Warning, Visitor: annotator}),
		"/set-aside":  page.SetAside(page.SetAsideData{Token: "t", Project: projectX, Word: "odd", Problems: protocol.Problems{{Key: "reason", Says: "Please choose a reason."}}, Visitor: annotator}),
		"/pieces":     gallery(),
		"/guide":      page.Guide(page.GuideData{Protocol: builtin(t, "empathy"), Project: projectX, Visitor: annotator}),
	}
	for _, p := range protocol.Builtin() {
		all["/work/"+p.Key] = page.Label(sample(t, p.Key))
	}
	return all
}

func TestEveryPageIsSound(t *testing.T) {
	t.Parallel()
	for path, c := range pages(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			d := rendered(t, c)
			if d.One("html").Attr("lang") != "en" || d.One("title").Text() == "" || d.One("h1").Text() == "" {
				t.Error("a page has a language, a title and one heading")
			}
			checkPolicy(d)
			checkReferences(d)
			checkLabels(d)
		})
	}
}

// checkPolicy finds what the content security policy would block.
func checkPolicy(d htmltest.Element) {
	d.Helper()
	for n := range d.Descendants() {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
				d.Errorf("<%s> has %s", n.Data, a.Key)
			}
		}
		if n.Type == html.ElementNode && n.Data == "style" {
			d.Error("there is a <style>")
		}
	}
	for _, s := range d.All("script") {
		if s.Attr("src") == "" && s.Attr("type") != "application/json" {
			d.Error("a script stands in the page")
		}
	}
}

// checkReferences finds ids that are used and not there, and ids used twice.
func checkReferences(d htmltest.Element) {
	d.Helper()
	ids := map[string]int{}
	for _, e := range d.All("[id]") {
		ids[e.Attr("id")]++
	}
	for id, n := range ids {
		if n > 1 {
			d.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, name := range []string{"for", "aria-describedby", "aria-labelledby", "form"} {
		for _, e := range d.All("[" + name + "]") {
			for id := range strings.FieldsSeq(e.Attr(name)) {
				if ids[id] == 0 {
					d.Errorf("%s names %s, which is not there", name, id)
				}
			}
		}
	}
	for _, e := range append(d.All("link[href]"), d.All("script[src]")...) {
		address := e.Attr("href") + e.Attr("src")
		if name := address[strings.LastIndexByte(address, '/')+1:]; address != static.Path(name) || !known(name) {
			d.Errorf("%s is not an asset", address)
		}
	}
}

func known(name string) bool {
	for _, n := range static.Names() {
		if n == name {
			return true
		}
	}
	return false
}

// checkLabels finds controls without a name.
func checkLabels(d htmltest.Element) {
	d.Helper()
	labelled := map[string]bool{}
	for _, l := range d.All("label[for]") {
		labelled[l.Attr("for")] = l.Text() != ""
	}
	inside := map[*html.Node]bool{}
	for _, control := range d.All("label input") {
		inside[control.Node] = true
	}
	for _, tag := range []string{"input", "textarea", "select"} {
		for _, c := range d.All(tag) {
			if c.Attr("type") != "hidden" && !c.Has("hidden") && !labelled[c.Attr("id")] && !inside[c.Node] {
				d.Errorf("<%s name=%s> has no label", tag, c.Attr("name"))
			}
		}
	}
}

func TestQuestionsAreFieldsetsWhosePointsAreNamedByValueFirst(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		data := sample(t, p.Key)
		d := rendered(t, page.Label(data))
		for _, f := range p.Asked(data.Facts) {
			set := d.One("#field-" + f.Key)
			if set.Data != "fieldset" || set.One("legend").Text() != f.Title || !strings.Contains(set.Text(), f.Ask) {
				t.Errorf("%s %s: the fieldset has not title and question", p.Key, f.Key)
			}
			points := set.All(".point")
			if len(points) != len(f.Scale) {
				t.Fatalf("%s %s: %d points, want %d", p.Key, f.Key, len(points), len(f.Scale))
			}
			for i, point := range points {
				want := strings.TrimSpace(point.One("input[type='radio']").Attr("value")) + ", "
				if got := strings.Join(strings.Fields(strings.ReplaceAll(point.Raw(), " ,", ",")), " "); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, f.Scale[i].Anchor) {
					t.Errorf("%s %s: a point is named %q, want %q first and the anchor last", p.Key, f.Key, got, want)
				}
			}
		}
	}
}

func TestWhatDoesNotApplyIsNotAsked(t *testing.T) {
	t.Parallel()
	data := sample(t, "ambiguity")
	if n := len(rendered(t, page.Label(data)).All(".question")); n != 6 {
		t.Errorf("two turns of the assistant: %d questions, want 6", n)
	}
	data.Facts = protocol.Facts{}
	d := rendered(t, page.Label(data))
	if len(d.All("#field-d")) != 0 || len(d.All(".question")) != 5 {
		t.Error("one turn of the assistant: the question about drift is still there")
	}
}

func TestARefusedFormKeepsWhatWasTypedAndSaysWhyAtTheField(t *testing.T) {
	t.Parallel()
	data := sample(t, "empathy")
	data.Answers = protocol.Answers{
		Values: map[string]int{"emotion": 5, "safety": 2}, Note: " ",
		Observations: []string{"framed_as_consult"}, Unsure: []string{"safety"},
	}
	data.Problems = data.Protocol.Check(data.Facts, data.Answers)
	d := rendered(t, page.Label(data))
	for _, selector := range []string{"[name='emotion'][value='5'][checked]", "[name='safety'][value='2'][checked]", "[value='framed_as_consult'][checked]", "[name='unsure'][value='safety'][checked]"} {
		d.One(selector)
	}
	if len(d.All("input[type='radio'][checked]")) != 2 || d.One("#note").Raw() != " " {
		t.Error("what was typed is not what is there")
	}
	for key, invalid := range map[string]string{"emotion": "false", "validation": "true", "safety": "false"} {
		if got := d.One("#field-" + key).Attr("aria-invalid"); got != invalid {
			t.Errorf("%s: aria-invalid=%q, want %q", key, got, invalid)
		}
	}
	if got := d.One("#problem-note").Text(); got != data.Problems.At("note")[0] {
		t.Errorf("at the note: %q", got)
	}
	if got := d.One("#problem-apart").Text(); !strings.HasPrefix(got, "Makes medical or diagnostic claims: ") {
		t.Errorf("apart: %q", got)
	}
	if !d.One("#field-validation").Has("data-active") {
		t.Error("the first question with a problem is not the active one")
	}
}

func TestTheItemIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for name, text := range scripts() {
		data := sample(t, "empathy")
		data.Content["response"] = project.Piece{Text: text}
		paragraphs := rendered(t, page.Label(data)).All("#item .judged .text p")
		var shown []string
		for _, p := range paragraphs {
			shown = append(shown, p.Raw())
			if p.Attr("dir") != "auto" {
				t.Errorf("%s: a paragraph has not its own direction", name)
			}
		}
		if got := strings.Join(shown, "\n\n"); got != text {
			t.Errorf("%s: shown as %.80q, want %.80q", name, got, text)
		}
	}
}

func TestWhatWouldNotBeSeenIsMarked(t *testing.T) {
	t.Parallel()
	data := sample(t, "empathy")
	data.Content["response"] = project.Piece{Text: scripts()["hidden"] + "\u200f\U000e0041 می\u200cخواهم 👩\u200d🚀"}
	var names []string
	for _, m := range rendered(t, page.Label(data)).All("#item .judged .mark") {
		names = append(names, m.Attr("data-mark"))
	}
	if got, want := strings.Join(names, " "), "RLO PDF ZWSP LRI PDI U+0007 RLM U+E0041"; got != want {
		t.Errorf("marked are %s, want %s", got, want)
	}
}

func TestPartsStandInReadingOrderAndWhatSupportsIsFolded(t *testing.T) {
	t.Parallel()
	d := rendered(t, page.Label(sample(t, "rag-generation")))
	if got := strings.Join(htmltest.Texts(d.All("#item h2")), ", "); got != "Query, Answer, Retrieved context" {
		t.Errorf("the parts are %s", got)
	}
	folded := d.One("#item details")
	if folded.Has("open") || folded.One("h2").Text() != "Retrieved context" || len(folded.All(".passage")) != 2 {
		t.Error("the retrieved context is not folded")
	}
	d = rendered(t, page.Label(sample(t, "rag-retrieval")))
	head := d.One("#item .passage h3")
	if head.Text() != "Rank 3 https://food.example/storage?x=<b>" || len(d.All("#item a")) != 0 {
		t.Errorf("a passage has its rank and its source as text: %q", head.Text())
	}
}

func TestTheTurnsToJudgeStandOut(t *testing.T) {
	t.Parallel()
	d := rendered(t, page.Label(sample(t, "ambiguity")))
	if got := strings.Join(htmltest.Texts(d.All(".turn h3")), ", "); got != "The person, Assistant, The person, Assistant" {
		t.Errorf("the turns are by %s", got)
	}
	if got := len(d.All(".turn.judged")); got != 2 {
		t.Errorf("%d turns stand out, want the assistant's 2", got)
	}
}

func TestAnEmptyResponseSaysSo(t *testing.T) {
	t.Parallel()
	data := sample(t, "empathy")
	data.Content["response"] = project.Piece{Text: " \n\n "}
	if got := rendered(t, page.Label(data)).One("#item .judged .text").Text(); got != "This is empty." {
		t.Errorf("an empty response shows %q", got)
	}
}

func TestEdgeCasesAreTickedByWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	d := rendered(t, page.Label(sample(t, "empathy")))
	if got := strings.Join(htmltest.Texts(d.All("#edges legend")), ", "); got != "About the response, About the person's message" {
		t.Errorf("the groups are %s", got)
	}
	if n := len(d.All("form#answers input[name='observation']")); n != 12 {
		t.Errorf("%d edge cases, want 12", n)
	}
}

func TestButtonsAndAddressesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	data := sample(t, "empathy")
	data.Token = "tok"
	d := rendered(t, page.Label(data))
	form := d.One("form#answers")
	if form.Attr("action") != "/work/tok" || form.Attr("method") != "post" || form.Attr("data-draft") != "/work/tok/draft" {
		t.Error("the form goes elsewhere")
	}
	if got := strings.Join(htmltest.Texts(form.All("button")), ", "); got != "Submit, Set aside, Take a break" {
		t.Errorf("the buttons are %s", got)
	}
	if form.One("#set-aside").Attr("formaction") != "/work/tok/set-aside" || form.One("#break").Attr("formaction") != "/work/tok/break" {
		t.Error("the other buttons go elsewhere")
	}
	for _, name := range []string{"note", "active_ms", "idle_ms"} {
		form.One("[name='" + name + "']")
	}
	for _, reason := range []string{"invalid_or_unrealistic", "unclear", "outside_expertise", "distressing"} {
		d.One("#aside [name='reason'][value='" + reason + "']")
	}
}

func TestNothingInThePageTellsAnItemFromItsDuplicate(t *testing.T) {
	t.Parallel()
	first, again := sample(t, "empathy"), sample(t, "empathy")
	first.Token, again.Token = "aaaa", "bbbb"
	one, two := rendered(t, page.Label(first)), rendered(t, page.Label(again))
	var a, b strings.Builder
	_ = html.Render(&a, one.Node)
	_ = html.Render(&b, two.Node)
	if strings.ReplaceAll(a.String(), "aaaa", "bbbb") != b.String() {
		t.Error("two presentations differ by more than their token")
	}
}

func TestPeopleAndTextsAreNeverMarkup(t *testing.T) {
	t.Parallel()
	evil := `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	data := sample(t, "rag-retrieval")
	data.Project.Title, data.Answers.Note = evil, evil
	data.Project.SupportURL = "javascript:alert(1)"
	data.Content = project.Content{"query": {Text: evil}, "chunk": {Passages: []project.Passage{{Source: evil, Text: evil}}}}
	data.Problems = protocol.Problems{{Key: "note", Says: evil}, {Key: evil, Says: evil}}
	d := rendered(t, page.Label(data))
	checkPolicy(d)
	if len(d.All("img")) != 0 || d.One("#note").Raw() != evil || d.One("#problem-note").Text() != evil {
		t.Error("a text became markup")
	}
	for _, a := range d.All("a[href]") {
		if strings.HasPrefix(a.Attr("href"), "javascript") {
			t.Error("a link runs a script")
		}
	}
}

func TestTheNavigationIsByRole(t *testing.T) {
	t.Parallel()
	for role, want := range map[account.Role]string{account.Annotator: "Work", account.Lead: "Work, Projects, Protocols", account.Admin: "Work, Projects, Protocols, People, Audit"} {
		d := rendered(t, page.Failed(page.FailedData{Title: "x", Says: "y", Visitor: ui.Visitor{Name: "Ada", Role: role}}))
		if got := strings.Join(htmltest.Texts(d.All(".site nav a")), ", "); got != want {
			t.Errorf("%s sees %s, want %s", role, got, want)
		}
		if d.One(".site form").Attr("action") != "/sign-out" {
			t.Errorf("%s cannot sign out", role)
		}
	}
}

func TestABreakSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration][2]string{
		5 * time.Minute:         {"5:00", "Go on early"},
		61 * time.Second:        {"1:01", "Go on early"},
		0:                       {"0:00", "Go on"},
		-3 * time.Second:        {"0:00", "Go on"},
		1400 * time.Millisecond: {"0:01", "Go on early"},
	} {
		d := rendered(t, page.Break(page.BreakData{Left: left, Early: "/work/break/end"}))
		if got := [2]string{d.One(".clock").Text(), d.One(".pause button").Text()}; got != want {
			t.Errorf("%v left: %v, want %v", left, got, want)
		}
	}
}
