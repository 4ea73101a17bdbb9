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
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/labelwright/labelwright/internal/require"
)

// axe-core is downloaded from the registry of npm into the user's cache; it is never committed.
const (
	axeVersion = "4.14.1"
	axeURL     = "https://registry.npmjs.org/axe-core/-/axe-core-" + axeVersion + ".tgz"
	axeSHA256  = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
)

// CheckAccessibility fails the test if axe-core finds violations of WCAG 2.2 A or AA or
// of good practice on the page. Without axe-core the test is skipped.
func (b Tab) CheckAccessibility(pageName string) {
	b.Helper()
	for _, v := range b.AxeViolations(`{}`) {
		b.Errorf("%s: %s", pageName, v)
	}
}

// CheckContrast checks only the color contrast, which depends on the theme.
func (b Tab) CheckContrast(pageName string) {
	b.Helper()
	for _, v := range b.AxeViolations(`{ runOnly: ['color-contrast'] }`) {
		b.Errorf("%s: %s", pageName, v)
	}
}

// AxeViolations returns the violations that axe-core finds with these options. The
// WCAG 2.2 rule on target size is off by default and enabled here.
func (b Tab) AxeViolations(options string) (violations []string) {
	b.Helper()
	script, err := loadAxe()
	if err != nil {
		require.Missing(b.T, "browser", "axe-core is not available: "+err.Error())
	}
	if !Eval[bool](b, `'axe' in window`) {
		_, err = chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](script))
		b.must(err)
	}
	found := Eval[string](b, `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } }, ...`+
		options+` }).then(r => JSON.stringify(r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.html.slice(0, 120) + ' ' + n.failureSummary))))`)
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
		packed, err = downloadAxe()
		if err == nil {
			err = errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(archive, packed, 0o644))
		}
	}
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != axeSHA256 {
		return "", fmt.Errorf("%s does not have the expected checksum", archive)
	}
	return extractFile(packed, "package/axe.min.js")
})

func downloadAxe() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, axeURL, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", axeURL, response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, 20<<20))
}

// extractFile returns a file from a .tgz archive.
func extractFile(archive []byte, name string) (string, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return "", err
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("find %s: %w", name, err)
		}
		if header.Name == name {
			content, err := io.ReadAll(files)
			return string(content), err
		}
	}
}
