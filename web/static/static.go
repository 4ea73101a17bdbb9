// Package static embeds and serves style sheets, ES modules and the icon. Their common
// URL path contains a hash of all files, so that modules can import './name.mjs' and
// browsers can cache every file forever. A page that is opened often, the labeling screen, loads one
// style sheet and one script, which are bundles of others: after a change of these, run
// go generate ./web/static.
package static

//go:generate sh -c "cat base.css components.css label.css item.css guide.css | go tool -modfile=../../.ci/tools.mod esbuild --loader=css --minify-whitespace >label.bundle.css"
//go:generate go tool -modfile=../../.ci/tools.mod esbuild label.mjs --bundle --external:./find.mjs --format=esm --target=es2022 --minify --log-level=warning --outfile=label.bundle.mjs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.css *.mjs *.svg
var assets embed.FS

// An asset is one file in both encodings.
type asset struct {
	contentType string
	content     []byte
	gzipped     []byte
}

// contentTypes lists the content types by file extension.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// loadAssets reads and compresses the files once. Reading embedded files cannot fail.
var loadAssets = sync.OnceValues(func() (map[string]asset, string) {
	entries, _ := assets.ReadDir(".")
	files, sum := make(map[string]asset, len(entries)), sha256.New()
	for _, e := range entries {
		content, _ := assets.ReadFile(e.Name())
		files[e.Name()] = asset{contentTypes[path.Ext(e.Name())], content, compress(content)}
		sum.Write([]byte(e.Name() + "\x00" + strconv.Itoa(len(content)) + "\x00"))
		sum.Write(content)
	}
	return files, base64.RawURLEncoding.EncodeToString(sum.Sum(nil))[:12]
})

func compress(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(content)                               // writing to a bytes.Buffer cannot fail
	_ = w.Close()
	return b.Bytes()
}

// Path returns the URL path of an asset: "/static/<hash>/<name>".
func Path(name string) string {
	_, hash := loadAssets()
	return "/static/" + hash + "/" + name
}

// Handler serves the paths that Path returns. Mount it without stripping "/static/".
func Handler() http.Handler {
	files, hash := loadAssets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, hasPrefix := strings.CutPrefix(r.URL.Path, "/static/"+hash+"/")
		f, isFile := files[name]
		if !hasPrefix || !isFile {
			http.NotFound(w, r)
			return
		}
		f.serve(w, r)
	})
}

func (f asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	body := f.content
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = f.gzipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have disconnected
	}
}

// acceptsGzip reports whether an Accept-Encoding header accepts gzip.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		q, hasQuality := strings.CutPrefix(strings.TrimSpace(quality), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !hasQuality || err == nil && weight > 0
	}
	return false
}
