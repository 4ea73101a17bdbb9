package page_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// axe-core comes from npm, is kept in the user's cache and never committed.
const (
	axeVersion = "4.14.1"
	axeDigest  = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
)

// axeScript returns axe-core, or skips the test where it cannot be had.
func axeScript(t *testing.T) string {
	t.Helper()
	script, err := loadAxe()
	if err != nil {
		if required("browser") {
			t.Fatalf("axe-core is required: %v", err)
		}
		t.Skipf("There is no axe-core here, so accessibility is not tested: %v", err)
	}
	return script
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
