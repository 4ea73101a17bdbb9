package browsertest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// axe-core comes from npm, is kept in the user's cache and never committed.
const (
	axeVersion = "4.14.1"
	axeDigest  = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
)

// Axe fails the test where axe-core finds something wrong with the page, which
// where names, by the criteria of WCAG 2.2 A and AA and by good practice. The
// test is skipped where axe-core cannot be had.
func (b Tab) Axe(where string) {
	b.Helper()
	for _, v := range b.Violations(`{}`) {
		b.Errorf("%s: %s", where, v)
	}
}

// Contrast asks axe-core only for what a theme can change.
func (b Tab) Contrast(where string) {
	b.Helper()
	for _, v := range b.Violations(`{ runOnly: ['color-contrast'] }`) {
		b.Errorf("%s: %s", where, v)
	}
}

// Violations returns what axe-core finds under options of its own. By itself it
// would leave out the one rule of WCAG 2.2.
func (b Tab) Violations(options string) (violations []string) {
	b.Helper()
	script, err := loadAxe()
	if err != nil {
		without(b.T, "There is no axe-core here, so accessibility is not tested.", err)
	}
	if !Read[bool](b, `'axe' in window`) {
		_, err = chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](script))
		b.must(err)
	}
	found := Read[string](b, `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } }, ...`+options+` }).then(r => JSON.stringify(r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.html.slice(0, 120) + ' ' + n.failureSummary))))`)
	b.must(json.Unmarshal([]byte(found), &violations))
	return violations
}

var loadAxe = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "labelwright-tests")
	archive := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	packed, err := os.ReadFile(archive)
	if errors.Is(err, os.ErrNotExist) {
		packed, err = fetchAxe(dir, archive)
	}
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != axeDigest {
		return "", fmt.Errorf("%s is not the axe-core we know", archive)
	}
	return unpack(packed, "package/axe.min.js")
})

func fetchAxe(dir, archive string) ([]byte, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "npm", "pack", "--ignore-scripts", "--pack-destination", dir, "axe-core@"+axeVersion).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w: %s", err, out)
	}
	return os.ReadFile(archive)
}

// unpack returns the file of that name in a .tgz.
func unpack(packed []byte, name string) (string, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	files := tar.NewReader(plain)
	for {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("looking for %s: %w", name, err)
		}
		if header.Name == name {
			content, err := io.ReadAll(files)
			return string(content), err
		}
	}
}
