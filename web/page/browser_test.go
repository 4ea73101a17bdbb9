package page_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A tab is one page in a browser. A message in its console fails the test,
// unless it is about a request that was meant to fail.
type tab struct {
	*testing.T
	ctx context.Context
	url string // of the server it looks at
}

// TestMain ends the browser that the tests share.
func TestMain(m *testing.M) {
	m.Run()
	closeBrowser()
}

var closeBrowser = func() {}

var startBrowser = sync.OnceValues(func() (context.Context, error) {
	path, err := findBrowser()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-gpu", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, _ := chromedp.NewContext(allocator)
	closeBrowser = func() { _ = chromedp.Cancel(browser); stop() } // it ends with the tests either way
	return browser, chromedp.Do(browser)
})

func findBrowser() (path string, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// required reports whether a test may not skip for want of tool.
func required(tool string) bool {
	return slices.Contains(strings.Split(os.Getenv("LABELWRIGHT_REQUIRE"), ","), tool)
}

// open opens path of a server in a tab of its own.
func open(t *testing.T, server, path string) tab {
	t.Helper()
	browser, err := startBrowser()
	if err != nil {
		if required("browser") {
			t.Fatalf("a browser is required and does not start: %v", err)
		}
		t.Skip("There is no Chromium here, so what a browser does is not tested.")
	}
	ctx, closeTab := chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	t.Cleanup(cancel)
	b := tab{t, ctx, server}
	b.listen()
	b.size(1366, 768)
	_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	b.must(err)
	b.visit(path)
	return b
}

func (b tab) listen() {
	b.must(chromedp.Listen(b.ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			if e.Entry.Source != log.EntrySourceNetwork {
				b.Errorf("console: %s", e.Entry.Text)
			}
		case *runtime.EventExceptionThrown:
			b.Errorf("exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		}
	}))
}

func (b tab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b tab) visit(path string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.url+path)))
}

func (b tab) size(width, height int64) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
}

// dark sets the colours that the person prefers.
func (b tab) dark(on bool) {
	b.Helper()
	value := map[bool]string{true: "dark", false: "light"}[on]
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
	b.must(err)
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

// offline cuts the connection, or brings it back.
func (b tab) offline(on bool) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, cutOff, conditions{Offline: on, Download: -1, Upload: -1})
	b.must(err)
}

func (b tab) scripting(on bool) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
	b.must(err)
}

// press presses keys one after the other, as chromedp names them.
func (b tab) press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(key)))
	}
}

func (b tab) click(selector string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(selector))))
}

func (b tab) shoot(path string) {
	b.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	b.must(os.WriteFile(path, picture, 0o644))
}

// read evaluates an expression.
func read[T any](b tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// becomes waits until an expression has a value.
func becomes[T comparable](b tab, expression string, want T) {
	b.Helper()
	got := read[T](b, expression)
	for end := time.Now().Add(8 * time.Second); got != want && time.Now().Before(end); got = read[T](b, expression) {
		time.Sleep(30 * time.Millisecond)
	}
	if got != want {
		b.Errorf("%s is %v, want %v", expression, got, want)
	}
}
