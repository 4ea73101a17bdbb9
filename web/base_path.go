package web

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
)

// Pages are written for a site at the root of a host. Below a path, such as https://example.org/labels, their addresses
// are completed where a response leaves the server: handlers, templates and tests know one form only. Texts of items
// cannot be mistaken for an attribute, because they are escaped.

// belowPath answers requests below the path of the site, from proxies that remove the path and from those that do not.
func belowPath(base string, next http.Handler) http.Handler {
	if base == "" {
		return next
	}
	stripped := http.StripPrefix(base, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == base:
			http.Redirect(w, r, base+"/", http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, base+"/"):
			stripped.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// completeAddresses adds the path of the site to the addresses of pages and redirects.
func completeAddresses(base string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		if base == "" {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c := &addressCompleter{ResponseWriter: w, base: base}
			next.ServeHTTP(c, r)
			c.end()
		})
	}
}

// siteAddress matches the start of an attribute with an address of this site.
var siteAddress = regexp.MustCompile(` (?:href|src|action|formaction|data-events|data-home|data-[a-z]+-(?:url|path))="/`)

// An addressCompleter holds a page back until it is whole, and passes on everything else.
type addressCompleter struct {
	http.ResponseWriter
	base   string
	page   bytes.Buffer
	status int
	isPage bool
}

// WriteHeader completes the address of a redirect.
func (c *addressCompleter) WriteHeader(status int) {
	if c.status != 0 {
		return
	}
	c.status = status
	h := c.Header()
	if location := h.Get("Location"); strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//") {
		h.Set("Location", c.base+location)
	}
	if c.isPage = strings.HasPrefix(h.Get("Content-Type"), "text/html"); c.isPage {
		h.Del("Content-Length")
		return
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write keeps the text of a page.
func (c *addressCompleter) Write(text []byte) (int, error) {
	if c.status == 0 {
		if c.Header().Get("Content-Type") == "" {
			c.Header().Set("Content-Type", http.DetectContentType(text))
		}
		c.WriteHeader(http.StatusOK)
	}
	if c.isPage {
		return c.page.Write(text)
	}
	return c.ResponseWriter.Write(text)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *addressCompleter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// end sends a page.
func (c *addressCompleter) end() {
	if !c.isPage {
		return
	}
	c.ResponseWriter.WriteHeader(c.status)
	base := strings.ReplaceAll(c.base[1:], "$", "$$") + "/"
	_, _ = c.ResponseWriter.Write(siteAddress.ReplaceAll(c.page.Bytes(), []byte("${0}"+base)))
}
