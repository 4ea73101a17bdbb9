// Package browsertest opens pages in headless Chromium, so that tests can press keys
// and read the page. One browser serves a test binary:
//
//	func TestMain(m *testing.M) { browsertest.Main(m) }
//
//	func TestKeys(t *testing.T) {
//		b := browsertest.Open(t, server.URL, "/work")
//		b.Press("4")
//		b.WaitFor(`document.title`, "Work")
//
// Without Chromium tests are skipped, or fail if LABELWRIGHT_REQUIRE lists "browser".
package browsertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// Main runs the tests of a package and closes the browser that they share.
func Main(m *testing.M) {
	m.Run() // the result becomes the exit code when TestMain returns
	Close()
}

// Close closes the browser, if it was started.
func Close() { closeBrowser() }

var closeBrowser = func() {}

var startBrowser = sync.OnceValues(func() (context.Context, error) {
	path, err := findBrowser()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	browser, _ := chromedp.NewContext(allocator)
	closeBrowser = func() { _ = chromedp.Cancel(browser); stop() } // it ends with the tests anyway
	return browser, checkText(browser)
})

// checkText returns an error if a browser draws no text, or ends when it should, as it does without a font.
func checkText(browser context.Context) error {
	width, err := chromedp.Run(browser, chromedp.Evaluate[float64](`(() => {
		const text = document.createElement('span')
		text.textContent = 'Text'
		document.documentElement.append(text)
		return text.getBoundingClientRect().width
	})()`))
	if err == nil && width == 0 {
		err = errors.New("it draws no text: install a font")
	}
	return err
}

// findBrowser finds the program that LABELWRIGHT_BROWSER names. Otherwise it prefers the shell, which draws
// the same pages without the windows of a browser and needs about half the CPU time.
func findBrowser() (path string, err error) {
	if name := os.Getenv("LABELWRIGHT_BROWSER"); name != "" {
		return exec.LookPath(name)
	}
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}
