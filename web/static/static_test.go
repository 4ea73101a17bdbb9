package static_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/web/static"
)

func getAsset(t *testing.T, path, encoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestHandler_Assets_CachedAndTyped(t *testing.T) {
	t.Parallel()
	for _, name := range static.Names() {
		res := getAsset(t, static.Path(name), "br")
		plain, _ := io.ReadAll(res.Body)
		h := res.Header
		if res.StatusCode != http.StatusOK || len(plain) == 0 || h.Get("Content-Type") == "" {
			t.Errorf("%s: %d, %d bytes of %q", name, res.StatusCode, len(plain), h.Get("Content-Type"))
		}
		if !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is not immutable and nosniff: %v", name, h)
		}
		compressed := getAsset(t, static.Path(name), "gzip, br")
		r, err := gzip.NewReader(compressed.Body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if decompressed, _ := io.ReadAll(r); !slices.Equal(decompressed, plain) {
			t.Errorf("%s differs when compressed", name)
		}
	}
}

func TestHandler_UnknownPath_NotFound(t *testing.T) {
	t.Parallel()
	known := static.Path("base.css")
	for _, path := range []string{"/static/", "/static/base.css", "/static/0/base.css", known + "/", known +
		"/../static.go", static.Path("static.go"), static.Path("")} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = path
		w := httptest.NewRecorder()
		static.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestHandler_AcceptEncoding(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"": "", "gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "",
		"xgzip": ""} {
		if got := getAsset(t, static.Path("base.css"), header).Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: encoded as %q, want %q", header, got, want)
		}
	}
}
