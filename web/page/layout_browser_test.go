package page_test

import (
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// overflowJS returns by how many pixels the questions overflow their column.
const overflowJS = `(() => { const a = document.querySelector('.question-list'); return a.scrollHeight - a.clientHeight })()`

func TestLabel_AnyQuestion_FitsScreen(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			data := newLabelData(t, p.Key)
			data.Answers = protocol.Answers{Values: longestAnswers(p)}
			s := startStub(t, data, nil)
			b := browsertest.Open(t, s.URL, "/work/"+p.Key)
			b.WaitFor(`Math.round(document.getElementById('answer-form').getBoundingClientRect().bottom) === innerHeight`, true)
			for _, f := range p.Fields {
				browsertest.Eval[bool](b, `document.querySelector('#field-`+f.Key+` input:checked').focus(), true`)
				b.WaitFor(activeKeyJS, f.Key)
				if over := browsertest.Eval[int](b, overflowJS); over > 0 {
					t.Errorf("with %s active the form is %d px too high for 1366×768", f.Key, over)
				}
			}
		})
	}
}

// longestAnswers answers every question with the longest anchor that needs no note.
func longestAnswers(p protocol.Protocol) map[string]int {
	values := map[string]int{}
	for _, f := range p.Fields {
		points := slices.DeleteFunc(slices.Clone(f.Scale), func(point protocol.Point) bool {
			return len(f.Scale) == 5 && point.Value%4 == 1
		})
		values[f.Key] = slices.MaxFunc(points, func(a, b protocol.Point) int {
			return len(a.Anchor) - len(b.Anchor)
		}).Value
	}
	return values
}

// gridJS returns the left edge of the header, the section bar, the content and its
// heading, and the right edge of the content, all without padding. A list of views next to the content starts in
// place of both. The heading of a page of one text
// or form is in a centered measure.
const gridJS = `(() => {
	const left = e => Math.round(e.getBoundingClientRect().left + parseFloat(getComputedStyle(e).paddingInlineStart))
	const main = document.querySelector('main')
	const centered = document.querySelector('main > :is(.measure, .narrow):only-child')
	const views = [...document.querySelectorAll('.views')].some(v => v.offsetWidth < innerWidth / 2) ? '.views' : undefined
	const parts = ['.site-header', '.section-bar', ...views ? [views] : ['main', ...centered ? [] : ['h1']]].flatMap(s => document.querySelector(s) ?? []).map(left)
	const right = Math.round(main.getBoundingClientRect().right - parseFloat(getComputedStyle(main).paddingInlineEnd))
	return [...new Set(parts), right].join(' ')
})()`

// squeezedJS returns the main buttons whose text does not fit on a line.
const squeezedJS = `[...document.querySelectorAll('main button.primary')].filter(b => b.offsetHeight > 64).map(b => b.textContent).join('; ')`

// screenSizes are those at which pages are laid out, the last one smaller than any phone in use.
var screenSizes = [][2]int{{1920, 1080}, {1366, 768}, {768, 1024}, {390, 844}, {320, 568}}

// Each page fits every screen and shares the edges of the others, its controls are large enough, and it
// is accessible in both themes. The pages of leads are checked with axe where their routes are.
func TestPages_EverySize_FitAndAccessible(t *testing.T) {
	t.Parallel()
	all := samplePages(t)
	refused := newLabelData(t, "empathy")
	refused.Answers = protocol.Answers{Values: map[string]int{"emotion": 5},
		Observations: []string{"framed_as_consult", "just_i_understand"}}
	refused.Problems = refused.Protocol.Check(refused.Facts, refused.Answers)
	all["/work/refused/form"] = page.Label(refused)
	for name, text := range sampleTexts() {
		data := newLabelData(t, "empathy")
		data.Content["response"] = project.PartContent{Text: text}
		all["/work/text/"+name] = page.Label(data)
	}
	maps.Copy(all, leadPages(t))
	s := startStub(t, newLabelData(t, "empathy"), all)
	tab := browsertest.Open(t, s.URL, "/sign-in")
	edges := map[[2]int]string{}
	for _, size := range screenSizes {
		tab.SetViewport(size[0], size[1])
		edges[size] = browsertest.Eval[string](tab, gridJS)
		if strings.Count(edges[size], " ") != 1 {
			t.Fatalf("%v: header, content and heading start at different edges: %s", size, edges[size])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		tab.Visit(path)
		for _, size := range screenSizes {
			tab.SetViewport(size[0], size[1])
			if over := browsertest.Eval[int](tab, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %v is %d px too wide", path, size, over)
			}
			if strings.HasPrefix(path, "/work/") { // the labeling screen has a frame of its own
				continue
			}
			if got := browsertest.Eval[string](tab, gridJS); got != edges[size] {
				t.Errorf("%s at %v: left and right edges %s, want %s", path, size, got, edges[size])
			}
		}
		tab.SetViewport(1366, 768)
		if got := browsertest.Eval[string](tab, smallTargetsJS); got != "" {
			t.Errorf("%s: under 24 px:\n%s", path, got)
		}
		if got := browsertest.Eval[string](tab, squeezedJS); got != "" {
			t.Errorf("%s: too narrow for the text of %s", path, got)
		}
		if strings.HasPrefix(path, "/work/text/") {
			continue
		}
		if !strings.HasPrefix(path, "/lead/") {
			tab.CheckAccessibility(path)
		}
		tab.SetDarkMode(true)
		tab.CheckContrast(path + " in the dark")
		tab.SetDarkMode(false)
	}
	tab.Visit("/work/empathy")
	for _, key := range []string{"e", "g", "?"} {
		tab.Press(key)
		tab.CheckAccessibility("panel " + key)
		tab.Press(kb.Escape)
	}
	tab.Click("#skip")
	tab.CheckAccessibility("skip dialog")
}

// leadPages are pages of leads and admins: with and without tabs, narrow and wide.
func leadPages(t testing.TB) map[string]templ.Component {
	t.Helper()
	lead := ui.User{Name: "Lena", Role: account.Admin}
	p := project.Project{Key: "pilot", Title: "Pilot", Protocol: builtinProtocol(t, "empathy")}
	b := project.Batch{Name: "first", LabelCounts: project.LabelCounts{Items: 12, LabelsWanted: 24}}
	pages := map[string]templ.Component{
		"/lead/projects":    page.Projects(page.ProjectsData{User: lead, Projects: []project.Project{p}}),
		"/lead/new-project": page.NewProject(page.NewProjectData{User: lead, Chosen: p.Protocol}),
		"/lead/overview": page.ProjectHome(page.ProjectHomeData{User: lead, Project: p,
			Batches: []project.Batch{b}}),
		"/lead/items":    page.Items(page.ItemsData{User: lead, Project: p}),
		"/lead/members":  page.Members(page.MembersData{User: lead, Project: p}),
		"/lead/settings": page.SessionSettings(page.SessionSettingsData{User: lead, Project: p}),
		"/lead/board":    page.Board(page.BoardData{User: lead, Project: p, Batch: b}),
		"/lead/progress": page.ProgressPage(page.ProgressData{User: lead, Project: p, Batch: b}),
		"/lead/questions": page.QuestionList(page.QuestionsData{User: lead, Project: p,
			Open: []page.Question{{ID: 1, Annotator: "Anna", SourceID: "q1", BatchName: "first", Message: "Why?"}}}),
		"/lead/announcements": page.Announcements(page.AnnouncementsData{User: lead, Project: p, Batch: b,
			Announcements: []page.Announcement{{Message: "Hello", Annotators: 2, Outstanding: []string{"Ben"},
				ReadBy: []page.Reading{{Annotator: "Anna"}}}}}),
		"/lead/adjudication":  page.Adjudication(page.AdjudicationData{User: lead, Project: p}),
		"/lead/disagreements": page.Disagreements(disagreementsData(50)),
		"/lead/report":        page.Report(page.ReportData{User: lead, Project: p}),
		"/lead/report-summary": page.Report(page.ReportData{User: lead, Project: p,
			Report: stories[10].build(t).Report}),
		"/lead/next-labels": page.NextLabels(page.NextLabelsData{User: lead, Project: p, Judges: []string{"⟦judge⟧"},
			Form: page.NextLabelsForm{Judge: "⟦judge⟧", Size: "20"},
			Proposal: &judging.Proposal{JudgeDraw: project.JudgeDraw{Judge: "⟦judge⟧", By: project.DrawAtRandom,
				Size: 1}, Items: []judging.ProposedItem{{ItemID: 1, SourceID: "q1"}}, Candidates: 30}}),
		"/lead/item": page.ItemPage(page.ItemPageData{User: lead, Project: p, Item: project.Item{SourceID: "q1",
			Content: newLabelData(t, "empathy").Content}, Listed: project.ListedItem{SourceID: "q1"},
			Answers: page.SideBySideData{Project: p, Answers: []page.AnnotatorAnswers{{Annotator: "A1", Batch: "first",
				Values: map[string]int{"emotion": 2}, Unsure: []string{"emotion"}}},
				Judgments: []page.AnnotatorAnswers{{Annotator: "J1", Values: map[string]int{"emotion": 3}}}},
			History: []page.ItemEvent{{Text: "Imported from a.csv by Lena."}},
			Questions: []page.Question{{ID: 1, Annotator: "Anna", Message: "Why?"}, {ID: 2, Annotator: "Ben",
				Hidden: true}}}),
		"/lead/export":    page.Export(page.ExportData{User: lead, Project: p, LabelCount: 24}),
		"/lead/protocols": page.Protocols(page.ProtocolsData{User: lead}),
		"/lead/protocol":  page.ProtocolPage(page.ProtocolPageData{User: lead, Protocol: p.Protocol}),
		"/lead/users":     page.Users(page.UsersData{User: lead}),
		"/lead/audit-log": page.AuditLog(page.AuditLogData{User: lead}),
		"/lead/rename": page.ProjectSettings(page.ProjectSettingsData{User: lead, Project: project.Project{ID: 1,
			Key: "pilot", Title: "Pilot", Protocol: builtinProtocol(t, "rag-grounding")}}),
		"/lead/instructions": page.Instructions(page.InstructionsData{User: lead, Project: project.Project{ID: 1,
			Key: "pilot", Title: "Pilot", Protocol: builtinProtocol(t, "rag-grounding")}, Text: sampleInstructions}),
		"/lead/new-rag": page.NewRAGProjects(page.NewRAGProjectsData{User: lead}),
	}
	maps.Copy(pages, importPages(t, lead))
	return pages
}

// On a narrow screen a link leads from the item to the questions below it.
func TestLabel_Narrow_LinksToForm(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Content["response"] = project.PartContent{Text: strings.Repeat("So it went on, week after week. ", 2000)}
	b := browsertest.Open(t, startStub(t, data, nil).URL, "/work/empathy")
	b.WaitFor(`document.querySelector('.label-header .to-questions').checkVisibility()`, false)
	b.SetViewport(390, 844)
	b.Click(".label-header .to-questions")
	b.WaitFor(`document.querySelector('.question').getBoundingClientRect().top < innerHeight`, true)
}

// smallTargetsJS lists the controls smaller than 24 px, without check boxes that have a cell of a table for themselves.
const smallTargetsJS = `[...document.querySelectorAll('button, summary, input:not([type=hidden], td > *), select, textarea, .point')]
	.map(e => e.matches('input[type=radio], input[type=checkbox]') ? e.closest('label') ?? e : e)
	.filter(e => e.checkVisibility({ visibilityProperty: true }))
	.map(e => [e, e.getBoundingClientRect()])
	.filter(([, r]) => r.width < 24 || r.height < 24)
	.map(([e, r]) => e.outerHTML.slice(0, 80) + ' ' + r.width + '×' + r.height).join('\n')`

func TestAxe_UnnamedButton_Found(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	browsertest.Eval[bool](b, `document.querySelector('.form-footer').append(document.createElement('button')), true`)
	if found := b.AxeViolations(`{}`); len(found) != 1 || !strings.HasPrefix(found[0], "button-name") {
		t.Errorf("a button without a name: found %q", found)
	}
}

// The labeling screen with its assets loads at most that many compressed bytes in that many
// requests.
const (
	maxFirstLoadBytes    = 45_000
	maxFirstLoadRequests = 10
)

func TestLabel_FirstLoad_UnderLimit(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		checkFirstLoad(t, p.Key)
	}
}

func checkFirstLoad(t *testing.T, key string) {
	t.Helper()
	s := startStub(t, newLabelData(t, key), nil)
	d := renderPage(t, page.Label(newLabelData(t, key)))
	paths := []string{"/work/" + key}
	for _, e := range append(d.FindAll("link[href]"), d.FindAll("script[src]")...) {
		if path := e.Attr("href") + e.Attr("src"); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	total := 0
	for _, path := range paths {
		total += transferSize(t, s.URL+path)
	}
	t.Logf("%s: %d files, %d bytes compressed", key, len(paths), total)
	if total > maxFirstLoadBytes || len(paths) > maxFirstLoadRequests {
		t.Errorf("%s: %d files, %d bytes compressed, want at most %d and %d", key, len(paths), total,
			maxFirstLoadRequests, maxFirstLoadBytes)
	}
}

// transferSize returns the compressed size of url.
func transferSize(t *testing.T, url string) int {
	t.Helper()
	request, _ := http.NewRequest(http.MethodGet, url, nil)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, response.StatusCode, err)
	}
	if response.Header.Get("Content-Encoding") == "gzip" {
		return len(body)
	}
	var compressed strings.Builder // the stub server does not compress pages
	w := gzip.NewWriter(&compressed)
	w.Write(body)
	w.Close()
	return compressed.Len()
}
