package page_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
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

const sampleInstructions = "# Citations\n\nAn answer cites its sources as `[1]`, *after* the sentence. See [the policy](https://example.org/policy).\n\n- One\n- Two\n\n| Case | Rule |\n|---|---|\n| none | refuse |\n"

var (
	annotator     = ui.User{Name: "Ada <b>", Role: account.Annotator}
	sampleProject = page.Project{Title: "Pilot", SupportURL: "https://support.example/"}
)

// samplePages are the pages that annotators see, with typical data.
func samplePages(t testing.TB) map[string]templ.Component {
	t.Helper()
	all := map[string]templ.Component{
		"/sign-in": page.SignIn(page.SignInData{Email: "ada@example.org", NextPath: "/work",
			ErrorMessage: "⟦The e-mail or the password is not right.⟧"}),
		"/invitation": page.Invitation(page.InvitationData{Path: "/invitations/x", Name: "Ada",
			Email: "ada@example.org", PasswordErrors: []string{"⟦That is shorter than 12 characters.⟧"}}),
		"/setup": page.Setup(page.SetupData{Path: "/setup/x", Name: "Ada",
			Errors: page.FormErrors{{FieldID: "email", Message: "⟦“ada” is not an email address.⟧"}}}),
		"/account": page.Account(page.AccountData{User: annotator, HasMail: true, Email: "ada@example.org",
			Notice: "⟦The browser is signed out.⟧", Settings: account.DefaultSettings(),
			PasswordErrors: []string{"⟦Use at least 12 characters.⟧"}, CurrentSignIn: 2,
			SignIns: []account.SignIn{{ID: 2, Browser: "Firefox on Linux", ClientAddress: "2001:db8::"},
				{ID: 1, Browser: "Safari on iOS", ClientAddress: "192.0.2.7"}}}),
		"/confirm-password": page.ConfirmPassword(page.ConfirmPasswordData{User: annotator, Email: "ada@example.org",
			Path: "/admin/users/1", Fields: []ui.HiddenField{{Name: "role", Value: "lead"}},
			Errors: []string{"The password is wrong."}}),
		"/error": page.ErrorPage(page.ErrorPageData{Title: "⟦Not found⟧",
			Message: "⟦There is nothing here.⟧", RequestID: "abc-1", User: annotator}),
		"/work-home": page.WorkHome(page.WorkHomeData{User: annotator,
			Queues: []page.Queue{{Batch: "3", Project: sampleProject, Progress: page.Progress{Done: 37, Total: 160},
				Pace: page.Pace{Seconds: 74, TargetMin: 60, TargetMax: 90}, GuidePath: "/work/guide"},
				{Project: sampleProject, Stage: "⟦Calibration⟧",
					BlockedReason: "⟦Your lead looks at your calibration first.⟧"}}}),
		"/work-questions": page.WorkHome(page.WorkHomeData{User: annotator,
			Questions: []page.OwnQuestion{{ProjectTitle: "Pilot", Message: "Why?"}, {ProjectTitle: "Pilot",
				Message: "How?", Answer: "So."}}}),
		"/empty": page.WorkHome(page.WorkHomeData{User: annotator}),
		"/break": page.Break(page.BreakData{User: annotator, Project: sampleProject,
			Remaining: 5 * time.Minute, EndPath: "/work/break/end"}),
		"/break-over": page.Break(page.BreakData{User: annotator, EndPath: "/work/break/end"}),
		"/done": page.Done(page.DoneData{User: annotator, Project: sampleProject,
			Progress: page.Progress{Done: 160, Total: 160}}),
		"/content-warning": page.RequiredReading(page.RequiredReadingData{Document: project.ContentWarningDocument,
			Batch: "3", Token: "t", DocumentNo: 1, Documents: 3, Project: sampleProject, Text: builtinProtocol(t,
				"empathy").Plan.ContentWarning, User: annotator}),
		"/instructions": page.RequiredReading(page.RequiredReadingData{Document: project.InstructionsDocument,
			Batch: "3", DocumentNo: 2, Documents: 3, Project: sampleProject, Text: sampleInstructions,
			LastReadAt: new(time.Now()), User: annotator}),
		"/required-guide": page.RequiredReading(page.RequiredReadingData{Document: project.GuideDocument, Batch: "3",
			DocumentNo: 3, Documents: 3, Project: sampleProject, Protocol: builtinProtocol(t, "empathy"),
			User: annotator}),
		"/skip": page.Skip(page.SkipData{Token: "t", Project: sampleProject, Comment: "odd",
			Problems: protocol.Problems{{Key: "reason", Message: "⟦Choose a reason.⟧"}}, User: annotator}),
		"/ask-lead": page.AskLead(page.AskLeadData{User: annotator, Token: "t", Project: sampleProject,
			Message: "Why?", Errors: []string{"⟦Enter a question of 1 to 1,000 characters.⟧"}}),
		"/messages": page.Messages(page.MessagesData{User: annotator, Batch: "3",
			Messages: []page.UnreadMessage{{Field: "announcement", ID: "1", ProjectTitle: "Pilot",
				Message: "The guide has\na new example."}, {Field: "question", ID: "2", ProjectTitle: "Pilot",
				Question: "Why?", Message: "Because."}}}),
		"/components": componentGallery(),
		"/guide": page.Guide(page.GuideData{Protocol: builtinProtocol(t, "empathy"), Project: sampleProject,
			User: annotator}),
	}
	for _, p := range protocol.Builtin() {
		all["/work/"+p.Key] = page.Label(newLabelData(t, p.Key))
	}
	return all
}

func TestPages_All_ValidHTML(t *testing.T) {
	t.Parallel()
	all := samplePages(t)
	maps.Copy(all, annotatorPages(t))
	for path, c := range all {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			d := renderPage(t, c)
			if d.FindOne("html").Attr("lang") != "en" || d.FindOne("title").Text() == "" ||
				d.FindOne("h1").Text() == "" {
				t.Error("a page has a language, a title and one heading")
			}
			checkPolicy(d)
			checkReferences(d)
			checkLabels(d)
		})
	}
}

// checkPolicy finds content that the content security policy blocks.
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
	for _, s := range d.FindAll("script") {
		if s.Attr("src") == "" && s.Attr("type") != "application/json" {
			d.Error("inline script")
		}
	}
}

// checkReferences finds references to missing ids, and duplicate ids.
func checkReferences(d htmltest.Element) {
	d.Helper()
	ids := map[string]int{}
	for _, e := range d.FindAll("[id]") {
		ids[e.Attr("id")]++
	}
	for id, n := range ids {
		if n > 1 {
			d.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, name := range []string{"for", "aria-describedby", "aria-labelledby", "form"} {
		for _, e := range d.FindAll("[" + name + "]") {
			for id := range strings.FieldsSeq(e.Attr(name)) {
				if ids[id] == 0 {
					d.Errorf("%s refers to the missing id %s", name, id)
				}
			}
		}
	}
	for _, e := range append(d.FindAll("link[href]"), d.FindAll("script[src]")...) {
		address := e.Attr("href") + e.Attr("src")
		if name := address[strings.LastIndexByte(address, '/')+1:]; address != static.Path(name) || !isAsset(name) {
			d.Errorf("%s is not an asset", address)
		}
	}
}

func isAsset(name string) bool {
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, static.Path(name), nil))
	return w.Code == http.StatusOK
}

// checkLabels finds controls without a label.
func checkLabels(d htmltest.Element) {
	d.Helper()
	labeled := map[string]bool{}
	for _, l := range d.FindAll("label[for]") {
		labeled[l.Attr("for")] = l.Text() != ""
	}
	inside := map[*html.Node]bool{}
	for _, control := range d.FindAll("label input") {
		inside[control.Node] = true
	}
	for _, tag := range []string{"input", "textarea", "select"} {
		for _, c := range d.FindAll(tag) {
			if c.Attr("type") != "hidden" && !c.HasAttr("hidden") && !labeled[c.Attr("id")] && !inside[c.Node] {
				d.Errorf("<%s name=%s> has no label", tag, c.Attr("name"))
			}
		}
	}
}

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

func TestItem_AnyScript_ShownVerbatim(t *testing.T) {
	t.Parallel()
	for name, text := range sampleTexts() {
		data := newLabelData(t, "empathy")
		data.Content["response"] = project.PartContent{Text: text}
		paragraphs := renderPage(t, page.Label(data)).FindAll("#item .judged .item-text p")
		var shown []string
		for _, p := range paragraphs {
			shown = append(shown, p.RawText())
			if p.Attr("dir") != "auto" {
				t.Errorf("%s: a paragraph has not its own direction", name)
			}
		}
		if got := strings.Join(shown, "\n\n"); got != text {
			t.Errorf("%s: shown as %.80q, want %.80q", name, got, text)
		}
	}
}

func TestItem_InvisibleChars_Marked(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Content["response"] = project.PartContent{Text: sampleTexts()["hidden"] +
		"\u200f\U000e0041 می\u200cخواهم 👩\u200d🚀"}
	var names []string
	for _, m := range renderPage(t, page.Label(data)).FindAll("#item .judged .invisible-character") {
		names = append(names, m.Attr("data-character"))
	}
	if got, want := strings.Join(names, " "), "RLO PDF ZWSP LRI PDI U+0007 RLM U+E0041"; got != want {
		t.Errorf("marked are %s, want %s", got, want)
	}
}

func TestItem_Parts_InOrder(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Label(newLabelData(t, "rag-generation")))
	if got := strings.Join(htmltest.Texts(d.FindAll("#item h2")), ", "); got != "Query, Answer, Retrieved context" {
		t.Errorf("the parts are %s", got)
	}
	folded := d.FindOne("#item details")
	if folded.HasAttr("open") || folded.FindOne("h2").Text() != "Retrieved context" ||
		len(folded.FindAll(".chunk")) != 2 {
		t.Error("the retrieved context is not folded")
	}
	d = renderPage(t, page.Label(newLabelData(t, "rag-retrieval")))
	head := d.FindOne("#item .chunk h3")
	if head.Text() != "Rank 3 https://food.example/storage?x=<b>" || len(d.FindAll("#item a")) != 0 {
		t.Errorf("a passage has its rank and its source as text: %q", head.Text())
	}
}

func TestItem_JudgedTurns_Highlighted(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Label(newLabelData(t, "ambiguity")))
	if got := strings.Join(htmltest.Texts(d.FindAll(".turn h3 bdi")), ", "); got != "User, Assistant, User, Assistant" {
		t.Errorf("the turns are by %s", got)
	}
	if got := len(d.FindAll(".turn.judged")); got != 2 {
		t.Errorf("%d turns stand out, want the assistant's 2", got)
	}
}

func TestItem_Empty_ShowsMessage(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Content["response"] = project.PartContent{Text: " \n\n "}
	if got := renderPage(t, page.Label(data)).FindOne(
		"#item .judged .item-text").Text(); got != "The response is empty." {
		t.Errorf("an empty response shows %q", got)
	}
}

func TestEdgeCases_Groups_BySubject(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Label(newLabelData(t, "empathy")))
	if got := strings.Join(htmltest.Texts(d.FindAll("#edge-cases legend")),
		", "); got != "About the response, About the person's message" {
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

func TestNav_Role_ShowsAllowedLinks(t *testing.T) {
	t.Parallel()
	for role, want := range map[account.Role]string{account.Annotator: "Work",
		account.Lead:  "Inbox, Work, Projects, Protocols",
		account.Admin: "Inbox, Work, Projects, Protocols, Users, Audit log"} {
		d := renderPage(t, page.ErrorPage(page.ErrorPageData{Title: "x", Message: "y", User: ui.User{Name: "Ada",
			Role: role}}))
		if got := strings.Join(htmltest.Texts(d.FindAll(".site-header nav a")), ", "); got != want {
			t.Errorf("%s sees %s, want %s", role, got, want)
		}
		if d.FindOne(".site-header form").Attr("action") != "/sign-out" {
			t.Errorf("%s cannot sign out", role)
		}
	}
}

func TestBreak_Remaining_ShowsTime(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration][2]string{
		5 * time.Minute:         {"5:00", "End break early"},
		61 * time.Second:        {"1:01", "End break early"},
		0:                       {"0:00", "Continue"},
		-3 * time.Second:        {"0:00", "Continue"},
		1400 * time.Millisecond: {"0:01", "End break early"},
	} {
		d := renderPage(t, page.Break(page.BreakData{Remaining: left, EndPath: "/work/break/end"}))
		if got := [2]string{d.FindOne(".clock").Text(), d.FindOne(".break-screen button").Text()}; got != want {
			t.Errorf("%v left: %v, want %v", left, got, want)
		}
	}
}
