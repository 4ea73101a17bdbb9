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
	ctx       context.Context
	serverURL string // of the server it looks at
	traffic   *traffic
}

const (
	waitTimeout = 10 * time.Second // until what a tab waits for has failed to come
	tabTimeout  = 4 * time.Minute  // of a tab, so that none hangs for ever
)

// Open opens a path of a server in a tab of its own, which shares no cookie with
// any other.
func Open(t *testing.T, serverURL, path string) Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("What a browser does takes long, and -short asks to be quick.")
	}
	browser, err := startBrowser()
	if err != nil {
		skipOrFail(t, "There is no Chromium here, so what a browser does is not tested.", err)
	}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	return setUpTab(t, ctx, closeTab, serverURL, path)
}

// NewTab opens a second tab of the same person: it shares the cookies of b.
// It must be closed before b, as it is in b's test or a subtest of it.
func (b Tab) NewTab(t *testing.T, path string) Tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(b.ctx)
	return setUpTab(t, ctx, closeTab, b.serverURL, path)
}

func setUpTab(t *testing.T, ctx context.Context, closeTab func(), serverURL, path string) Tab {
	t.Helper()
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, tabTimeout)
	t.Cleanup(cancel)
	b := Tab{t, ctx, serverURL, &traffic{}}
	b.watchEvents()
	b.SetViewport(1366, 768)
	sendCommand(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	b.Visit(path)
	return b
}

// sendCommand sends one command of the browser's protocol.
func sendCommand[P, R any](b Tab, command cdp.Command[P, R], params P) R {
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
	b.Do(chromedp.Navigate(b.serverURL + path))
}

// SetViewport sets the inner size of the window, in CSS pixels.
func (b Tab) SetViewport(width, height int) {
	b.Helper()
	b.Do(chromedp.EmulateViewport(int64(width), int64(height)))
}

// SetDarkMode sets the preferred color scheme.
func (b Tab) SetDarkMode(enabled bool) {
	b.Helper()
	value := map[bool]string{true: "dark", false: "light"}[enabled]
	sendCommand(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
}

// networkConditions are those of Network.emulateNetworkConditions, which every Chromium
// knows and the typed protocol no longer lists.
type networkConditions struct {
	Offline            bool    `json:"offline"`
	Latency            float64 `json:"latency"`
	DownloadThroughput float64 `json:"downloadThroughput"`
	UploadThroughput   float64 `json:"uploadThroughput"`
}

var emulateNetwork = cdp.Command[networkConditions, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// SetOffline cuts the connection, or brings it back.
func (b Tab) SetOffline(enabled bool) {
	b.Helper()
	sendCommand(b, emulateNetwork, networkConditions{Offline: enabled, DownloadThroughput: -1, UploadThroughput: -1})
}

// SetScripting turns the page's scripts off from the next visit on, or on again.
func (b Tab) SetScripting(enabled bool) {
	b.Helper()
	sendCommand(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !enabled})
}

// Press presses keys one after the other, as chromedp names them. Several
// letters in one are typed.
func (b Tab) Press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		b.Do(chromedp.KeyEvent(key))
	}
}

// InsertText writes text where the focus is, all at once, as input methods do.
func (b Tab) InsertText(text string) {
	b.Helper()
	sendCommand(b, input.InsertText, input.InsertTextParams{Text: text})
}

// PressWith presses a key while another is held.
func (b Tab) PressWith(modifier chromedp.Modifier, key string) {
	b.Helper()
	b.Do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifier)))
}

// Click clicks on what selector finds.
func (b Tab) Click(selector string) {
	b.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// SaveScreenshot writes a picture of what is in view to a file.
func (b Tab) SaveScreenshot(path string) {
	b.Helper()
	b.must(os.WriteFile(path, sendCommand(b, page.CaptureScreenshot, page.CaptureScreenshotParams{}).Data, 0o644))
}

// Eval evaluates an expression in the page.
func Eval[T any](b Tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// WaitFor waits until an expression has a value, compared as JSON. An expression
// that cannot be evaluated while a page is exchanged for the next has none.
func (b Tab) WaitFor(expression string, want any) {
	b.Helper()
	wantJSON, err := json.Marshal(want)
	b.must(err)
	got := b.evalJSON(expression)
	for deadline := time.Now().Add(waitTimeout); got != string(wantJSON) && time.Now().Before(deadline); got = b.evalJSON(expression) {
		time.Sleep(5 * time.Millisecond)
	}
	if got != string(wantJSON) {
		b.Errorf("%s is %s, want %s", expression, got, wantJSON)
	}
}

// evalJSON is what an expression gives now, as Go writes JSON.
func (b Tab) evalJSON(expression string) string {
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
