package web

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/browsertest"
)

// screenSizes are the screens that pages are designed for.
var screenSizes = [][2]int{{1366, 768}, {768, 1024}, {390, 844}}

// checkAccessibility checks the page in b with axe-core, in both themes and on
// a narrow screen, and for horizontal scrolling. It stores screenshots in the
// folder LABELWRIGHT_SHOTS if it is set.
func checkAccessibility(b browsertest.Tab, name string) {
	b.Helper()
	if require.FullSize() {
		b.CheckAccessibility(name)
		b.SetDarkMode(true)
		b.CheckContrast(name + " in the dark")
		b.SetDarkMode(false)
	}
	for _, size := range screenSizes[1:] {
		b.SetViewport(size[0], size[1])
		if overflow := browsertest.Eval[int](b, `document.scrollingElement.scrollWidth - innerWidth`); overflow > 0 {
			b.Errorf("%s at %d px is %d px too wide", name, size[0], overflow)
		}
	}
	checkNarrow(b, name+" where it is narrow")
	if dir := os.Getenv("LABELWRIGHT_SHOTS"); dir != "" {
		takeScreenshots(b, dir, name)
	}
	b.SetViewport(screenSizes[0][0], screenSizes[0][1])
}

// checkNarrow checks a page where it is narrow. It leaves contrast, which takes most of the time, to
// runs at full size; package page checks the contrast of the parts that pages share.
func checkNarrow(b browsertest.Tab, name string) {
	b.Helper()
	if require.FullSize() {
		b.CheckAccessibility(name)
		return
	}
	for _, v := range b.AxeViolations(
		`{ rules: { 'target-size': { enabled: true }, 'color-contrast': { enabled: false } } }`) {
		b.Errorf("%s: %s", name, v)
	}
}

func takeScreenshots(b browsertest.Tab, dir, name string) {
	b.Helper()
	for _, size := range screenSizes {
		b.SetViewport(size[0], size[1])
		for theme, dark := range map[string]bool{"light": false, "dark": true} {
			b.SetDarkMode(dark)
			b.SaveScreenshot(filepath.Join(dir, fmt.Sprintf("%s-%dx%d-%s.png", name, size[0], size[1], theme)))
		}
	}
	b.SetDarkMode(false)
}
