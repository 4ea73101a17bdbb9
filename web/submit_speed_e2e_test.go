package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/browsertest"
)

// measureSubmitsJS records in window.painted, for each submit, the milliseconds from Enter until
// the next item is painted, and of them those until the request is sent, until the answer is
// parsed, and until the item is swapped in.
const measureSubmitsJS = `(() => {
	let pressed, sent, parsed
	const now = () => performance.now(), { send } = XMLHttpRequest.prototype
	window.painted = []
	XMLHttpRequest.prototype.send = function (body) {
		sent = now()
		this.addEventListener('readystatechange', () => { if (this.readyState === XMLHttpRequest.DONE) parsed = now() })
		send.call(this, body)
	}
	addEventListener('keydown', event => { if (event.key === 'Enter') pressed = event.timeStamp }, { capture: true })
	new MutationObserver(() => {
		const swapped = now()
		requestAnimationFrame(() => {
			const { port1, port2 } = new MessageChannel()
			port1.onmessage = () => painted.push([now() - pressed, sent - pressed, parsed - sent, swapped - parsed, now() - swapped])
			port2.postMessage(0)
		})
	}).observe(document.getElementById('item'), { childList: true })
	return true
})()`

// openItemsOf opens the first of some items of a protocol in a browser.
func openItemsOf(t *testing.T, p protocol.Protocol, items int) (testEnv, browsertest.Tab) {
	t.Helper()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	created, err := env.db.CreateProject(t.Context(), lead, project.Spec{Key: p.Key, Title: p.Title, Protocol: p.Key,
		SupportURL: "https://support.example/", Instructions: "Answers cite sources as [1]."})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]project.Item, items)
	for i := range list {
		content := newContent(p, i)
		list[i] = project.Item{SourceID: fmt.Sprint(i), Content: content, Facts: project.DeriveFacts(p, content)}
	}
	if err := env.db.Import(t.Context(), lead.ID, created, postgres.File{Name: "items.jsonl"}, list); err != nil {
		t.Fatal(err)
	}
	env.newBatchFromSpec(lead, created, project.BatchSpec{Name: "b", Annotators: []string{ann.Email}, Overlap: 1})
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"annotator": ann}}
	path := env.signInAs(ann).openItem()
	b := h.openTabAt(t, "annotator", "/healthz")
	b.Visit(path)
	b.WaitFor(`document.getElementById('answer-form') !== null && document.readyState`, "complete")
	return env, b
}

// fillForm selects the answers a without keys.
func fillForm(b browsertest.Tab, a protocol.Answers) {
	b.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		b.Fatal(err)
	}
	browsertest.Eval[bool](b, fmt.Sprintf(`(a => {
		const set = (name, value) => { const control = document.querySelector('[name=' + name + '][value="' + value + '"]'); if (!control.checked) control.click() }
		for (const key of a.observations ?? []) set('observation', key)
		for (const [key, value] of Object.entries(a.values)) set(key, value)
		for (const key of a.unsure ?? []) set('unsure', key)
		const note = document.getElementById('note')
		note.value = a.note ?? ''
		note.dispatchEvent(new Event('input', { bubbles: true }))
		return true
	})(%s)`, text))
}

// Measures submits in a browser: LABELWRIGHT_SLOW=1 go test ./web -run Speed -v. The load of
// the machine is part of the figures, so they have no limit here.
func TestSpeed_EnterToPainted(t *testing.T) {
	items := 4
	if require.FullSize() {
		items = 201
	}
	for _, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			_, b := openItemsOf(t, p, items)
			browsertest.Eval[bool](b, measureSubmitsJS)
			rng := rand.New(rand.NewPCG(1, uint64(len(p.Key))))
			requestsBefore, bytesBefore := b.Requests()
			submits := 0
			for n := range items - 1 {
				facts := browsertest.Eval[protocol.Facts](b, `JSON.parse(document.getElementById('facts').textContent)`)
				fillForm(b, drawValidAnswers(rng, p, facts))
				// the last answer is painted
				browsertest.Eval[bool](b, `new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))`)
				b.Press(kb.Enter)
				b.WaitFor(`document.querySelector('.item-count').textContent.split(' ')[0] + ' ' + painted.length`,
					fmt.Sprintf("%d %d", n+1, n+1))
				if t.Failed() {
					return
				}
			}
			requests, bytes := b.Requests()
			icons := 0
			for i, r := range requests {
				switch {
				case strings.HasSuffix(r, "/icon.svg"): // once, perhaps after the first item is there
					icons++
				case i >= len(requestsBefore) && !strings.HasSuffix(r, "/draft"):
					submits++
				}
			}
			if icons > 1 {
				t.Errorf("the icon is requested %d times", icons)
			}
			painted := browsertest.Eval[[][]float64](b, `painted`)
			at := func(phase int, share float64) float64 {
				slices.SortFunc(painted, func(a, b []float64) int { return cmp.Compare(a[phase], b[phase]) })
				return painted[min(int(share*float64(len(painted))), len(painted)-1)][phase]
			}
			t.Logf("%d submits: Enter to painted p50 %.0f ms, p95 %.0f ms; of p50: to request %.0f, answer %.0f, swap %.0f, paint %.0f; %d bytes per item; %s",
				len(painted), at(0, .5), at(0, .95), at(1, .5), at(2, .5), at(3, .5), at(4, .5),
				int(bytes-bytesBefore)/len(painted), loadAverage())
			if submits != items-1 {
				t.Errorf("%d requests for %d items", submits, items-1)
			}
		})
	}
}

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return "load " + strings.TrimSpace(string(text))
}

// Keys at any speed: every value is stored at the question it was typed for.
func TestKeys_AnySpeed_NoWrongValue(t *testing.T) {
	items := 4 // per speed
	if require.FullSize() {
		items = 100
	}
	empathy := protocol.Builtin()[slices.IndexFunc(protocol.Builtin(), func(p protocol.Protocol) bool {
		return p.Key == "empathy"
	})]
	order := []string{"emotion", "validation", "helpfulness", "safety", "overall"}
	for _, interval := range []time.Duration{10, 25, 60, 100} {
		t.Run(fmt.Sprint(int(interval), " ms"), func(t *testing.T) {
			env, b := openItemsOf(t, empathy, items)
			rng := rand.New(rand.NewPCG(uint64(interval), 2))
			var want []map[string]int
			var keys []string
			for range items {
				scores := drawPlainAnswers(rng, empathy, protocol.Facts{})
				for _, key := range order {
					keys = append(keys, fmt.Sprint(scores[key]))
				}
				want, keys = append(want, scores), append(keys, kb.Enter)
			}
			browsertest.Eval[bool](b, recordKeysJS)
			b.PressEvery(interval*time.Millisecond, keys...)
			// the queue of keys takes its time
			b.WaitAtMost(time.Minute, `location.pathname + ' ' + document.readyState`, "/work complete")
			if received := browsertest.Eval[string](b, `sessionStorage.keys`); received != strings.Join(keys, "") {
				t.Fatalf("the browser received the keys in another order: the test cannot judge:\n%q\n%q",
					received, keys)
			}
			wrong := 0
			for i, scores := range want {
				for _, key := range order {
					if got := query[int](env, `SELECT coalesce((SELECT (answers->>$2)::int FROM annotations
						WHERE sequence_no = $1), 0)`, i+1, key); got != scores[key] {
						wrong++
					}
				}
			}
			if n := env.countAnnotations(); wrong > 0 || n != items {
				t.Errorf("%d of %d values are wrong in %d annotations", wrong, items*len(order), n)
			}
		})
	}
}

// recordKeysJS records the keys that the browser receives, as chromedp writes them.
const recordKeysJS = `(() => {
	sessionStorage.keys = ''
	addEventListener('keydown', event => { if (event.isTrusted) sessionStorage.keys += event.key === 'Enter' ? '\r' : event.key }, { capture: true })
	return true
})()`
