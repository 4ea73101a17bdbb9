package browsertest

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A Tab is one page in the browser. A message in its console, an exception, or
// a request to any host but its server's fails the test; a request of its own
// that the server refuses does not.
type Tab struct {
	*testing.T
	ctx     context.Context
	url     string // of the server it looks at
	traffic *traffic
}

const (
	patience = 10 * time.Second // until what a tab waits for has failed to come
	lifetime = 4 * time.Minute  // of a tab, so that none hangs for ever
)

// Open opens a path of a server in a tab of its own, which shares no cookie with
// any other.
func Open(t *testing.T, server, path string) Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("What a browser does takes long, and -short asks to be quick.")
	}
	browser, err := startBrowser()
	if err != nil {
		without(t, "There is no Chromium here, so what a browser does is not tested.", err)
	}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	return opened(t, ctx, closeTab, server, path)
}

// Another opens a second tab of the same person: it shares the cookies of b.
// It must be closed before b, as it is in b's test or a subtest of it.
func (b Tab) Another(t *testing.T, path string) Tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(b.ctx)
	return opened(t, ctx, closeTab, b.url, path)
}

func opened(t *testing.T, ctx context.Context, closeTab func(), server, path string) Tab {
	t.Helper()
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, lifetime)
	t.Cleanup(cancel)
	b := Tab{t, ctx, server, &traffic{}}
	b.listen()
	b.Size(1366, 768)
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	b.Visit(path)
	return b
}

// call sends one command of the browser's protocol.
func call[P, R any](b Tab, command cdp.Command[P, R], params P) R {
	b.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	b.must(err)
	return result
}

func (b Tab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// Do does what chromedp can and Tab has no word for.
func (b Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, steps...))
}

// Visit opens a path of the server and waits until it has loaded.
func (b Tab) Visit(path string) {
	b.Helper()
	b.Do(chromedp.Navigate(b.url + path))
}

// Size sets the inner size of the window, in CSS pixels.
func (b Tab) Size(width, height int64) {
	b.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// Dark sets the colours that the person prefers.
func (b Tab) Dark(on bool) {
	b.Helper()
	value := map[bool]string{true: "dark", false: "light"}[on]
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
}

// conditions are those of Network.emulateNetworkConditions, which every Chromium
// knows and the typed protocol no longer lists.
type conditions struct {
	Offline  bool    `json:"offline"`
	Latency  float64 `json:"latency"`
	Download float64 `json:"downloadThroughput"`
	Upload   float64 `json:"uploadThroughput"`
}

var cutOff = cdp.Command[conditions, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// Offline cuts the connection, or brings it back.
func (b Tab) Offline(on bool) {
	b.Helper()
	call(b, cutOff, conditions{Offline: on, Download: -1, Upload: -1})
}

// Scripting turns the page's scripts off from the next visit on, or on again.
func (b Tab) Scripting(on bool) {
	b.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// Press presses keys one after the other, as chromedp names them. Several
// letters in one are typed.
func (b Tab) Press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		b.Do(chromedp.KeyEvent(key))
	}
}

// Insert writes text where the focus is, all at once, as input methods do.
func (b Tab) Insert(text string) {
	b.Helper()
	call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// PressWith presses a key while another is held.
func (b Tab) PressWith(held chromedp.Modifier, key string) {
	b.Helper()
	b.Do(chromedp.KeyEvent(key, chromedp.KeyModifiers(held)))
}

// Click clicks on what selector finds.
func (b Tab) Click(selector string) {
	b.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Shoot writes a picture of what is in view to a file.
func (b Tab) Shoot(path string) {
	b.Helper()
	b.must(os.WriteFile(path, call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{}).Data, 0o644))
}

// Read evaluates an expression in the page.
func Read[T any](b Tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Becomes waits until an expression has a value, compared as JSON. An expression
// that cannot be evaluated while a page is exchanged for the next has none.
func (b Tab) Becomes(expression string, want any) {
	b.Helper()
	wanted, err := json.Marshal(want)
	b.must(err)
	got := b.value(expression)
	for end := time.Now().Add(patience); got != string(wanted) && time.Now().Before(end); got = b.value(expression) {
		time.Sleep(5 * time.Millisecond)
	}
	if got != string(wanted) {
		b.Errorf("%s is %s, want %s", expression, got, wanted)
	}
}

// value is what an expression gives now, as Go writes JSON.
func (b Tab) value(expression string) string {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise))
	if b.ctx.Err() != nil {
		b.Fatal(b.ctx.Err())
	}
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(value)
	b.must(err)
	return string(text)
}
