// Package browsertest opens pages in a headless Chromium, so that tests can
// press keys and read what is there. One browser serves a test binary:
//
//	func TestMain(m *testing.M) { browsertest.Main(m) }
//
//	func TestKeys(t *testing.T) {
//		b := browsertest.Open(t, server.URL, "/work")
//		b.Press("4")
//		b.Becomes(`document.title`, "Work")
//
// Where there is no Chromium the test is skipped with a sentence, unless
// LABELWRIGHT_REQUIRE lists "browser": then it fails.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// Main runs the tests of a package and ends the browser that they share.
func Main(m *testing.M) {
	m.Run() // its verdict becomes the exit code when TestMain returns
	Close()
}

// Close ends the browser, if one was started.
func Close() { closeBrowser() }

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

// skipOrFail skips t, because what it needs is not there; it fails t where that is
// required.
func skipOrFail(t *testing.T, reason string, err error) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("LABELWRIGHT_REQUIRE"), ","), "browser") {
		t.Fatalf("LABELWRIGHT_REQUIRE lists browser, but: %s %v", reason, err)
	}
	t.Skip(reason)
}
