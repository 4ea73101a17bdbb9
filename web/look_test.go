package web

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/labelwright/labelwright/web/browsertest"
)

// sizes are the screens that pages are made for.
var sizes = [][2]int64{{1366, 768}, {768, 1024}, {390, 844}}

// look finds what is wrong with the page in b: by axe-core, in both themes and
// where it is narrow, and what scrolls sideways. Where LABELWRIGHT_SHOTS names a
// folder it leaves pictures there.
func look(b browsertest.Tab, name string) {
	b.Helper()
	b.Axe(name)
	b.Dark(true)
	b.Contrast(name + " in the dark")
	b.Dark(false)
	for _, size := range sizes[1:] {
		b.Size(size[0], size[1])
		if over := browsertest.Read[int](b, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
			b.Errorf("%s at %d px is %d px too wide", name, size[0], over)
		}
	}
	b.Axe(name + " where it is narrow")
	if dir := os.Getenv("LABELWRIGHT_SHOTS"); dir != "" {
		shoot(b, dir, name)
	}
	b.Size(sizes[0][0], sizes[0][1])
}

func shoot(b browsertest.Tab, dir, name string) {
	b.Helper()
	for _, size := range sizes {
		b.Size(size[0], size[1])
		for theme, dark := range map[string]bool{"light": false, "dark": true} {
			b.Dark(dark)
			b.Shoot(filepath.Join(dir, fmt.Sprintf("%s-%dx%d-%s.png", name, size[0], size[1], theme)))
		}
	}
	b.Dark(false)
}
