package browsertest

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/sync/errgroup"

	"github.com/labelwright/labelwright/internal/require"
)

// A Tab is one page in the browser. A console message, an exception or a request to
// another host fails the test; a request rejected by the server does not.
type Tab struct {
	*testing.T
	ctx       context.Context
	opened    context.Context // ctx without its timeout
	serverURL string
	traffic   *traffic
}

const (
	waitTimeout = time.Minute           // of WaitFor; only a failing test waits so long
	maxPause    = 40 * time.Millisecond // between two looks of WaitFor
	tabTimeout  = 4 * time.Minute       // of a tab
)

// Open opens a path of a server in a new tab that shares no cookies with others.
func Open(t *testing.T, serverURL, path string) Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("Browser tests are skipped with -short.")
	}
	browser, err := startBrowser()
	if err != nil {
		require.Missing(t, "browser", "Chromium did not start: "+err.Error())
	}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	return setUpTab(t, ctx, closeTab, serverURL, path)
}

// NewTab opens a second tab that shares the cookies of b. It must close before b, as
// it does in b's test or a subtest.
func (b Tab) NewTab(t *testing.T, path string) Tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(b.opened)
	return setUpTab(t, ctx, closeTab, b.serverURL, path)
}

// In returns the tab for a subtest, with a time limit of its own.
func (b Tab) In(t *testing.T) Tab {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.opened, tabTimeout)
	t.Cleanup(cancel)
	b.T, b.ctx = t, ctx
	return b
}

func setUpTab(t *testing.T, ctx context.Context, closeTab func(), serverURL, path string) Tab {
	t.Helper()
	t.Cleanup(closeTab)
	opened := ctx
	ctx, cancel := context.WithTimeout(opened, tabTimeout)
	t.Cleanup(cancel)
	b := Tab{t, ctx, opened, serverURL, &traffic{}}
	b.watchEvents()
	b.SetViewport(1366, 768)
	sendCommand(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	b.Visit(path)
	return b
}

// sendCommand sends a command of the DevTools protocol.
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

// Do runs chromedp actions.
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

// SetPrint lays the page out as for paper.
func (b Tab) SetPrint() {
	b.Helper()
	sendCommand(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
}

// networkConditions are the parameters of Network.emulateNetworkConditions, which the
// typed protocol no longer has.
type networkConditions struct {
	Offline            bool    `json:"offline"`
	Latency            float64 `json:"latency"`
	DownloadThroughput float64 `json:"downloadThroughput"`
	UploadThroughput   float64 `json:"uploadThroughput"`
}

var emulateNetwork = cdp.Command[networkConditions, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// SetOffline disconnects or reconnects the network.
func (b Tab) SetOffline(enabled bool) {
	b.Helper()
	sendCommand(b, emulateNetwork, networkConditions{Offline: enabled, DownloadThroughput: -1, UploadThroughput: -1})
}

// SetScripting turns JavaScript on or off, from the next visit.
func (b Tab) SetScripting(enabled bool) {
	b.Helper()
	sendCommand(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !enabled})
}

// Press presses keys by their chromedp names. A longer text is typed into the text box that has the focus.
func (b Tab) Press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		if utf8.RuneCountInString(key) == 1 {
			b.Do(chromedp.KeyEvent(key))
			continue
		}
		for _, character := range key {
			b.enterText(string(character), func() { b.Do(chromedp.KeyEvent(string(character))) })
		}
	}
}

// PressEvery presses keys at an interval, in their order, without waiting until the page has
// handled the key before.
func (b Tab) PressEvery(interval time.Duration, keys ...string) {
	b.Helper()
	var handled errgroup.Group
	for _, key := range keys {
		for _, event := range kb.Encode([]rune(key)[0]) {
			e := sentEvent{event, make(chan struct{})}
			handled.Go(func() error {
				_, err := chromedp.Call(b.ctx, dispatchKey, e)
				return err
			})
			<-e.isSent
		}
		time.Sleep(interval)
	}
	b.must(handled.Wait())
}

var dispatchKey = cdp.Command[sentEvent, cdp.Empty]{Method: "Input.dispatchKeyEvent"}

// A sentEvent closes isSent when it is written to the browser.
type sentEvent struct {
	*input.DispatchKeyEventParams
	isSent chan struct{}
}

func (e sentEvent) MarshalJSON() ([]byte, error) {
	defer close(e.isSent)
	return json.Marshal(e.DispatchKeyEventParams)
}

// InsertText inserts text at the focus at once, as input methods do.
func (b Tab) InsertText(text string) {
	b.Helper()
	b.enterText(text, func() { sendCommand(b, input.InsertText, input.InsertTextParams{Text: text}) })
}

// enterText enters text until the page has it: Chromium drops text if the tab has just lost the focus of the
// window to another one.
func (b Tab) enterText(text string, enter func()) {
	b.Helper()
	for range 5 {
		Eval[bool](b, `addEventListener('input', () => hasInput = true, { capture: true, once: true }), hasInput = false, true`)
		enter()
		for deadline := time.Now().Add(waitTimeout / 5); time.Now().Before(deadline); time.Sleep(maxPause) {
			if b.evalJSON(`hasInput`) != "false" {
				return
			}
		}
	}
	b.Errorf("%q could not be entered", text)
}

// PressWith presses a key with a modifier.
func (b Tab) PressWith(modifier chromedp.Modifier, key string) {
	b.Helper()
	b.Do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifier)))
}

// Click clicks the element that matches selector.
func (b Tab) Click(selector string) {
	b.Helper()
	for {
		err := chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(selector)))
		// The page replaced the element before it was clicked.
		if err == nil || !strings.Contains(err.Error(), "Could not find node with given id") {
			b.must(err)
			return
		}
	}
}

// SaveScreenshot saves a screenshot of the viewport.
func (b Tab) SaveScreenshot(path string) {
	b.Helper()
	b.must(os.WriteFile(path, sendCommand(b, page.CaptureScreenshot, page.CaptureScreenshotParams{}).Data, 0o644))
}

// pageObject starts a page of a PDF.
var pageObject = regexp.MustCompile(`/Type\s*/Page[^s]`)

// CountPrintedPages returns the number of pages of A4 that the page prints on.
func (b Tab) CountPrintedPages() int {
	b.Helper()
	width, height := 210/25.4, 297/25.4 // inches
	pdf := sendCommand(b, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: width, PaperHeight: height,
		PreferCSSPageSize: new(true)}).Data
	return len(pageObject.FindAll(pdf, -1))
}

// Eval evaluates a JavaScript expression in the page.
func Eval[T any](b Tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// WaitFor waits until an expression has a value, compared as JSON. Errors during a
// page load are ignored.
func (b Tab) WaitFor(expression string, want any) {
	b.Helper()
	b.WaitAtMost(waitTimeout, expression, want)
}

// WaitAtMost is WaitFor with its own timeout.
func (b Tab) WaitAtMost(timeout time.Duration, expression string, want any) {
	b.Helper()
	wantJSON, err := json.Marshal(want)
	b.must(err)
	got, pause := b.evalJSON(expression), 2*time.Millisecond
	for deadline := time.Now().Add(timeout); got != string(wantJSON) &&
		time.Now().Before(deadline); got = b.evalJSON(expression) {
		time.Sleep(pause)
		pause = min(2*pause, maxPause)
	}
	if got != string(wantJSON) {
		b.Errorf("%s is %s, want %s", expression, got, wantJSON)
	}
}

// evalJSON returns the current value of an expression as JSON, formatted by Go.
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
