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
	"github.com/labelwright/labelwright/internal/labeling"
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
				Pace: labeling.Pace{Seconds: 74, Words: 180, TargetMin: 60, TargetMax: 90}, GuidePath: "/work/guide"},
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
		5 * time.Minute:         {"5:00", "Continue at 14:05 UTC"},
		61 * time.Second:        {"1:01", "Continue at 14:05 UTC"},
		0:                       {"0:00", "Continue"},
		-3 * time.Second:        {"0:00", "Continue"},
		1400 * time.Millisecond: {"0:01", "Continue at 14:05 UTC"},
	} {
		d := renderPage(t, page.Break(page.BreakData{Remaining: left, EndPath: "/work/break/end",
			EndsAt: time.Date(2026, 11, 22, 14, 5, 0, 0, time.UTC)}))
		if got := [2]string{d.FindOne(".clock").Text(), d.FindOne("button.primary").Text()}; got != want {
			t.Errorf("%v left: %v, want %v", left, got, want)
		}
		if quiet := d.FindAll("button.link"); len(quiet) != 0 != (left > 0) {
			t.Errorf("%v left: %d links to end it early", left, len(quiet))
		}
	}
}
