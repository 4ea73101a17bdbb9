package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

// The guide has all that annotators must know, also if they never open a panel: each
// observation with its guidance, how labels are compared, and the target.
func TestGuide_Builtin_HasAllGuidance(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		session := project.SessionFacts{HiddenDuplicates: 10}
		text := renderPage(t, page.Guide(page.GuideData{Protocol: p,
			Project: page.Project{Session: &session}})).Text()
		want := []string{"The first 20 items may take longer", "Up to 10 items come a second time",
			"Your labels are compared", "κ of at least 0.4"}
		for _, o := range p.Observations {
			want = append(want, o.Title, o.Guidance)
		}
		for _, f := range p.Fields {
			want = append(append(append(want, f.Boundaries...), f.Reward...), f.Penalize...)
			if len(f.DecisionTree) > 0 {
				want = append(want, "take the highest that fits")
			}
		}
		for _, s := range want {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the guide does not have %q", p.Key, s)
			}
		}
		if strings.Contains(text, "personal data have been removed") {
			t.Errorf("%s: promises that personal data have been removed", p.Key)
		}
	}
}

// maxWordsBeforeWork is how much of a guide is open before the first item.
const maxWordsBeforeWork = 1200

// What is read before work is short. The rest is there, folded.
func TestGuide_Builtin_ShortBeforeWork(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		d := renderPage(t, page.RequiredReading(page.RequiredReadingData{Document: project.GuideDocument, Protocol: p,
			Project: page.Project{Session: &project.SessionFacts{HiddenDuplicates: 10}}}))
		words := len(strings.Fields(d.FindFirst(".guide").Text()))
		for _, folded := range d.FindAll(".guide details:not([open])") {
			if isInFolded(folded.Node.Parent) {
				continue
			}
			words -= len(strings.Fields(folded.Text())) - len(strings.Fields(folded.FindFirst("summary").Text()))
		}
		t.Logf("%s: %d words before work, %d in all", p.Key, words, len(strings.Fields(d.FindFirst(".guide").Text())))
		if words > maxWordsBeforeWork {
			t.Errorf("%s: %d words before work, want at most %d", p.Key, words, maxWordsBeforeWork)
		}
	}
}

// isInFolded reports whether a node is inside of a folded section.
func isInFolded(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		isOpen := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "open" })
		if n.Data == "details" && !isOpen {
			return true
		}
	}
	return false
}

// Each example is at the value that it has, with its reason.
func TestGuide_Examples_BesideTheirValue(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "empathy")
	d := renderPage(t, page.Guide(page.GuideData{Protocol: p}))
	for _, f := range p.Fields {
		for i, point := range f.Scale {
			shown := d.FindAll("#guide-" + f.Key + " .anchor-list > div")[i].Text()
			for _, e := range p.ExamplesFor(f.Key) {
				reason, _ := e.Reason(f.Key)
				want := e.Answers.Values[f.Key] == point.Value
				if strings.Contains(shown, strings.Join(strings.Fields(reason.Text), " ")) != want {
					t.Errorf("%s %d: example %s is there: %t, want %t", f.Key, point.Value, e.Key, !want, want)
				}
			}
		}
	}
}

// The contents lead to each section, open it, and say how many are read.
func TestGuide_Contents_OpenSectionsAndCountThem(t *testing.T) {
	t.Parallel()
	data := page.GuideData{Protocol: builtinProtocol(t, "empathy")}
	s := startStub(t, newLabelData(t, "empathy"), map[string]templ.Component{"/work/guide": page.Guide(data)})
	b := browsertest.Open(t, s.URL, "/work/guide")
	read := browsertest.Eval[int](b, `document.querySelectorAll('.guide-contents [data-read]').length`)
	b.Click(".guide-contents a[href='#guide-mistakes']")
	b.WaitFor(`document.getElementById('guide-mistakes').open`, true)
	b.WaitFor(`document.querySelector('.guide-contents [href="#guide-mistakes"]').hasAttribute('data-read')`, true)
	b.WaitFor(`document.getElementById('guide-progress').textContent !== '`+fmt.Sprintf("%d of", read)+`'`, true)
	if broken := browsertest.Eval[[]string](b, `[...document.querySelectorAll('.guide-contents a')].map(a => a.hash)
		.filter(h => !document.querySelector(h))`); len(broken) > 0 {
		t.Errorf("links to no section: %v", broken)
	}
}
